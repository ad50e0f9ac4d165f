package usage

import (
	"fmt"
	"strings"

	"tollkeeper/domain/metric"
)

// statement is SQL that grows from its beginning, with ? for arguments.
type statement struct {
	text strings.Builder
	args []any
}

// add appends SQL in which each ? stands for one of args, in order.
func (s *statement) add(sql string, args ...any) {
	s.text.WriteString(sql)
	s.args = append(s.args, args...)
}

func (s *statement) fragment(f metric.Fragment) { s.add(f.SQL, f.Args...) }

// key is the same for statements that say the same.
func (s *statement) key() string { return s.text.String() + fmt.Sprintf("%#v", s.args) }

// numbered is the text with $1, $2, … for the arguments.
func (s *statement) numbered() string {
	pieces := strings.Split(s.text.String(), "?")
	var text strings.Builder
	text.WriteString(pieces[0])
	for i, piece := range pieces[1:] {
		fmt.Fprintf(&text, "$%d%s", i+1, piece)
	}
	return text.String()
}

// folds turn counted, the rows of events that count, into one row for each slice
// and tuple: slice, amount, weight (see part), then the tuple, which stands for
// the word TUPLE with a comma before it.
//
// A distinct value belongs to the first slice it appears in. For the latest and
// the earliest, the event that decides in each slice is found, and these few
// are ranked, so that slices can be compared outside the database.
var folds = map[metric.Kind]string{
	metric.KindCount: "SELECT slice, count(value)::numeric, 0 TUPLE FROM counted GROUP BY slice TUPLE",
	metric.KindSum:   "SELECT slice, sum(value), 0 TUPLE FROM counted GROUP BY slice TUPLE",
	metric.KindMin:   "SELECT slice, min(value), 0 TUPLE FROM counted GROUP BY slice TUPLE",
	metric.KindMax:   "SELECT slice, max(value), 0 TUPLE FROM counted GROUP BY slice TUPLE",
	metric.KindAvg:   "SELECT slice, sum(value), count(value) TUPLE FROM counted GROUP BY slice TUPLE",
	metric.KindDistinct: `SELECT slice, count(value)::numeric, 0 TUPLE
		FROM (SELECT min(slice) AS slice, value TUPLE FROM counted GROUP BY value TUPLE) AS different
		GROUP BY slice TUPLE`,
	metric.KindLatest: `SELECT slice, CASE WHEN position IS NOT NULL THEN value END, row_number() OVER (ORDER BY position, seq) TUPLE
		FROM (SELECT DISTINCT ON (slice TUPLE) * FROM counted
			ORDER BY slice TUPLE, (value IS NULL OR position IS NULL), position DESC, seq DESC) AS deciding`,
	metric.KindEarliest: `SELECT slice, CASE WHEN position IS NOT NULL THEN value END, row_number() OVER (ORDER BY position, seq) TUPLE
		FROM (SELECT DISTINCT ON (slice TUPLE) * FROM counted
			ORDER BY slice TUPLE, (value IS NULL OR position IS NULL), position, seq) AS deciding`,
}

// statement reads the events of the account that the request is about, from events
// or a relation like it.
func (req Request) statement(account, from string) *statement {
	m := req.Query.Compile("e")
	s := &statement{}
	s.add("WITH counted AS (SELECT ")
	if len(req.Cuts) == 2 {
		s.add("1")
	} else {
		s.add(`width_bucket(e."timestamp", ?::timestamptz[])`, req.Cuts)
	}
	s.add(" AS slice, ")
	if m.Value.SQL == "" { // COUNT(*)
		m.Value.SQL = "TRUE"
	}
	s.fragment(m.Value)
	s.add(" AS value")
	var tuple strings.Builder
	for i, key := range req.tuple() {
		name := fmt.Sprintf("key%d", i)
		s.add(", ")
		s.fragment(key)
		s.add(" AS " + name)
		tuple.WriteString(", " + name)
	}
	if m.Order.SQL != "" {
		s.add(", ")
		s.fragment(m.Order)
		s.add(" AS position, e.seq")
	}
	s.add(" FROM " + from + ` AS e WHERE `)
	s.fragment(req.events(account, m))
	s.add(") ")
	s.add(strings.ReplaceAll(folds[m.Kind], "TUPLE", tuple.String()))
	return s
}

// tuple is by what the request is answered: groups, then properties.
func (req Request) tuple() (keys []metric.Fragment) {
	for _, group := range req.Groups {
		keys = append(keys, group.Compile("e"))
	}
	for _, property := range req.Split {
		keys = append(keys, metric.Property("e", property))
	}
	return keys
}

// events is the condition for those that count.
func (req Request) events(account string, m metric.Compiled) metric.Fragment {
	s := &statement{}
	s.add(`e.account_id = ? AND e.subject = ANY(?::text[]) AND e."timestamp" >= ? AND e."timestamp" < ?`,
		account, req.Subjects, req.Cuts[0], req.Cuts[len(req.Cuts)-1])
	for _, match := range req.Match {
		s.add(" AND ")
		s.fragment(metric.Property("e", match.Key))
		s.add(" = ?", match.Value)
	}
	s.add(" AND (")
	s.fragment(m.Where)
	if req.Filter != nil {
		s.add(") AND (")
		s.fragment(req.Filter.Compile("e"))
	}
	s.add(")")
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}

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
func (s *statement) key() string { return keyOf(s.text.String(), s.args) }

func keyOf(sql string, args []any) string { return sql + fmt.Sprintf("%#v", args) }

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

// statement asks the metric about the events of the account that the request is about,
// from a source of events. Its rows have a slice, an amount and a tuple.
func (req Request) statement(account string, from source) *statement {
	s := &statement{}
	s.fragment(req.Query.Compile(metric.Frame{
		Events: req.events(account, from),
		Slices: len(req.Cuts) - 1,
		Keys:   len(req.Groups) + len(req.Split),
	}))
	return s
}

// events are those that count, each with its slice and the values of its tuple.
func (req Request) events(account string, from source) metric.Fragment {
	s := &statement{}
	s.add("SELECT ")
	if len(req.Cuts) == 2 {
		s.add("1")
	} else {
		s.add(`width_bucket(e."timestamp", ?::timestamptz[])`, req.Cuts)
	}
	s.add(" AS slice, ")
	for i, key := range req.tuple() {
		s.fragment(from.key(key))
		s.add(fmt.Sprintf(" AS key%d, ", i))
	}
	s.add("e.* FROM "+from.relation()+` AS e WHERE e.account_id = ? AND e.subject = ANY(?::text[]) AND e."timestamp" >= ? AND e."timestamp" < ? AND NOT e.deprecated`,
		account, req.Subjects, req.Cuts[0], req.Cuts[len(req.Cuts)-1])
	for _, match := range req.Match {
		s.add(" AND ")
		s.fragment(metric.Property("e", match.Key))
		s.add(" = ?", match.Value)
	}
	if req.Filter != nil {
		s.add(" AND (")
		s.fragment(req.Filter.Compile("e"))
		s.add(")")
	}
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
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

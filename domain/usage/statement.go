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

// statement asks the metric about the events that the request is about. Its rows have a
// slice, an amount and a tuple.
func (req Request) statement(from source, kept *bucketPlan) *statement {
	s := &statement{}
	frame := metric.Frame{
		Events: req.events(from, kept),
		Slices: len(req.Cuts) - 1,
		Keys:   len(req.Groups) + len(req.Split),
	}
	if kept != nil {
		frame.Kept = kept.rows(req, from)
	}
	s.fragment(req.Query.Compile(frame))
	return s
}

// events are those that count, each with its slice and the values of its tuple.
func (req Request) events(from source, kept *bucketPlan) metric.Fragment {
	s := &statement{}
	s.add("SELECT ")
	s.fragment(req.slice(`e."timestamp"`))
	s.add(" AS slice, ")
	for i, key := range req.tuple() {
		s.fragment(from.key(key))
		s.add(fmt.Sprintf(" AS key%d, ", i))
	}
	s.add("e.* FROM ")
	switch {
	case from.sample != nil:
		s.add("sample AS e WHERE TRUE")
	case kept != nil:
		s.fragment(kept.events(req, from))
		s.add(" AS e WHERE TRUE")
	default:
		s.add("events AS e WHERE ")
		s.fragment(from.standing.counting)
	}
	s.add(` AND e.account_id = ? AND e.subject = ANY(?::text[]) AND e."timestamp" >= ? AND e."timestamp" < ?`,
		from.account, req.Subjects, req.Cuts[0], req.Cuts[len(req.Cuts)-1])
	if len(req.spans) > 0 {
		s.add(" AND (")
		s.fragment(req.counts())
		s.add(")")
	}
	for _, match := range req.Match {
		s.add(" AND ")
		s.fragment(metric.Label("e", match.Key))
		s.add(" = ?", match.Value)
	}
	if req.Filter != nil {
		s.add(" AND (")
		s.fragment(req.Filter.Compile("e"))
		s.add(")")
	}
	return metric.Fragment{SQL: s.text.String(), Args: s.args}
}

// slice is the number of the slice that an instant of the request lies in.
func (req Request) slice(instant string) metric.Fragment {
	if len(req.Cuts) == 2 {
		return metric.Fragment{SQL: "1"}
	}
	return metric.Fragment{SQL: "width_bucket(" + instant + ", ?::timestamptz[])", Args: []any{req.Cuts}}
}

// tuple is by what the request is answered: groups, then properties.
func (req Request) tuple() (keys []metric.Fragment) {
	for _, group := range req.Groups {
		keys = append(keys, group.Compile("e"))
	}
	for _, property := range req.Split {
		keys = append(keys, metric.Label("e", property))
	}
	return keys
}

package metric

import (
	"maps"
	"slices"
	"time"
)

// Timed are values for the parameters of a metric that apply until an instant.
type Timed struct {
	Until  *time.Time // exclusive; nil: open. They apply from where those before end.
	Values Parameters
}

// Over is the metric with values by time. Where it looks at single events, a value is the one
// in force at the instant of the event. Where it looks at a result (beside an aggregate, in
// HAVING, in a SELECT over a sub-query), it is the last one (semantics 4.2.7). There is at least one span, and With accepts each of them.
func (q *Query) Over(spans []Timed) (*Query, error) {
	last := spans[len(spans)-1].Values
	same := maps.Clone(last)
	varying := map[string][]*literal{}
	for _, name := range q.parameters {
		if !slices.ContainsFunc(spans, func(s Timed) bool { return s.Values[name] != last[name] }) {
			continue
		}
		delete(same, name)
		for _, s := range spans {
			l, err := s.Values.read(name)
			if err != nil {
				return nil, err
			}
			varying[name] = append(varying[name], l)
		}
	}
	with, err := q.With(same)
	if err != nil || len(varying) == 0 {
		return with, err
	}
	over := &Query{}
	err = read(with.text, func(p *parser) {
		p.varying, p.spans = varying, spans
		over = p.query()
		over.text, over.parameters = with.text, p.parameters
	})
	return over, err
}

// read is the value of a parameter as a literal: NULL where it has none.
func (p Parameters) read(name string) (l *literal, err error) {
	value, given := p[name]
	if !given {
		return &literal{facts: facts{typ: typNull, size: 1}}, nil
	}
	err = read(value.literal(), func(p *parser) { l = p.literal() })
	return l, err
}

// timed is a parameter whose value is another one for events of another time.
type timed struct {
	facts
	values []*literal // by span
	spans  []Timed
}

// timed reads a parameter that varies, where single events are looked at. It is nil where
// something else stands.
func (p *parser) timed() node {
	t := p.peek()
	values := p.varying[t.text]
	if t.kind != tokenParameter || values == nil || p.source != nil {
		return nil
	}
	p.meet(p.take())
	var nodes []node
	for _, v := range values {
		nodes = append(nodes, v)
	}
	return &timed{facts: grow(t.at, joined(nodes), nodes...), values: values, spans: p.spans}
}

// timed compiles each value of n: for a row of the source by the instant of the event, else
// the last one.
func (c compiler) timed(n *timed, value func(*literal) Fragment) Fragment {
	if c.fold != nil {
		return value(n.values[len(n.values)-1])
	}
	var parts []Fragment
	for k, v := range n.values[:len(n.values)-1] {
		parts = append(parts, sql("WHEN "+c.column(`"timestamp"`)+" < $ THEN $", bind("timestamptz", *n.spans[k].Until), value(v)))
	}
	return sql("(CASE $ ELSE $ END)", list(" ", parts), value(n.values[len(n.values)-1]))
}

package metric

import (
	"fmt"
	"strings"
)

// Frame is how a metric is asked: of which events, and for what the answers are.
type Frame struct {
	// Events is a SELECT of rows like those of the table events, with two things beside
	// their columns: slice, from 1 to Slices, and key0, key1, …, which are texts.
	Events Fragment
	Slices int
	Keys   int
	Kept   *Kept // of events that are left out; nil for none
}

// Compile writes a SELECT of slice, amount and the keys: the value of the metric
// over the events of the first slice up to this one that have these keys. The amount is
// numeric, and NULL where it counts as 0.
//
// Keys without a row for a slice have the amount of the slice before, and before
// their first row no events; without keys there is a row for the first slice.
func (q *Query) Compile(f Frame) Fragment {
	w, s := writer{Frame: f}, q.outer
	c := compiler{alias: "e", fold: &fold{stage: s, rows: overRows}}
	amount := c.number(s.items[0].value)
	if a, ok := s.items[0].value.(*aggregate); !ok || a.kind == kindPercentile {
		amount = sql("metric_bound($)", amount)
	}
	having := c.filter(s.having)
	totals := w.totals(c.fold, true)
	return sql("WITH counted AS ($) SELECT slice, CASE WHEN $ THEN $ END AS amount"+w.keys("")+" FROM ($) AS e",
		w.counted, having, amount, totals)
}

// AddsUp reports whether the metric's values over parts of the events sum to that over
// all of them: whether it is a count or a sum (semantics 4.2.5).
func (q *Query) AddsUp() bool {
	a, ok := q.outer.items[0].value.(*aggregate)
	for s := q.outer.source; s != nil; s = s.source {
		ok = ok && !s.folds
	}
	return ok && q.outer.having == nil && (a.kind == kindCount || a.kind == kindSum)
}

// filter is a condition that may be missing.
func (c compiler) filter(condition node) Fragment {
	if condition == nil {
		return Fragment{SQL: "TRUE"}
	}
	return c.as(condition, typBoolean)
}

// writer puts the stages of a metric together.
//
// The keys and the slice of an event go with it through all stages and part every
// fold, so one statement answers for all of them. A row of events, and what is made of
// single rows, is in the slice of its event; a row that a fold gives is in
// each slice from the first on that it has rows in, since answers are cumulative. Rows
// bear the seq of the last event in them.
type writer struct {
	Frame
	counted Fragment // the rows that the first fold puts together
}

// rows writes what a sub-query selects: slice, the keys, seq, and its columns c0, c1, ….
func (w *writer) rows(s *stage) Fragment {
	if s == nil {
		return w.Events
	}
	if !s.folds {
		columns := overRows.columns(s.items)
		return sql("SELECT slice"+w.keys("")+", seq$ FROM ($) AS e WHERE $", columns, w.rows(s.source), overRows.filter(s.where))
	}
	c := compiler{alias: "e", fold: &fold{stage: s, rows: overRows}}
	columns, having := c.columns(s.items), c.filter(s.having)
	return sql("SELECT slice"+w.keys("")+", seq$ FROM ($) AS e WHERE $", columns, w.totals(c.fold, false), having)
}

// columns are those that a sub-query selects, each behind a comma.
func (c compiler) columns(items []item) (all Fragment) {
	for i, item := range items {
		all = sql(fmt.Sprintf("$, $ AS c%d", i), all, c.free(item.value))
	}
	return all
}

// keys lists the keys of a relation, each behind a comma.
func (w *writer) keys(relation string) string { return numbered(", "+relation+"key%d", w.Keys) }

// numbered repeats a template for 0, 1, … n-1.
func numbered(template string, n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, template, i)
	}
	return text.String()
}

package metric

// Uncounted writes a SELECT of seq and lacking: the events of a relation that the metric puts
// together first, and whether one of its aggregates over numbers finds no number in the event
// although it looks for one. A CASE that gives NULL says so on purpose. The relation has the
// columns of events and slice, which is 1. Without such aggregates no event is lacking.
func (q *Query) Uncounted(events Fragment) Fragment {
	first, outer := q.outer, true
	for s := q.outer.source; s != nil; s = s.source {
		if s.folds {
			first, outer = s, false
		}
	}
	lacking := []Fragment{{SQL: "FALSE"}}
	for _, a := range first.overNumbers(outer) {
		lacking = append(lacking, overRows.lacking(a.operand))
	}
	w := writer{Frame: Frame{Events: events, Slices: 1}}
	return sql("SELECT seq, ($) AS lacking FROM ($) AS e WHERE $", list(" OR ", lacking), w.rows(first.source), overRows.filter(first.where))
}

// overNumbers are the aggregates of a stage whose operands are in a numeric context.
func (s *stage) overNumbers(outermost bool) (found []*aggregate) {
	var look func(n node, numeric bool)
	look = func(n node, numeric bool) {
		if a, ok := n.(*aggregate); ok {
			switch a.kind {
			case kindSum, kindMin, kindMax, kindAvg, kindPercentile:
				found = append(found, a)
			case kindLatest, kindEarliest:
				if numeric {
					found = append(found, a)
				}
			}
			return
		}
		for _, child := range children(n) {
			look(child, numeric && !child.about().condition)
		}
	}
	for _, i := range s.items {
		look(i.value, outermost)
	}
	if s.having != nil {
		look(s.having, false)
	}
	return found
}

// lacking is the condition that n, in a numeric context, has no number, and not on purpose.
func (c compiler) lacking(n node) Fragment {
	none := sql("$ IS NULL", c.number(n))
	if onPurpose, some := c.onPurpose(n); some {
		return sql("($ AND NOT $)", none, onPurpose)
	}
	return none
}

// onPurpose is the condition that a CASE in n gives NULL where it stands. It is false for an n
// without such.
func (c compiler) onPurpose(n node) (condition Fragment, some bool) {
	switch n := n.(type) {
	case *literal:
		return Fragment{SQL: "TRUE"}, n.typ == typNull
	case *choice:
		var parts []Fragment
		for _, w := range n.whens {
			parts = append(parts, sql("WHEN $ THEN $", c.as(w.condition, typBoolean), c.purpose(w.result)))
		}
		otherwise := Fragment{SQL: "TRUE"}
		if n.otherwise != nil {
			otherwise = c.purpose(n.otherwise)
		}
		return sql("(CASE $ ELSE $ END)", list(" ", parts), otherwise), true
	case *selection:
		if n.name == "NULLIF" { // the value that it makes NULL is a number
			number := sql("($ IS NOT NULL)", c.number(n.operands[0]))
			if inner, some := c.onPurpose(n.operands[0]); some {
				number = sql("($ OR $)", number, inner)
			}
			return number, true
		}
	}
	var parts []Fragment
	for _, child := range children(n) {
		if part, some := c.onPurpose(child); some && !child.about().condition {
			parts = append(parts, part)
		}
	}
	if n, ok := n.(*call); ok {
		for _, operand := range n.operands {
			if part, some := c.onPurpose(operand); some {
				parts = append(parts, part)
			}
		}
	}
	if len(parts) == 0 {
		return Fragment{}, false
	}
	return sql("($)", list(" OR ", parts)), true
}

// purpose is onPurpose where there must be a condition.
func (c compiler) purpose(n node) Fragment {
	if condition, some := c.onPurpose(n); some {
		return condition
	}
	return Fragment{SQL: "FALSE"}
}

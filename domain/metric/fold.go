package metric

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
)

// fold puts rows together. The expressions of its stage read columns g0, g1, … of the
// groups and t0, t1, … of the totals, and compiling them tells which totals, and of
// which inputs v0, v1, … of a row, there must be.
type fold struct {
	stage  *stage
	rows   compiler // for those that are put together
	inputs []input
	totals []total
}

// input is a column of the rows that are put together, NULL where a row has nothing.
type input struct {
	value   Fragment
	sqlType string
}

// total is a column of the rows that the fold gives.
type total struct {
	kind  kind // any but kindAvg, which is made of two
	input int
}

// whole makes the total of rows, whose column it is of.
func (t total) whole(column string) string { return fmt.Sprintf(adding[t.kind].whole, column) }

// adding tells how PostgreSQL aggregates a kind, whose totals are of the type of their
// inputs unless they have one. The totals of parts of the rows are merged by an
// aggregate too; a kind without one needs all rows at once.
var adding = map[kind]struct{ sqlType, whole, merge string }{
	kindCount:      {"numeric", "count(%s)::numeric", "sum"},
	kindDistinct:   {"numeric", "count(DISTINCT %s)::numeric", "sum"}, // of parts without a value in common
	kindSum:        {"numeric", "sum(%s)", "sum"},
	kindMin:        {"numeric", "min(%s)", "min"},
	kindMax:        {"numeric", "max(%s)", "max"},
	kindLatest:     {"", "max(%[1]s) FILTER (WHERE %[1]s[1] IS NOT NULL AND %[1]s[3] IS NOT NULL)", "max"},
	kindEarliest:   {"", "min(%[1]s) FILTER (WHERE %[1]s[1] IS NOT NULL AND %[1]s[3] IS NOT NULL)", "min"},
	kindPercentile: {"numeric[]", "array_agg(%[1]s ORDER BY %[1]s) FILTER (WHERE %[1]s IS NOT NULL)", ""},
}

// merges tells whether the totals can be made of those of parts of the rows.
func (f *fold) merges() bool {
	return !slices.ContainsFunc(f.totals, func(t total) bool { return adding[t.kind].merge == "" })
}

// single tells whether all rows are one group, which is there without rows too.
func (f *fold) single() bool { return len(f.stage.groups) == 0 }

// groups lists the columns of the groups, each behind a comma.
func (f *fold) groups() string { return numbered(", g%d", len(f.stage.groups)) }

// only tells whether all totals are of one kind.
func (f *fold) only(k kind) bool {
	return len(f.totals) > 0 && !slices.ContainsFunc(f.totals, func(t total) bool { return t.kind != k })
}

// columns lists the totals, each behind a comma, as write has them, or NULL.
func (f *fold) columns(write func(i int, t total) string) (list string) {
	for i, t := range f.totals {
		list += fmt.Sprintf(", %s AS t%d", cmp.Or(write(i, t), "NULL::"+cmp.Or(adding[t.kind].sqlType, f.inputs[t.input].sqlType)), i)
	}
	return list
}

// folded is what stands for n, a group or an aggregate, in a row of the fold.
func (c compiler) folded(n node, inNumbers bool) (value Fragment, t typ, ok bool) {
	if c.fold == nil {
		return Fragment{}, 0, false
	}
	if group := c.fold.stage.group(n); group >= 0 {
		return c.between("g", group, n.about().typ), n.about().typ, true
	}
	a, ok := n.(*aggregate)
	if !ok {
		return Fragment{}, 0, false
	}
	if inNumbers && a.kind.ranked() {
		return c.picked(a, typNumber), typNumber, true
	}
	return c.total(a), a.typ, true
}

// total is the value of an aggregate.
func (c compiler) total(a *aggregate) Fragment {
	switch a.kind {
	case kindLatest, kindEarliest:
		return c.picked(a, a.typ)
	case kindDistinct:
		return c.count(kindDistinct, input{sql("metric_distinct($)", c.fold.rows.as(a.operand, typAny)), "jsonb"})
	case kindCount:
		if a.operand == nil {
			return c.count(kindCount, input{Fragment{SQL: "TRUE"}, "boolean"})
		}
		return c.count(kindCount, input{c.fold.rows.free(a.operand), sqlTypes[a.operand.about().typ]})
	}
	numbers := input{c.fold.rows.quantity(a.operand), "numeric"}
	switch a.kind {
	case kindAvg:
		return sql("metric_divide($, $)", c.add(kindSum, numbers), c.count(kindCount, numbers))
	case kindPercentile:
		return sql("metric_percentile($, $)", c.add(kindPercentile, numbers), a.fraction.bound())
	default:
		return c.add(a.kind, numbers)
	}
}

// count is 0 over nothing, where other totals are NULL.
func (c compiler) count(k kind, in input) Fragment {
	return sql("coalesce($, 0)", c.add(k, in))
}

// picked is the value of type t that an order picks. Arrays of order, seq and value are
// compared element by element; those of numbers are the faster ones.
func (c compiler) picked(a *aggregate, t typ) Fragment {
	if by, ok := c.fold.rows.numericOrder(a.order); ok && t == typNumber {
		ranked := sql("ARRAY[$, e.seq, $]", by, c.fold.rows.quantity(a.operand))
		return sql("($)[3]", c.add(a.kind, input{ranked, "numeric[]"}))
	}
	value := c.fold.rows.as(a.operand, typAny)
	if t == typNumber {
		value = sql("to_jsonb($)", c.fold.rows.quantity(a.operand))
	}
	ranked := sql("ARRAY[$, to_jsonb(e.seq), $]", c.fold.rows.order(a.order), value)
	return convert(sql("($)[3]", c.add(a.kind, input{ranked, "jsonb[]"})), typAny, t)
}

// numericOrder is n as a number, if it orders as one in all rows.
func (c compiler) numericOrder(n node) (Fragment, bool) {
	switch n.about().typ {
	case typTime:
		return sql("extract(epoch FROM $)", c.free(n)), true
	case typNumber:
		return c.free(n), true
	}
	return Fragment{}, false
}

// order is n as jsonb whose order is total and does not hang on the collation.
func (c compiler) order(n node) Fragment {
	if by, ok := c.numericOrder(n); ok {
		return sql("to_jsonb($)", by)
	}
	return sql("metric_order($)", c.as(n, typAny))
}

// add gives the column of a total, which may be there already.
func (c compiler) add(k kind, in input) Fragment {
	f := c.fold
	t := total{k, slices.IndexFunc(f.inputs, func(other input) bool { return reflect.DeepEqual(in, other) })}
	if t.input < 0 {
		f.inputs, t.input = append(f.inputs, in), len(f.inputs)
	}
	at := slices.Index(f.totals, t)
	if at < 0 {
		f.totals, at = append(f.totals, t), len(f.totals)
	}
	return Fragment{SQL: c.column(fmt.Sprint("t", at))}
}

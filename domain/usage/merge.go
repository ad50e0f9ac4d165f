package usage

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

// part is what a metric knows of some events, in a form in which the parts of
// two sets of events can be merged.
type part struct {
	known  bool          // false: no event had a value
	amount money.Decimal // count, sum, least, greatest, or the value of the event that decides
	weight int64         // KindAvg: how many values; KindLatest and KindEarliest: rank of the event
}

// merge puts the parts of two disjoint sets together. For KindDistinct the sets
// must have no value in common, which the statement sees to.
func merge(kind metric.Kind, a, b part) part {
	switch {
	case !a.known:
		return b
	case !b.known:
		return a
	}
	switch kind {
	case metric.KindMin:
		a.amount = money.Min(a.amount, b.amount)
	case metric.KindMax:
		a.amount = money.Max(a.amount, b.amount)
	case metric.KindLatest, metric.KindEarliest:
		if (b.weight > a.weight) == (kind == metric.KindLatest) {
			return b
		}
	default:
		a.amount, a.weight = a.amount.Add(b.amount), a.weight+b.weight
	}
	return a
}

// result is the metric's value; an average has at most 20 places, the last
// rounded half away from zero (semantics 4.2.4).
func (p part) result(kind metric.Kind) money.Decimal {
	if kind == metric.KindAvg && p.known {
		return p.amount.Quo(money.FromInt(p.weight)).Round(money.Places)
	}
	return p.amount
}

// table is a part for each tuple of values and each slice.
type table struct {
	kind   metric.Kind
	slices int
	cells  map[string]*column
}

// column is one tuple's parts, in the order of the slices.
type column struct {
	values []*string
	parts  []part
	first  int // slice in which the tuple first appears
}

func (t *table) add(slice int, values []*string, p part) {
	key := tuple(values)
	c := t.cells[key]
	if c == nil {
		c = &column{values: values, parts: make([]part, t.slices), first: slice}
		t.cells[key] = c
	}
	c.first = min(c.first, slice)
	c.parts[slice] = p
}

// tuple is a text of the values: no value of the database holds U+0000.
func tuple(values []*string) string {
	var key strings.Builder
	for _, v := range values {
		if v != nil {
			key.WriteString("=" + *v)
		}
		key.WriteByte(0)
	}
	return key.String()
}

func (t *table) readings(split bool) []Reading {
	columns := slices.SortedFunc(maps.Values(t.cells), func(a, b *column) int {
		return slices.CompareFunc(a.values, b.values, compareValues)
	})
	readings := make([]Reading, t.slices)
	for _, c := range columns {
		var sum part
		for i := range readings {
			sum = merge(t.kind, sum, c.parts[i])
			switch {
			case !split:
				readings[i].Total = sum.result(t.kind)
			case i >= c.first:
				readings[i].Cells = append(readings[i].Cells, rating.Cell{Values: c.values, Quantity: sum.result(t.kind)})
			}
		}
	}
	return readings
}

// compareValues orders by code point, missing values first.
func compareValues(a, b *string) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(present(a), present(b))
	default:
		return strings.Compare(*a, *b)
	}
}

func present(v *string) int {
	if v == nil {
		return 0
	}
	return 1
}

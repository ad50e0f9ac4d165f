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
	kind    metric.Kind
	slices  int
	groups  int // how many values of a tuple make its group: the first ones
	columns map[string]*column
	known   map[string]bool // groups
}

func newTable(req Request) *table {
	return &table{
		kind: req.Query.Compile("e").Kind, slices: max(len(req.Cuts)-1, 0), groups: len(req.Groups),
		columns: map[string]*column{}, known: map[string]bool{},
	}
}

// column is one tuple's parts, in the order of the slices.
type column struct {
	group  []string
	values []*string // the rest of the tuple
	parts  []part
	first  int // slice in which the tuple first appears
}

// add puts in a part, and is false when there are too many groups. What lacks a value
// of its group is left out.
func (t *table) add(slice int, values []*string, p part) bool {
	group := values[:t.groups]
	if slices.Contains(group, nil) {
		return true
	}
	t.known[tuple(group)] = true
	key := tuple(values)
	c := t.columns[key]
	if c == nil {
		c = &column{values: values[t.groups:], parts: make([]part, t.slices), first: slice}
		for _, v := range group {
			c.group = append(c.group, *v)
		}
		t.columns[key] = c
	}
	c.first = min(c.first, slice)
	c.parts[slice] = p
	return len(t.known) <= MostGroups
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

func (t *table) readings() []Reading {
	columns := slices.SortedFunc(maps.Values(t.columns), func(a, b *column) int {
		return cmp.Or(compareGroups(a.group, b.group), slices.CompareFunc(a.values, b.values, compareValues))
	})
	readings := make([]Reading, t.slices)
	for _, c := range columns {
		var sum part
		for i := c.first; i < t.slices; i++ {
			sum = merge(t.kind, sum, c.parts[i])
			if r := readings[i].of(c.group); len(c.values) == 0 {
				r.Total = sum.result(t.kind)
			} else {
				r.Cells = append(r.Cells, rating.Cell{Values: c.values, Quantity: sum.result(t.kind)})
			}
		}
	}
	return readings
}

// of is the reading of a group, the last so far or the next; r without groups.
func (r *Reading) of(group []string) *Reading {
	if len(group) == 0 {
		return r
	}
	last := len(r.Groups) - 1
	if last < 0 || compareGroups(r.Groups[last].Values, group) != 0 {
		r.Groups = append(r.Groups, Group{Values: group})
		last++
	}
	return &r.Groups[last].Reading
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

package usage

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

// table is the value of a metric for each tuple of values, up to the end of each slice.
type table struct {
	slices  int
	groups  int // how many values of a tuple make its group: the first ones
	most    int // tuples; 0: any number
	divides bool
	columns map[string]*column
	known   map[string]bool // groups
}

func newTable(req Request) *table {
	return &table{
		slices: max(len(req.Cuts)-1, 0), groups: len(req.Groups), most: req.MostTuples, divides: req.Query.Divides(),
		columns: map[string]*column{}, known: map[string]bool{},
	}
}

// column is what is known of one tuple.
type column struct {
	group   []string
	values  []*string        // the rest of the tuple
	amounts []*money.Decimal // by slice; where it is nil, that of the slice before holds
	first   int              // slice in which the tuple first appears
}

// add puts in an amount, unless there are too many groups. What lacks a value of its
// group is left out.
func (t *table) add(slice int, values []*string, amount money.Decimal) error {
	group := values[:t.groups]
	if slices.Contains(group, nil) {
		return nil
	}
	t.known[tuple(group)] = true
	key := tuple(values)
	c := t.columns[key]
	if c == nil {
		c = &column{values: values[t.groups:], amounts: make([]*money.Decimal, t.slices), first: slice}
		for _, v := range group {
			c.group = append(c.group, *v)
		}
		t.columns[key] = c
	}
	c.first = min(c.first, slice)
	c.amounts[slice] = &amount
	switch {
	case len(t.known) > MostGroups:
		return tooManyGroups(MostGroups)
	case t.most > 0 && len(t.columns) > t.most:
		return tooManyGroups(t.most)
	}
	return nil
}

func tooManyGroups(most int) error {
	return fault.Refused("The usage falls into more than %d groups; filter it, or group it by less", most)
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
		var amount money.Decimal
		for i := c.first; i < t.slices; i++ {
			if c.amounts[i] != nil {
				amount = *c.amounts[i]
			}
			cell := rating.Cell{Values: c.values, Quantity: amount}
			if t.divides {
				cell = rating.Quotient(c.values, amount)
			}
			if r := readings[i].of(c.group); len(c.values) == 0 {
				r.Total = cell.Quantity
			} else {
				r.Cells = append(r.Cells, cell)
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

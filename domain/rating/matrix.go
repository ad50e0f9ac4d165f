package rating

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Matrix charges each combination of one or two property values at its own rate,
// and those it does not list at the default (price models 4.6).
type Matrix struct {
	Dimensions        []string // one or two
	DefaultUnitAmount Amount
	Values            []MatrixValue

	rows map[string]int // tupleKey of a row to its index in Values
}

// MatrixValue is the rate of one combination. A nil value matches only events
// without the property; it is no wildcard.
type MatrixValue struct {
	DimensionValues []*string // one for each dimension
	UnitAmount      Amount
}

func readMatrix(config *object) Model {
	m := Matrix{
		Dimensions:        config.dimensions("dimensions"),
		DefaultUnitAmount: config.amount("default_unit_amount"),
		rows:              map[string]int{},
	}
	config.objects("matrix_values", func(row *object) {
		v := MatrixValue{
			DimensionValues: row.tuple("dimension_values", len(m.Dimensions)),
			UnitAmount:      row.amount("unit_amount"),
		}
		if v.DimensionValues != nil {
			key := tupleKey(v.DimensionValues)
			if _, repeated := m.rows[key]; repeated {
				row.bad("dimension_values", "must differ from those of the other rows")
			}
			m.rows[key] = len(m.Values)
		}
		m.Values = append(m.Values, v)
	})
	return m
}

// dimensions reads one or two property names; a second that is null means one.
func (o *object) dimensions(key string) (names []string) {
	list := o.texts(key)
	if len(list) == 2 && list[1] == nil {
		list = list[:1]
	}
	for _, name := range list {
		if name != nil && *name != "" {
			names = append(names, *name)
		}
	}
	if len(names) != len(list) || len(list) < 1 || len(list) > 2 {
		o.bad(key, "must name one or two properties")
		return nil
	}
	return names
}

// tuple reads the values of so many dimensions, 0 if they are not known. One
// dimension may have null as second value.
func (o *object) tuple(key string, dimensions int) []*string {
	values := o.texts(key)
	if dimensions == 0 {
		return nil
	}
	if dimensions == 1 && len(values) == 2 && values[1] == nil {
		values = values[:1]
	}
	if len(values) != dimensions {
		o.bad(key, "must have one value for each dimension")
		return nil
	}
	return values
}

func (m Matrix) Needs() Needs   { return Needs{Split: m.Dimensions} }
func (m Matrix) linear() bool   { return true }
func (m Matrix) prorated() bool { return false }

func (m Matrix) charge(u Usage) Charge {
	var c Charge
	for _, cell := range m.inOrder(u.Cells) {
		rate := m.DefaultUnitAmount
		if i, listed := m.rows[tupleKey(cell.Values)]; listed {
			rate = m.Values[i].UnitAmount
		}
		c.Quantity = c.Quantity.Add(cell.Quantity)
		c.add(Part{
			Kind:     PartMatrix,
			Name:     tupleName(cell.Values),
			Quantity: cell.Quantity,
			Rate:     rate.Text,
			Amount:   cell.Quantity.Mul(rate.Decimal),
			Values:   cell.Values,
		})
	}
	return c
}

// inOrder returns the cells in the order of the configuration, then those it does
// not list by value (price models 1.6).
func (m Matrix) inOrder(cells []Cell) []Cell {
	row := func(c Cell) int {
		if i, listed := m.rows[tupleKey(c.Values)]; listed {
			return i
		}
		return len(m.Values)
	}
	return slices.SortedStableFunc(slices.Values(cells), func(a, b Cell) int {
		return cmp.Or(cmp.Compare(row(a), row(b)), compareTuples(a.Values, b.Values))
	})
}

// tupleKey gives different texts to different tuples.
func tupleKey(tuple []*string) string {
	var key strings.Builder
	for _, value := range tuple {
		if value == nil {
			key.WriteString("-")
		} else {
			key.WriteString(strconv.Quote(*value))
		}
	}
	return key.String()
}

// compareTuples orders tuples value by value, byte for byte; a missing one is first.
func compareTuples(a, b []*string) int {
	return slices.CompareFunc(a, b, func(x, y *string) int {
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return -1
		case y == nil:
			return 1
		}
		return strings.Compare(*x, *y)
	})
}

// tupleName joins the values of a tuple: "eu / hot".
func tupleName(tuple []*string) string {
	names := make([]string, len(tuple))
	for i, value := range tuple {
		names[i] = "none"
		if value != nil {
			names[i] = *value
		}
	}
	return strings.Join(names, " / ")
}

package rating

import (
	"cmp"
	"fmt"
	"slices"
)

// Table is what a matrix lists: an amount, be it a rate or a factor, for some of the
// combinations that the values of one or two properties can form.
type Table struct {
	Dimensions []string // the properties
	Unlisted   Amount   // of every other combination

	rows map[string]*row // by tupleKey
}

// row is what a table lists for one combination.
type row struct {
	place  int    // in the configuration
	name   string // of a part that is charged by it
	amount Amount
}

// list adds a row that is read from at. Its values are nil where they could not be
// read; those of another row again are a fault of key.
func (t *Table) list(at *object, key string, values []*string, r row) {
	if values == nil {
		return
	}
	if t.rows == nil {
		t.rows = map[string]*row{}
	}
	tuple := tupleKey(values)
	if _, repeated := t.rows[tuple]; repeated {
		at.bad(key, "must differ from those of the other rows")
	}
	r.place = len(t.rows)
	t.rows[tuple] = &r
}

// of finds the row of a combination. A row whose value is missing is only for events
// without that property: it is no wildcard (price models 4.6).
func (t Table) of(values []*string) *row {
	var space [64]byte
	if r, listed := t.rows[string(appendTuple(space[:0], values))]; listed {
		return r
	}
	return &row{place: len(t.rows), name: tupleName(values), amount: t.Unlisted}
}

// eachCell charges cells, with a part for each as price says of it and the amount in
// its row: in the order of the configuration, then unlisted ones by value
// (price models 1.6).
func (t Table) eachCell(cells []Cell, price func(Cell, Amount) Part) Charge {
	type place struct{ row, cell int }
	order, rows := make([]place, len(cells)), make([]*row, len(cells))
	for i, cell := range cells {
		rows[i] = t.of(cell.Values)
		order[i] = place{rows[i].place, i}
	}
	slices.SortFunc(order, func(a, b place) int {
		if a.row != b.row {
			return cmp.Compare(a.row, b.row)
		}
		return compareTuples(cells[a.cell].Values, cells[b.cell].Values)
	})
	c := Charge{Quantity: TotalOf(cells), Parts: make([]Part, 0, len(cells))}
	for _, at := range order {
		cell, row := cells[at.cell], rows[at.cell]
		p := price(cell, row.amount)
		p.Kind, p.Name, p.Quantity, p.Values = PartMatrix, row.name, cell.Quantity, cell.Values
		c.add(p)
	}
	return c
}

// atRate charges all of a cell.
func atRate(cell Cell, rate Amount) Part {
	return Part{Rate: rate.Text, Amount: cell.Quantity.Mul(rate.Decimal)}
}

// rateTable reads the rates of a matrix with lists of dimensions and their values.
func (o *object) rateTable() Table {
	t := Table{Dimensions: o.dimensions("dimensions"), Unlisted: o.amount("default_unit_amount")}
	o.objects("matrix_values", func(at *object) {
		values := at.tuple("dimension_values", len(t.Dimensions))
		t.list(at, "dimension_values", values, row{name: tupleName(values), amount: at.amount("unit_amount")})
	})
	return t
}

// pairTable reads a matrix that names a first and perhaps a second dimension, with
// its rows under rowsKey and their amounts under amountKey.
func (o *object) pairTable(rowsKey, amountKey string) (t Table) {
	if first := o.property("first_dimension"); first != "" {
		t.Dimensions = append(t.Dimensions, first)
	}
	if second := o.propertyOrNull("second_dimension"); second != "" {
		t.Dimensions = append(t.Dimensions, second)
	}
	o.objects(rowsKey, func(at *object) {
		first, second := at.text("first_dimension_value"), at.textOrNull("second_dimension_value")
		values := []*string{&first, second}
		if len(t.Dimensions) < 2 {
			values = values[:1]
			if second != nil && at.sound() {
				at.bad("second_dimension_value", "must not be given without second_dimension")
			}
		}
		t.list(at, "first_dimension_value", values, row{name: tupleName(values), amount: at.amount(amountKey)})
	})
	return t
}

// dimensions reads one or two property names; a second that is null means one.
func (o *object) dimensions(key string) (names []string) {
	list := o.texts(key)
	if len(list) == 2 && list[1] == nil {
		list = list[:1]
	}
	for k, name := range list {
		if name != nil && *name != "" {
			names = append(names, o.named(fmt.Sprintf("%s[%d]", key, k), *name))
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

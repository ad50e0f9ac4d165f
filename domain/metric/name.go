package metric

import (
	"errors"
	"strings"
)

// Name names what prices, usage, alerts and licenses tell events apart by: a column
// that every event has, or a property (price models 1.1). It is read as a computed
// property is: event_name is the column, x and properties.x are the property x, and
// properties.event_name is the property that is called like the column. A dot after
// that prefix is part of the name, since properties are flat: a.b and properties.a.b
// are the property a.b. A name with other characters than letters, digits, _, - and .
// is in double quotes: "my property".
type Name struct {
	column string // "": a property
	key    string // of the property
}

var errNoName = errors.New(`must be the name of a column or property of events; a name with other characters than letters, digits, _, - and . stands in double quotes`)

// ParseName reads a name. It fails for a text that names neither a column nor a
// property, such as an expression.
func ParseName(s string) (Name, error) {
	c, err := ParseComputed(s)
	if err != nil || s != strings.TrimSpace(s) {
		return Name{}, errNoName
	}
	switch n := c.root.(type) {
	case *column:
		return Name{column: n.name}, nil
	case *property:
		return Name{key: n.key}, nil
	default:
		return Name{}, errNoName
	}
}

// CheckName reports why s is no name.
func CheckName(s string) error {
	_, err := ParseName(s)
	return err
}

// nameOf reads a name that was accepted. Those that were stored before names were
// checked can be of any form: what is no name now is a property that is called so.
func nameOf(s string) Name {
	n, err := ParseName(s)
	if err != nil {
		return Name{key: s}
	}
	return n
}

// Label reads what a name stands for as text, to group by it: a string as it is, a
// number in its shortest decimal form (5.0 as 5), a boolean as true or false (price
// models 1.5), an instant in ISO 8601, and NULL where the row has none.
func Label(alias, name string) Fragment {
	c, n := compiler{alias: alias}, nameOf(name)
	if n.column == "" {
		return sql("metric_label($)", c.property(n.key))
	}
	value, t := c.columnValue(n.column), columns[n.column].typ
	if t == typText {
		return value
	}
	return sql("metric_label($)", convert(value, t, typAny))
}

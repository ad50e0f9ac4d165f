package reference

import (
	"encoding/json"
	"errors"
	"math/big"
)

// ErrNotCovered is the error for what the package has no rule of.
var ErrNotCovered = errors.New("the reference model does not cover it")

// Usage is what a price rates over one service period. Which of its fields a model reads
// is in Inputs.
type Usage struct {
	// Quantity is the metric over all events of the period, or the quantity of a fixed fee.
	// It may be negative (price models 1.2).
	Quantity *big.Rat

	// Matching is the metric over the events that pass the filters of bulk_with_filters.
	Matching *big.Rat

	// Groups holds the metric for each distinct tuple of values of the properties that the
	// model splits by.
	Groups []Group

	// Quotients says that the metric divides: Quantity, Matching and the groups are not rounded
	// yet, and are where they are rated, sums of groups as sums (semantics 4.2.4).
	Quotients bool

	// Components is the sum of the subtotals of the other prices that a composite price
	// reads.
	Components *big.Rat

	// Share is the proration factor f, service days by days of the full billing period
	// (price models 1.4); nil is 1.
	Share *big.Rat

	// Fixed marks a fixed fee: it is prorated by Share whatever its model says, and only
	// once (price models 1.4).
	Fixed bool

	// Spans are the quantities of a fixed fee in arrears that changed within its time. Each is
	// rated for its own share, instead of Quantity for Share (price models 5.4).
	Spans []Span
}

// Span is a quantity of a fixed fee for some of the days of its time.
type Span struct {
	Quantity *big.Rat
	Share    *big.Rat // its days by days of the full billing period, from 0 to 1
}

// Group is a part of usage.
type Group struct {
	// Values holds the value of each property, as the string that it is compared as. A
	// property that the events do not have is missing.
	Values   map[string]string
	Quantity *big.Rat // may be negative
}

// Inputs tells what a model reads of Usage.
type Inputs struct {
	// Whole says that the model rates one number, Usage.Quantity.
	Whole bool

	// Properties are the names of properties that the model splits by. Several models name
	// one property twice; each is here once, in order of the configuration.
	Properties []string

	// Filters are the values that properties must have for Usage.Matching.
	Filters map[string]string

	// Components says that the model rates Usage.Components.
	Components bool
}

// InputsOf tells what a model with this configuration reads.
func InputsOf(modelType string, config json.RawMessage) (Inputs, error) {
	m, err := modelOf(modelType, config)
	if err != nil {
		return Inputs{}, err
	}
	return m.inputs(), nil
}

// Rate is what usage costs by a price model and its configuration: exact, not rounded, in
// the currency of the price, negative for a credit. It fails for a model or configuration
// that it does not know (ErrNotCovered), and for a configuration that does not parse.
func Rate(modelType string, config json.RawMessage, u Usage) (*big.Rat, error) {
	m, err := modelOf(modelType, config)
	if err != nil {
		return nil, err
	}
	u = u.filled()
	if len(u.Spans) > 0 {
		sum := new(big.Rat)
		for _, span := range u.Spans {
			sum = plus(sum, times(m.rate(Usage{Quantity: span.Quantity, Fixed: true}.filled()), span.Share))
		}
		return sum, nil
	}
	if u.Fixed {
		share := u.Share
		u.Share = one
		return times(m.rate(u), share), nil
	}
	return m.rate(u), nil
}

// filled is the usage with 0 for numbers that are not given and 1 for the share.
func (u Usage) filled() Usage {
	for _, r := range []**big.Rat{&u.Quantity, &u.Matching, &u.Components} {
		if *r == nil {
			*r = new(big.Rat)
		}
	}
	if u.Share == nil {
		u.Share = big.NewRat(1, 1)
	}
	u.Quantity, u.Matching = u.Rounded(u.Quantity), u.Rounded(u.Matching)
	return u
}

// Rounded is a quantity as it is rated: of a metric that divides with 20 digits after the point.
func (u Usage) Rounded(quantity *big.Rat) *big.Rat {
	if u.Quotients {
		return Round(quantity, 20)
	}
	return quantity
}

// positive is the usage with 0 for groups below it.
func (u Usage) positive() Usage {
	groups := append(u.Groups[:0:0], u.Groups...)
	for k, g := range groups {
		groups[k].Quantity = positive(g.Quantity)
	}
	u.Groups = groups
	return u
}

// by adds up the groups by the value of a property. Those without the property are nil's.
func (u Usage) by(property string) []cell { return u.cells(property) }

// cell is the usage of one tuple of values; nil stands for a missing property.
type cell struct {
	values   []*string
	quantity *big.Rat
	exact    *big.Rat // before it was rounded
}

// cells adds up the groups by the values of the properties, in order of their first.
func (u Usage) cells(properties ...string) []cell {
	var all []cell
next:
	for _, g := range u.Groups {
		values := make([]*string, len(properties))
		for k, name := range properties {
			if v, ok := g.Values[name]; ok {
				values[k] = &v
			}
		}
		for k := range all {
			if sameValues(all[k].values, values) {
				all[k].exact = plus(all[k].exact, g.Quantity)
				continue next
			}
		}
		all = append(all, cell{values: values, exact: g.Quantity})
	}
	for k := range all {
		all[k].quantity = u.Rounded(all[k].exact)
	}
	return all
}

func sameValues(a, b []*string) bool {
	for k := range a {
		if !same(a[k], b[k]) {
			return false
		}
	}
	return true
}

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

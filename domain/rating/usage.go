package rating

import (
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Usage is what a price is charged for over one service period.
type Usage struct {
	// Quantity is the metric's value, or the fixed quantity of a fixed fee. Models
	// that name keys to split by read Cells instead.
	Quantity money.Decimal

	// Cells hold the metric's value for each distinct tuple of those keys.
	Cells []Cell

	// Filtered is the metric's value over the events that Needs.Filter selects, of
	// models that name one; Quantity is then that over all events.
	Filtered money.Decimal

	// Components are the subtotals of the prices that a composite model charges for,
	// in sum and before adjustments.
	Components money.Decimal

	// Fraction is the service days of the days of the full billing period; the zero
	// value is a full period.
	Fraction period.Fraction

	// Fixed marks a fixed fee: it is prorated whatever its model says.
	Fixed bool

	// Spans are the quantities of a fixed fee that changed within its time, in order; their
	// days sum to Fraction.Part. Quantity is the last of them. Empty: it is that all the time.
	Spans []Span
}

// Span is a number of days for which a fixed fee was for one quantity.
type Span struct {
	Quantity money.Decimal // 0 or more
	Days     int           // local days
}

// Cell is the usage of one tuple of property values.
type Cell struct {
	Values   []*string // one for each key of Needs.Split; nil: the events have no such property
	Quantity money.Decimal

	// Exact is the quantity before it was rounded, of a metric that divides: sums of cells are
	// of these. Nil: Quantity is exact.
	Exact *money.Decimal
}

// Charge is the result of rating. All amounts are exact.
type Charge struct {
	Quantity money.Decimal
	Subtotal money.Decimal
	Parts    []Part // how the subtotal came about: they sum to it
	Prorated bool   // Usage.Fraction of the rated amount is charged
}

// PartKind is the type of a sub-line item, as the wire spells it.
type PartKind string

// The kinds of parts.
const (
	PartMatrix  PartKind = "matrix"
	PartTier    PartKind = "tier"
	PartOther   PartKind = "'null'" // with the apostrophes
	PartWorking PartKind = ""       // a step of a model with one flat rate: explained, but no sub-line item
)

// Part is one step of a charge, and a sub-line item of it unless it is PartWorking.
type Part struct {
	Kind     PartKind
	Name     string
	Quantity money.Decimal
	Rate     string // what one unit or package costs, as configured; "" where no rate was applied
	Amount   money.Decimal
	Tier     *TierRange     // of PartTier
	Values   []*string      // of PartMatrix: one for each dimension, nil where missing
	Scaled   *money.Decimal // the quantity that was charged, where that is not Quantity; sub-line items show it of PartMatrix
	Group    *Group         // whose usage this is, of models that rate groups
}

// Group is a value of the property that a model groups by.
type Group struct {
	Key   string
	Value *string // nil: the events have no such property
}

// Name is what a sub-line item of the group is called.
func (g Group) Name() string { return groupName(g.Value) }

// TierRange is the tier that a part was charged at, as it was configured.
type TierRange struct {
	FirstUnit  money.Decimal
	LastUnit   *money.Decimal // nil: no end
	UnitAmount string
}

// add charges one more part.
func (c *Charge) add(p Part) {
	c.Subtotal = c.Subtotal.Add(p.Amount)
	c.Parts = append(c.Parts, p)
}

// Less is the difference of two charges, with the steps of both.
func (c Charge) Less(other Charge) Charge {
	less := Charge{Quantity: c.Quantity.Sub(other.Quantity), Subtotal: c.Subtotal.Sub(other.Subtotal), Prorated: c.Prorated}
	less.Parts = append(less.Parts, c.Parts...)
	for _, p := range other.Parts {
		p.Quantity, p.Amount = p.Quantity.Neg(), p.Amount.Neg()
		less.Parts = append(less.Parts, p)
	}
	return less
}

// prorate multiplies the charge by f. Each part becomes the difference of two
// prorated running totals, so the parts sum to the subtotal exactly.
func (c *Charge) prorate(f period.Fraction) {
	var full, charged money.Decimal
	for i, p := range c.Parts {
		full = full.Add(p.Amount)
		upTo := share(full, f)
		c.Parts[i].Amount = upTo.Sub(charged)
		charged = upTo
	}
	c.Subtotal = share(c.Subtotal, f)
	c.Prorated = true
}

// share returns f of amount: all of it, or a part cut at the 20th digit.
func share(amount money.Decimal, f period.Fraction) money.Decimal {
	if f.IsWhole() {
		return amount
	}
	product := amount.Mul(money.FromInt(int64(f.Part)))
	return product.Quo(money.FromInt(int64(f.Whole))).Trunc(money.Places)
}

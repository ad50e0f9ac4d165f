package charge

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// Amounts is what a service costs, in the currency of its price but for the last.
type Amounts struct {
	Quantity    money.Decimal
	Exact       money.Decimal // the subtotal as it was rated
	Parts       []rating.Part // sum to Exact
	Prorated    bool          // Exact is the part of its rates that the service is of its cycle
	Subtotal    money.Decimal // before adjustments, rounded to the minor unit
	Adjustments []rating.Applied
	Adjusted    money.Decimal // after them
	Covered     money.Decimal // of that, what licenses have for themselves, or is written off with them
	Credits     money.Decimal // of the rest, what prepaid credits pay
	Groups      []rating.Part // Subtotal by the property that the invoice shows the price by
	Conversion  []rating.Part // how what is left of a price in a custom unit became money
	Invoiced    money.Decimal // Subtotal, and
	Amount      money.Decimal // what is left to pay, in the currency of the invoice: less what earlier ones charged
}

// Calculate turns what services used into amounts. They are those that are on one document: composite prices
// charge for others, and adjustments may work on several. This is the only way from usage to money; see the
// package comment.
func Calculate(t subscription.Terms, d Document, together []Item) []Amounts {
	all := make([]Amounts, len(together))
	for k, y := range together {
		if !y.Model.Needs().Composite {
			all[k] = Rate(y)
		}
	}
	earlier := d.Parts(t)
	was := make([]*rating.Earlier, len(together))
	for k, y := range together {
		was[k] = d.ToDate(y.ServicePeriod)
	}
	for k, y := range together {
		if y.Model.Needs().Composite {
			y.Usage.Components = components(y, together, all, was, earlier)
			all[k] = Rate(y)
		}
	}
	adjust(t, d, together, all, was, earlier)
	for k, y := range together {
		all[k].cover(y)
		all[k].Credits = money.Min(y.Paid, money.Max(all[k].Left(), money.Decimal{}))
		all[k].Convert(y.Interval.Price, t.Currency)
		all[k].Amount = all[k].Amount.Sub(y.Earlier)
	}
	return all
}

// rounded rounds an amount to the minor unit of the price's currency, half away from zero (price
// models 1.5). Custom units have no minor unit and stay exact.
func rounded(price catalog.Price, exact money.Decimal) money.Decimal {
	return price.Currency.Round(exact.WithoutTail())
}

// Rate rates an item, which may be for a change of quantity, and rounds the result once.
func Rate(y Item) Amounts {
	if y.Interval.Price.Allocation != nil { // a grant and its fee are never prorated (semantics 11.2.5)
		y.Usage.Fraction = period.Fraction{Part: 1, Whole: 1}
	}
	exact := rating.Rate(y.Model, y.Usage)
	if y.Before != nil {
		until := y.Usage
		until.Quantity = *y.Before
		exact = exact.Less(rating.Rate(y.Model, until))
	}
	a := Amounts{Quantity: exact.Quantity, Exact: exact.Subtotal, Prorated: exact.Prorated}
	a.Parts = append([]rating.Part{}, exact.Parts...)
	a.carry(y)
	a.Subtotal = rounded(y.Interval.Price, a.Exact)
	a.Adjusted = a.Subtotal
	a.Groups = shareOut(y, a.Subtotal)
	return a
}

// carry adds to an installment of a fee what the roundings of those before it left over,
// so that all of them sum to the rounded fee (price models 5.6). What a change of the quantity
// costs is rounded by itself: no installment before it charged that (price models 5.4).
func (a *Amounts) carry(y Item) {
	if y.Instalment == nil || y.Before != nil || y.Days.From == 0 {
		return
	}
	y.Instalment = nil
	before := y
	if len(y.Usage.Spans) > 0 { // the installments before it were for the quantity with which it begins
		before.Usage.Quantity, before.Usage.Spans = y.Usage.Spans[0].Quantity, nil
	}
	before.Usage.Fraction = period.Fraction{Part: y.Days.From, Whole: y.Days.Of}
	was := Rate(before)
	left := was.Exact.Sub(was.Subtotal).WithoutTail()
	if len(y.Usage.Spans) == 0 { // one quotient: the sum of two, each without its tail, may be below half a minor unit
		y.Usage.Fraction = period.Fraction{Part: y.Days.To, Whole: y.Days.Of}
		left = Rate(y).Exact.Sub(was.Subtotal).Sub(a.Exact).WithoutTail()
	}
	if left.IsZero() {
		return
	}
	a.Exact = a.Exact.Add(left)
	a.Parts = append(a.Parts, rating.Part{Kind: rating.PartWorking, Name: "Rounding of earlier instalments", Amount: left})
}

// shareOut splits a subtotal over the groups that the invoice shows the price by,
// in proportion to their quantities (price models 8). It is empty for a price that
// is not shown by groups.
func shareOut(y Item, subtotal money.Decimal) []rating.Part {
	price := y.Interval.Price
	quantities := make([]money.Decimal, len(y.Groups))
	for k, cell := range y.Groups {
		quantities[k] = cell.Quantity
	}
	parts := make([]rating.Part, len(y.Groups))
	for k, amount := range money.Split(subtotal, quantities, price.Currency.MinorUnits()) {
		group := rating.Group{Key: *price.InvoiceGroupingKey, Value: y.Groups[k].Values[0]}
		parts[k] = rating.Part{Kind: rating.PartOther, Name: group.Name(), Quantity: quantities[k], Amount: amount, Group: &group}
	}
	return parts
}

// components is the sum of the prices that a composite one charges for in its own time, whatever documents
// carry them (price models 6.7.19). Of a price that is charged to date it is what each document added.
func components(of Item, together []Item, all []Amounts, was []*rating.Earlier, earlier []Charged) (sum money.Decimal) {
	counts := func(s subscription.ServicePeriod) bool {
		return ChargesFor(of.Interval.Price, s.Interval.Price) && of.Period.Contains(s.CountedAt())
	}
	for k, y := range together {
		if counts(y.ServicePeriod) {
			sum = sum.Add(all[k].Subtotal)
			if was[k] != nil {
				sum = sum.Sub(was[k].Subtotal)
			}
		}
	}
	for _, part := range earlier {
		if counts(part.ServicePeriod) {
			sum = sum.Add(part.Subtotal)
		}
	}
	return sum
}

// ChargesFor reports whether a composite price charges for another on its invoice
// (price models 6.6).
func ChargesFor(composite, other catalog.Price) bool {
	return other.Type != catalog.PriceComposite && other.Currency == composite.Currency &&
		rating.MatchesAll(composite.CompositeFilters, other.Priced())
}

// cover takes off what licenses cover, rounded as the subtotal is, so that usage that they
// cover whole costs nothing. It is counted at the rate of the price: a discount lowers what
// is left first.
func (a *Amounts) cover(y Item) {
	covered := rounded(y.Interval.Price, y.Covered)
	a.Covered = money.Min(covered, money.Max(a.Adjusted, money.Decimal{}))
}

// Left is what the customer is asked to pay, by credits or else.
func (a Amounts) Left() money.Decimal { return a.Adjusted.Sub(a.Covered) }

// Convert turns what is left of a price into the currency of the invoice, rounded
// once (price models 7.2).
func (a *Amounts) Convert(price catalog.Price, into money.Currency) {
	unpaid := a.Left().Sub(a.Credits)
	if price.Currency == into {
		a.Invoiced, a.Amount, a.Conversion = a.Subtotal, unpaid, []rating.Part{}
		return
	}
	rates := price.Conversion()
	left := rates.Convert(unpaid)
	a.Amount = into.Round(left.Subtotal.WithoutTail())
	a.Conversion = RoundParts(left.Parts, a.Amount, into)
	a.Invoiced = into.Round(rates.Convert(a.Subtotal).Subtotal.WithoutTail())
}

// RoundParts rounds the amounts of parts so that they sum to total.
func RoundParts(parts []rating.Part, total money.Decimal, currency money.Currency) []rating.Part {
	exact := make([]money.Decimal, len(parts))
	for k, p := range parts {
		exact[k] = p.Amount
	}
	rounded := make([]rating.Part, len(parts))
	for k, amount := range money.RoundAll(exact, total, currency.MinorUnits()) {
		rounded[k] = parts[k]
		rounded[k].Amount = amount
	}
	return rounded
}

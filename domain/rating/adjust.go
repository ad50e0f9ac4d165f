package rating

import (
	"cmp"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Line is a line of an invoice before adjustments.
type Line struct {
	Price    Priced
	Model    Model // nil if it was not rated: usage discounts pass it by
	Usage    Usage
	Subtotal money.Decimal // the sum of these, rounded to the minor unit
	Days     Days          // what it is for

	Earlier *Earlier // of a line that is charged to date: what earlier invoices charged; nil: nothing
}

// Earlier is what earlier invoices charged of a line that is charged to date. Adjustments that it
// shares with other lines work on what it adds to that.
type Earlier struct {
	Subtotal money.Decimal
	Applied  []Applied
	Until    int // the day of the billing period up to which they charged, exclusive
}

// Adjusted is a line after all adjustments.
type Adjusted struct {
	Subtotal money.Decimal // the subtotal of the line plus the amounts of all adjustments
	Applied  []Applied     // in the order of application
}

// Applied is the effect of an adjustment on a line, which may be 0.
type Applied struct {
	AdjustmentID string
	Kind         AdjustmentKind
	Amount       money.Decimal // added to the line: below 0 for discounts and maximums
	Before       money.Decimal // the amount of the line before the adjustment

	// Value is the value that was used: units and fractions as in the adjustment, an amount times
	// Fraction and rounded. With tiers it is 0.
	Value    money.Decimal
	Fraction period.Fraction // the part of a billing period that the lines cover

	Added bool          `json:",omitempty"` // it applied to what lines add to earlier invoices; Amount is to date
	Lines int           // the number of lines that share it
	Base  money.Decimal // the sum of their amounts before it
	Whole money.Decimal // the amount added to all of them

	Left  *money.Decimal // of UsageDiscount: the quantity that is still charged
	Bands []Part         // of TieredPercentageDiscount: the spend in each tier reached, with its discount
}

// After is the amount of the line after the adjustment.
func (a Applied) After() money.Decimal { return a.Before.Add(a.Amount) }

// Adjust applies adjustments, given in order of creation, to the lines of one invoice (price models
// 6.3 to 6.5). Each adjustment applies once, to all lines together that match its filters and that
// applies, unless nil, allows.
//
// Usage discounts come first, then amounts, percentages, minimums and maximums.
// In each step, adjustments of single prices come before those of the invoice, else in order of
// creation. Each applies to the result of the one before.
func Adjust(lines []Line, adjustments []Adjustment, applies func(adjustment, line int) bool) []Adjusted {
	sheet := make([]running, len(lines))
	for k, line := range lines {
		sheet[k] = running{Line: line, Adjusted: Adjusted{Subtotal: line.Subtotal}}
		sheet[k].resume(adjustments, func(a int) bool { return applies == nil || applies(a, k) })
	}
	for _, i := range inSteps(adjustments) {
		var on []*running
		for k := range sheet {
			if applies != nil && !applies(i, k) || !adjustments[i].worksOn(sheet[k].Line) {
				continue
			}
			if len(on) == 0 || on[0].Price.Currency == sheet[k].Price.Currency {
				on = append(on, &sheet[k])
			}
		}
		if len(on) > 0 {
			adjustments[i].work(on)
		}
	}
	adjusted := make([]Adjusted, len(sheet))
	for k, line := range sheet {
		adjusted[k] = line.Adjusted
	}
	return adjusted
}

// running is a line on its way through the adjustments.
type running struct {
	Line
	Adjusted
	free money.Decimal // units that usage discounts took off
	was  money.Decimal // of Adjusted.Subtotal, what earlier invoices charged
}

// resume begins with what earlier invoices charged. What shared adjustments did there that work
// on the line no more stays.
func (r *running) resume(adjustments []Adjustment, applies func(adjustment int) bool) {
	if r.Earlier == nil {
		return
	}
	r.was = r.Earlier.Subtotal
	for _, done := range r.Earlier.Applied {
		same := func(a Adjustment) bool { return a.ID == done.AdjustmentID }
		k := slices.IndexFunc(adjustments, same)
		if !done.shared() || k >= 0 && applies(k) && adjustments[k].worksOn(r.Line) {
			continue
		}
		done.Before = r.Adjusted.Subtotal
		r.Adjusted.Subtotal, r.was = r.Adjusted.Subtotal.Add(done.Amount), r.was.Add(done.Amount)
		r.Applied = append(r.Applied, done)
	}
}

// earlier is what an adjustment did to the line on earlier invoices.
func (r *running) earlier(id string) (amount money.Decimal, shared bool) {
	if r.Earlier == nil {
		return amount, false
	}
	for _, done := range r.Earlier.Applied {
		if done.AdjustmentID == id {
			amount, shared = amount.Add(done.Amount), shared || done.shared()
		}
	}
	return amount, shared
}

// shared reports whether the adjustment worked on several lines together.
func (a Applied) shared() bool { return a.Added || a.Lines > 1 && jointly(a.Kind) }

// jointly reports whether adjustments of a kind work on the sum of lines.
func jointly(kind AdjustmentKind) bool { return kind != UsageDiscount && kind != PercentageDiscount }

// adds reports whether the adjustment works on what lines add to earlier invoices: it is, or was
// there, shared with others.
func (a Adjustment) adds(on []*running) bool {
	return jointly(a.Kind) && slices.ContainsFunc(on, func(r *running) bool {
		_, shared := r.earlier(a.ID)
		return shared || len(on) > 1 && r.Earlier != nil
	})
}

// steps is the order of kinds.
var steps = map[AdjustmentKind]int{
	UsageDiscount:            1,
	AmountDiscount:           2,
	PercentageDiscount:       3,
	TieredPercentageDiscount: 3,
	Minimum:                  4,
	Maximum:                  5,
}

// inSteps returns the indices of adjustments in the order in which they work.
func inSteps(adjustments []Adjustment) []int {
	level := func(a Adjustment) int {
		if a.InvoiceLevel {
			return 1
		}
		return 0
	}
	order := make([]int, len(adjustments))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := adjustments[i], adjustments[j]
		return cmp.Or(cmp.Compare(steps[a.Kind], steps[b.Kind]), cmp.Compare(level(a), level(b)))
	})
	return order
}

// worksOn reports whether the adjustment can change such a line. None works on a
// custom unit, and usage discounts need a quantity of the price's own.
func (a Adjustment) worksOn(line Line) bool {
	if a.Kind == UsageDiscount && (line.Model == nil || line.Model.Needs().Composite) {
		return false
	}
	return money.Currency(line.Price.Currency).Valid() && a.Matches(line.Price)
}

// work applies the adjustment to lines of one currency, at least one.
func (a Adjustment) work(on []*running) {
	currency := money.Currency(on[0].Price.Currency)
	applied := Applied{AdjustmentID: a.ID, Kind: a.Kind, Value: a.Value, Lines: len(on)}
	applied.Added = a.adds(on)
	before := make([]money.Decimal, len(on)) // what it works on
	for k, line := range on {
		before[k] = line.Adjusted.Subtotal
		if applied.Added {
			before[k] = before[k].Sub(line.was)
		}
	}
	applied.Base = money.Sum(before...)
	if a.prorated() {
		applied.Fraction = proratedDays(on, applied.Added)
		applied.Value = currency.Round(share(a.Value, applied.Fraction))
	}

	var added []money.Decimal // to each line
	var left []*money.Decimal
	spread := func(whole money.Decimal) { added = money.Split(whole, before, currency.MinorUnits()) }
	switch a.Kind {
	case UsageDiscount:
		added, left = a.discountUsage(on)
	case AmountDiscount:
		spread(money.Min(applied.Value, positive(before)).Neg())
	case PercentageDiscount:
		for _, amount := range before {
			added = append(added, currency.Round(amount.Mul(a.Value)).Neg())
		}
	case TieredPercentageDiscount:
		var off money.Decimal
		off, applied.Bands = a.discountBands(applied.Base)
		spread(currency.Round(off).Neg())
	case Minimum:
		spread(above(applied.Value, applied.Base))
	case Maximum:
		spread(above(applied.Base, applied.Value).Neg())
	}

	applied.Whole = money.Sum(added...)
	for k, line := range on {
		own := applied
		was, _ := line.earlier(a.ID)
		own.Before, own.Amount = line.Adjusted.Subtotal, added[k]
		if applied.Added {
			own.Amount = own.Amount.Add(was)
		}
		if left != nil {
			own.Left = left[k]
		}
		line.Adjusted.Subtotal, line.was = own.After(), line.was.Add(was)
		line.Applied = append(line.Applied, own)
	}
}

// prorated reports whether the value is an amount for a full billing period.
func (a Adjustment) prorated() bool {
	return a.Kind == AmountDiscount || a.Kind == Minimum || a.Kind == Maximum
}

// discountUsage rates each line again with so many units fewer.
func (a Adjustment) discountUsage(on []*running) (added []money.Decimal, left []*money.Decimal) {
	for _, line := range on {
		line.free = line.free.Add(a.Value)
		rest := rateLess(line.Model, line.Usage, line.free)
		price := money.Currency(line.Price.Currency).Round(rest.Subtotal.WithoutTail())
		added = append(added, price.Sub(line.Adjusted.Subtotal))
		left = append(left, &rest.Quantity)
	}
	return added, left
}

// discountBands goes through the tiers that a spend reaches. Lines below 0 lower
// the spend; what lies outside all tiers is not discounted.
func (a Adjustment) discountBands(spend money.Decimal) (off money.Decimal, bands []Part) {
	for _, t := range a.Tiers {
		to := spend
		if t.UpperBound != nil {
			to = money.Min(spend, *t.UpperBound)
		}
		if to.Cmp(t.LowerBound) <= 0 {
			break
		}
		inside := to.Sub(t.LowerBound)
		band := Part{
			Name:     tierName(t.LowerBound, t.UpperBound),
			Quantity: inside,
			Rate:     t.Percentage.String(),
			Amount:   inside.Mul(t.Percentage),
		}
		off = off.Add(band.Amount)
		bands = append(bands, band)
	}
	return off, bands
}

// positive is the sum of the amounts above 0.
func positive(amounts []money.Decimal) (sum money.Decimal) {
	for _, amount := range amounts {
		sum = sum.Add(money.Max(amount, money.Decimal{}))
	}
	return sum
}

package rating

import (
	"cmp"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Line is a line of a document before adjustments.
type Line struct {
	Row      string // the price that it charges: lines of one row are one line to date; "": the line is a row of its own
	Price    Priced
	Model    Model // nil if it was not rated: usage discounts pass it by
	Usage    Usage
	Subtotal money.Decimal // the sum of these, rounded to the minor unit; to date, where Earlier says what was charged

	Earlier *Earlier // of a line that is charged to date: what earlier documents charged; nil: nothing
}

// Earlier is what earlier documents charged of a line that is charged to date.
type Earlier struct {
	Subtotal money.Decimal
	Applied  []Applied
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

	// Value is the value that was used: a fraction as in the adjustment, the units that a replaced price left of it,
	// an amount times Fraction and rounded. With tiers it is 0.
	Value    money.Decimal
	Fraction period.Fraction // the part of a full billing period that its period is

	Period  string        `json:",omitempty"` // the period that it was worked out over; "": the document alone
	Lines   int           // the number of prices that share it
	Base    money.Decimal // the sum of their amounts before it, over the period to date
	Whole   money.Decimal // the amount added to all of them, over the period to date
	Earlier money.Decimal // the part of Whole that earlier documents have

	Left  *money.Decimal // of UsageDiscount: the quantity that is still charged
	Bands []Part         // of TieredPercentageDiscount: the spend in each tier reached, with its discount
}

// After is the amount of the line after the adjustment.
func (a Applied) After() money.Decimal { return a.Before.Add(a.Amount) }

// Adjust applies adjustments, given in order of creation, to the lines of one document, which is the
// whole of a period (price models 6.3 to 6.5). Each adjustment applies once, to all lines together that
// match its filters and that applies, unless nil, allows. For periods of several documents see
// [AdjustPeriods].
func Adjust(lines []Line, adjustments []Adjustment, applies func(adjustment, line int) bool) []Adjusted {
	works := make([]Work, 0, len(adjustments))
	for i, a := range adjustments {
		w := Work{Adjustment: a}
		for k, line := range lines {
			if applies != nil && !applies(i, k) || !a.WorksOn(line) {
				continue
			}
			if len(w.Lines) == 0 || lines[w.Lines[0]].Price.Currency == line.Price.Currency {
				w.Lines = append(w.Lines, k)
			}
		}
		works = append(works, w)
	}
	return AdjustPeriods(lines, nil, works)
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

const firstStep, lastStep = 1, 5

// inSteps sorts works by the order in which they apply: usage discounts come first, then amounts,
// percentages, minimums and maximums. In each step, adjustments of single prices come before those of the
// invoice, else in order of creation (price models 6.3).
func inSteps(works []Work) []Work {
	level := func(a Adjustment) int {
		if a.InvoiceLevel {
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(works), func(a, b Work) int {
		return cmp.Or(cmp.Compare(steps[a.Kind], steps[b.Kind]), cmp.Compare(level(a.Adjustment), level(b.Adjustment)))
	})
}

// WorksOn reports whether the adjustment can change such a line. None works on a
// custom unit, and usage discounts need a quantity of the price's own.
func (a Adjustment) WorksOn(line Line) bool {
	if a.Kind == UsageDiscount && (line.Model == nil || line.Model.Needs().Composite) {
		return false
	}
	return money.Currency(line.Price.Currency).Valid() && a.Matches(line.Price)
}

// prorated reports whether the value is an amount for a full billing period.
func (a Adjustment) prorated() bool {
	return a.Kind == AmountDiscount || a.Kind == Minimum || a.Kind == Maximum
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

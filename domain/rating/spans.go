package rating

import (
	"fmt"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// rateSpans charges a fixed fee whose quantity changed: the amount of each quantity for a
// full period, weighed by its days (price models 5.4). All is divided once, by the days of
// the period. The quantity of the charge is that of the usage, the last one.
func rateSpans(m Model, u Usage) Charge {
	whole := u.Fraction.Whole
	sum := Charge{Quantity: u.Quantity}
	for _, span := range u.Spans {
		if span.Days == 0 { // changed again on the same day
			continue
		}
		one := u
		one.Spans, one.Quantity, one.Fraction = nil, span.Quantity, period.Fraction{}
		days := money.FromInt(int64(span.Days))
		for _, p := range Rate(m, one).Parts {
			p.Name += fmt.Sprintf(", for %d of %d days", span.Days, whole)
			p.Amount = p.Amount.Mul(days)
			sum.add(p)
		}
	}
	sum.prorate(period.Fraction{Part: 1, Whole: whole})
	return sum
}

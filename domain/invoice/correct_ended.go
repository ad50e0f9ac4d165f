package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// ended credits fees in advance for the days after their end, by line. Those of an
// interval are rounded together. A line that gave more for a decrease than its own days
// are worth leaves the others of its interval to give less.
func (b books) ended(t subscription.Terms, invoices []Invoice, now time.Time) (credits []taking) {
	for _, inv := range invoices {
		for _, l := range b.lines[inv.ID] {
			if l.IntervalID == nil || !inAdvance(inv, l) {
				continue
			}
			end, holds := l.StartAt, b.holds(t, l)
			if holds {
				s, _ := t.ServiceAt(*l.IntervalID, l.BilledFrom)
				if s.Interval.Price.Length().OneTime() {
					continue // it is not for a time
				}
				end = s.Period.End
			}
			if !end.Before(l.EndAt) || end.After(now) {
				continue
			}
			rest := days(period.Period{Start: end, End: l.EndAt}, t)
			credits = append(credits, taking{Line: l, Amount: b.unused(l, rest, t), Period: rest, Undone: !holds})
		}
	}
	roundTogether(credits, t.Currency)
	given := map[string]money.Decimal{} // too much, by interval
	for k, c := range credits {
		credits[k].Amount = money.Min(c.Amount, b.left(c.Line))
		if c.Amount.Sign() < 0 {
			given[*c.Line.IntervalID] = given[*c.Line.IntervalID].Sub(c.Amount)
		}
	}
	credits = slices.DeleteFunc(credits, func(c taking) bool { return c.Amount.Sign() <= 0 })
	for k := range credits {
		of := *credits[k].Line.IntervalID
		less := money.Min(credits[k].Amount, given[of])
		credits[k].Amount, given[of] = credits[k].Amount.Sub(less), given[of].Sub(less)
	}
	return slices.DeleteFunc(credits, func(c taking) bool { return c.Amount.IsZero() })
}

// roundTogether rounds what is taken back of lines, so that for each interval it sums to
// the rounded sum.
func roundTogether(all []taking, currency money.Currency) {
	places := map[string][]int{}
	for k, c := range all {
		places[*c.Line.IntervalID] = append(places[*c.Line.IntervalID], k)
	}
	for _, at := range places {
		var sum money.Decimal
		exact := make([]money.Decimal, len(at))
		for n, k := range at {
			exact[n], sum = all[k].Amount.WithoutTail(), sum.Add(all[k].Amount)
		}
		for n, amount := range money.RoundAll(exact, currency.Round(sum.WithoutTail()), currency.MinorUnits()) {
			all[at[n]].Amount = amount
		}
	}
}

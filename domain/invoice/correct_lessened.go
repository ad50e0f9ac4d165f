package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// lessened credits fees in advance whose quantity became less, the newest lines
// first (semantics 6.3.6). An increase that is still to be charged is newer than any
// line: it gives when it is.
func (b books) lessened(t subscription.Terms, invoices []Invoice, now time.Time) (credits []taking) {
	for _, i := range t.Intervals {
		lines := slices.DeleteFunc(b.linesInAdvance(i, invoices), func(l Line) bool { return !b.holds(t, l) })
		if len(lines) == 0 {
			continue
		}
		due := map[time.Time]money.Decimal{} // by the day from which there is less
		coming := b.uncharged(t, i, lines[len(lines)-1].StartAt, now)
		for _, s := range t.Decreases(i, lines[len(lines)-1].StartAt, now) {
			rest := days(s.Period, t)
			due[rest.Start] = due[rest.Start].Sub(chargeAlone(t, s))
			of := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !covers(t, l, rest.Start) })
			less := due[rest.Start].Sub(b.takenFrom(t, of, rest.Start))
			less = less.Sub(coming.give(less, s.Period.Start))
			for _, l := range of {
				if amount := money.Min(less, b.left(l)); amount.Sign() > 0 {
					credits = append(credits, b.take(l, amount, rest))
					less = less.Sub(amount)
				}
			}
		}
	}
	return credits
}

// covers reports whether what a line charges goes on, as the terms are, over the day that
// begins then: where a fee ended and goes on, another line charges the days from there.
func covers(t subscription.Terms, l Line, day time.Time) bool {
	s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
	return found && days(s.Period, t).Contains(day)
}

// reserve is what charges that are not made yet can give to decreases.
type reserve []charging

type charging struct {
	Period period.Period
	Left   money.Decimal
}

// uncharged are the increases of an interval, from an instant up to now, that no invoice
// has.
func (b books) uncharged(t subscription.Terms, i subscription.PriceInterval, from, now time.Time) (all reserve) {
	for _, s := range t.Charges(i, from, now) {
		if s.Before != nil && !s.Decrease() && !b.has(s) {
			all = append(all, charging{s.Period, chargeAlone(t, s)})
		}
	}
	return all
}

// give takes up to an amount from those that contain the instant, and returns how much.
func (r reserve) give(most money.Decimal, at time.Time) (given money.Decimal) {
	for k, c := range r {
		if part := money.Min(most.Sub(given), c.Left); c.Period.Contains(at) && part.Sign() > 0 {
			r[k].Left, given = c.Left.Sub(part), given.Add(part)
		}
	}
	return given
}

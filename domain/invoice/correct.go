package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// corrections are what is to be done about issued invoices that say something else
// than the terms of their subscription, since those changed.
type corrections struct {
	Replace []Invoice // void, with what still holds on another invoice of the date
	Credits []taking  // in the order in which credit notes are made
	Undone  []Line    // that charged nothing, so that there is nothing to credit
}

func (c corrections) none() bool { return len(c.Replace) == 0 && len(c.Credits) == 0 }

// taking is what is taken back of a line.
type taking struct {
	Line   Line
	Amount money.Decimal // above 0, in the currency of the invoice
	Period period.Period // whole local days that are not served

	Automatic bool // a change of the subscription took it
	Undone    bool // the line charges nothing any more
}

// correct compares issued invoices with the terms, as of now. A fee in advance that
// ended early is credited for the rest of its days, one that became less for the
// difference. An invoice with usage that is billed otherwise, or with a fee for a time
// that is not billed at all, is replaced; if it is paid, such a fee is credited whole
// and such usage a fault. Of what is credited already no day is credited again.
func correct(t subscription.Terms, b books, now time.Time) (corrections, error) {
	var c corrections
	b.respread(t)
	for _, inv := range b.issued {
		wrong, err := b.misplaced(t, inv)
		if err != nil {
			return c, err
		}
		if wrong {
			c.Replace = append(c.Replace, inv)
		}
	}
	kept := slices.DeleteFunc(slices.Clone(b.issued), func(inv Invoice) bool {
		return slices.ContainsFunc(c.Replace, func(r Invoice) bool { return r.ID == inv.ID })
	})
	c.Credits = append(b.lessened(t, kept, now), b.ended(t, kept, now)...)
	c.Undone = b.worthless(kept)
	c.correctPartial(t, b)
	return c, nil
}

// misplaced reports whether an invoice has to be replaced.
func (b books) misplaced(t subscription.Terms, inv Invoice) (bool, error) {
	for _, l := range b.lines[inv.ID] {
		if l.IntervalID == nil {
			continue
		}
		if inAdvance(inv, l) {
			if !b.undone[l.ID] && !b.holds(t, l) && inv.Status == StatusIssued {
				return true, nil
			}
			continue
		}
		s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
		if found && s.Period.End.Equal(l.EndAt) && s.BilledOn.Equal(inv.InvoiceDate) && sameQuantity(s, l) && !b.adjusted[l.ID] {
			continue
		}
		if inv.Status != StatusIssued {
			return false, fault.Refused("invoice %s, which is %s, charges for a time that would not be billed so any more", *inv.Number, inv.Status)
		}
		return true, nil
	}
	return false, nil
}

// inAdvance reports whether a line was charged at the beginning of its time.
func inAdvance(inv Invoice, l Line) bool { return l.EndAt.After(inv.InvoiceDate) }

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

// days widens a time to whole local days: the day of a change belongs to what comes
// after it (semantics 1.1.14).
func days(p period.Period, t subscription.Terms) period.Period {
	loc := t.Customer.Location()
	return period.Period{Start: period.DateOf(p.Start, loc).In(loc), End: period.DateOf(p.End, loc).In(loc)}
}

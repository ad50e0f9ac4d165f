package billing

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// advanceFee is a fee in advance from where it is charged on, at the beginning of a cycle or
// where it goes on after an end, with the changes of its quantity from there. All of them
// reach to the same end. What its lines are to keep follows from the terms alone, so it
// does not matter by which changes these became what they are.
type advanceFee struct {
	currency money.Currency
	charges  []advanceCharge    // the newest last
	back     []invoice.Reversal // what lines are to give back by now, but for what they gave
	later    []invoice.Reversal // what they are to give back at an end that is ahead
	gave     money.Decimal      // what changes took back of the lines by now, in whole minor units
	short    []shortage         // what decreases are worth beyond what the charges are
}

// advanceCharge is a charge of an advance fee.
type advanceCharge struct {
	Line  *invoice.Line // nil: no invoice has it, or a void one
	Start time.Time     // of its days: the discounts of this instant hold for what it gives back
	Left  money.Decimal // of what it is worth up to the end of the fee, and of what clients left of it
	Held  money.Decimal // what clients left of the line: its amount less their credit notes, at least 0
	Taken money.Decimal // what decreases take of it
	Whole money.Decimal // Left, whatever clients credited
}

// creditsOwed returns what the lines that hold are to give back: for decreases, and for days
// after an end. Those that gave more than the terms take back it notes as lacking, since
// they do not hold any more.
func (b history) creditsOwed(t subscription.Terms, invoices []invoice.Invoice, now time.Time) (less, ended []invoice.Reversal) {
	for b.markOverCredited(b.asGiven().allAdvanceFees(t, invoices, now)) {
		continue
	}
	for _, s := range b.allAdvanceFees(t, invoices, now) {
		for _, part := range b.upToLeft(s.amountsToCredit()) {
			if part.Ended {
				ended = append(ended, part)
			} else {
				less = append(less, part)
			}
		}
	}
	return less, ended
}

// allAdvanceFees are the fees of a subscription that have lines, and lines in arrears that give back what those
// cannot.
func (b history) allAdvanceFees(t subscription.Terms, invoices []invoice.Invoice, now time.Time) (all []advanceFee) {
	for _, i := range t.Intervals {
		all = append(all, b.advanceFees(t, i, invoices, now)...)
	}
	all = b.spreadShortages(t, invoices, all)
	for k := range all {
		all[k].limitUnused()
		all[k].lessCreditsIssued(b)
	}
	return all
}

// upToLeft limits parts to what is left of their lines. Parts of one line that are rounded up can exceed it
// by a minor unit.
func (b history) upToLeft(parts []invoice.Reversal) (limited []invoice.Reversal) {
	left := map[string]money.Decimal{}
	for _, part := range parts {
		if _, known := left[part.Line.ID]; !known {
			left[part.Line.ID] = b.Left(part.Line)
		}
		part.Amount = money.Min(part.Amount, left[part.Line.ID])
		if part.Amount.Sign() > 0 {
			left[part.Line.ID] = left[part.Line.ID].Sub(part.Amount)
			limited = append(limited, part)
		}
	}
	return limited
}

// asGiven are the books without what clients credited of a line after changes did: what
// these gave was right by then.
func (b history) asGiven() history {
	b.Credits = maps.Clone(b.Credits)
	for id, taken := range b.Credits {
		for len(taken) > 0 && !taken[len(taken)-1].Automatic {
			taken = taken[:len(taken)-1]
		}
		b.Credits[id] = taken
	}
	return b
}

// advanceFees are those of an interval that have lines.
func (b history) advanceFees(t subscription.Terms, i subscription.PriceInterval, invoices []invoice.Invoice, now time.Time) (all []advanceFee) {
	lines := slices.DeleteFunc(b.linesInAdvance(i, invoices), func(l invoice.Line) bool { return !b.matchesTerms(t, l) })
	if len(lines) == 0 || i.Price.Length().OneTime() || i.Price.Allocation != nil { // which are not charged for a time
		return nil
	}
	for _, s := range t.Charges(i, lines[len(lines)-1].StartAt, now) {
		if s.Before == nil {
			all = append(all, advanceFee{currency: t.Currency})
		}
		at := &all[len(all)-1]
		if s.Decrease() {
			rest := days(s.Period, t)
			left := at.applyDecrease(rest, func(charged time.Time) money.Decimal {
				return charge.CalculateAlone(charge.AsCharged(t, s, charged), s).Neg()
			})
			if left.Sign() > 0 {
				at.short = append(at.short, shortage{s, rest, left})
			}
			continue
		}
		of := slices.DeleteFunc(slices.Clone(lines), func(l invoice.Line) bool { return !l.BilledFrom.Equal(s.From) })
		if len(of) == 0 {
			alone := charge.CalculateAlone(t, s)
			at.charges = append(at.charges, advanceCharge{Start: s.Period.Start, Left: alone, Whole: alone})
		}
		for _, l := range of {
			at.add(l, b, t, s.Period.End, now)
		}
	}
	return all
}

// add puts a line on top of a fee that ends then.
func (s *advanceFee) add(l invoice.Line, b history, t subscription.Terms, end, now time.Time) {
	served, rest := period.Period{Start: l.StartAt, End: end}, period.Period{Start: end, End: l.EndAt}
	held := b.uncreditedByClients(l)
	s.charges = append(s.charges, advanceCharge{
		Line: &l, Start: l.StartAt, Left: money.Min(b.worth(l, days(served, t), t), held), Held: held,
		Whole: spread(l.Amount, period.Period{Start: l.StartAt, End: l.EndAt}, days(served, t), t),
	})
	if rest = days(rest, t); rest.Empty() {
		return
	}
	unused := invoice.Reversal{Line: l, Amount: b.worth(l, rest, t), Period: rest, Ended: true}
	if end.After(now) {
		s.later = append(s.later, unused)
	} else {
		s.back = append(s.back, unused)
	}
}

// limitUnused limits what lines give back for the days after an end to what is left of them: a client
// may have credited the whole of a line for a few days, or for days outside of it (semantics 6.3.5).
func (s *advanceFee) limitUnused() {
	for _, parts := range [][]invoice.Reversal{s.back, s.later} {
		for k, part := range parts {
			if !part.Ended {
				continue
			}
			for _, c := range s.charges {
				if c.Line != nil && c.Line.ID == part.Line.ID {
					parts[k].Amount = money.Min(part.Amount, c.Held.Sub(c.Taken))
				}
			}
		}
	}
}

// applyDecrease takes what a decrease is worth for its days off the newest charges first
// (semantics 6.3.6). The worth depends on the start of the charge that gives it back, since discounts
// come and go. What no invoice has yet gives when one does. It returns what the decrease is worth beyond all
// charges, whatever clients credited of these.
func (s *advanceFee) applyDecrease(rest period.Period, worth func(charged time.Time) money.Decimal) (short money.Decimal) {
	var amount, whole money.Decimal // left of the decrease, and all of it, by the last charge
	for k := len(s.charges) - 1; k >= 0; k-- {
		c := &s.charges[k]
		switch now := worth(c.Start); {
		case now.Sign() <= 0: // it is charged for nothing
			continue
		case whole.Sign() == 0:
			amount, short, whole = now, now, now
		case !now.Equal(whole):
			amount, short, whole = amount.Mul(now).Quo(whole), short.Mul(now).Quo(whole), now
		}
		charged := money.Max(money.Min(short, c.Whole), money.Decimal{})
		c.Whole, short = c.Whole.Sub(charged), short.Sub(charged)
		part := money.Min(amount, c.Left)
		if part.Sign() <= 0 {
			continue
		}
		c.Left, c.Taken, amount = c.Left.Sub(part), c.Taken.Add(part), amount.Sub(part)
		if c.Line != nil {
			s.back = append(s.back, invoice.Reversal{Line: *c.Line, Amount: part, Period: rest})
		}
	}
	return short
}

// lessCreditsIssued takes off what changes took back of the lines before, where they did so for the
// days from the same on if that is to be.
func (s *advanceFee) lessCreditsIssued(b history) {
	for _, c := range s.charges {
		if c.Line == nil {
			continue
		}
		for _, taken := range b.Credits[c.Line.ID] {
			if !taken.Automatic {
				continue
			}
			at := slices.IndexFunc(s.back, func(due invoice.Reversal) bool {
				return due.Line.ID == c.Line.ID && due.Period.Start.Equal(taken.Period.Start)
			})
			if at < 0 {
				at = len(s.back)
				s.back = append(s.back, invoice.Reversal{Line: *c.Line, Period: taken.Period})
			}
			s.back[at].Amount = s.back[at].Amount.Sub(taken.Amount)
			s.gave = s.gave.Add(taken.Amount)
		}
	}
}

// markOverCredited looks for a line that lacks something, and notes it.
func (b history) markOverCredited(all []advanceFee) bool {
	for _, s := range all {
		if l, found := s.overCredited(); found {
			b.overCredited[l.ID] = true
			return true
		}
	}
	return false
}

// overCredited is the newest line that gave more than it is to, where the lines did so together.
func (s advanceFee) overCredited() (invoice.Line, bool) {
	var sum money.Decimal
	ofLine := map[string]money.Decimal{}
	for _, part := range slices.Concat(s.back, s.later) {
		sum, ofLine[part.Line.ID] = sum.Add(part.Amount), ofLine[part.Line.ID].Add(part.Amount)
	}
	if s.unsettled(sum).Sign() >= 0 {
		return invoice.Line{}, false
	}
	for _, c := range slices.Backward(s.charges) {
		if c.Line != nil && ofLine[c.Line.ID].Sign() < 0 {
			return *c.Line, true
		}
	}
	return invoice.Line{}, false
}

// unsettled is what the lines are still to give, in whole minor units: negative if they
// gave too much. The sum of back, exact, is what they are to give less what they gave. Only
// what they are to give is rounded, as it was when they gave it: half a cent that was
// credited as a whole one is not half a cent too much.
func (s advanceFee) unsettled(sum money.Decimal) money.Decimal {
	return s.currency.Round(sum.Add(s.gave).WithoutTail()).Sub(s.gave)
}

// amountsToCredit is what is left to give back, rounded together. What a line gave too much it
// gives less of for other days, and then the other lines do.
func (s advanceFee) amountsToCredit() []invoice.Reversal {
	var sum money.Decimal
	for _, part := range s.back {
		sum = sum.Add(part.Amount)
	}
	total := s.unsettled(sum)
	if total.Sign() <= 0 {
		return nil
	}
	for _, sameLine := range []bool{true, false} {
		for k := range s.back {
			for n := range s.back {
				more, less := &s.back[k], &s.back[n]
				if more.Amount.Sign() > 0 && less.Amount.Sign() < 0 && (!sameLine || more.Line.ID == less.Line.ID) {
					part := money.Min(more.Amount, less.Amount.Neg())
					more.Amount, less.Amount = more.Amount.Sub(part), less.Amount.Add(part)
				}
			}
		}
	}
	exact := make([]money.Decimal, len(s.back))
	for k, part := range s.back {
		exact[k] = part.Amount.WithoutTail()
	}
	for k, amount := range money.RoundAll(exact, total, s.currency.MinorUnits()) {
		s.back[k].Amount = amount
	}
	return slices.DeleteFunc(s.back, func(part invoice.Reversal) bool { return part.Amount.Sign() <= 0 })
}

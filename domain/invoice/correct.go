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
	Undone  []Line    // of which nothing is left to credit
}

// opens reports whether lines are taken away whole, whose services may be billed again.
func (c corrections) opens() bool {
	return len(c.Replace)+len(c.Undone) > 0 || slices.ContainsFunc(c.Credits, func(t taking) bool { return t.Undone })
}

func (c corrections) none() bool { return len(c.Replace) == 0 && len(c.Credits) == 0 }

// taking is what is taken back of a line.
type taking struct {
	Line   Line
	Amount money.Decimal // in the currency of the invoice, above 0 once it is settled
	Period period.Period // whole local days that are not served

	Automatic bool // a change of the subscription took it
	Undone    bool // the line charges nothing any more
	Ended     bool // it is for the days after an end
}

// correct compares issued invoices with the terms, as of now. A fee in advance that
// ended early is credited for the rest of its days, one that became less for the
// difference. An invoice with usage that is billed otherwise, or with a fee for a time
// that is not billed at all, is replaced; if it is paid, such a fee is credited whole
// and such usage a fault. Of what is credited already no day is credited again.
func correct(t subscription.Terms, b books, now time.Time) (c corrections, err error) {
	kept := slices.Clone(b.issued)
	var less, ended []taking
	for known := -1; known != b.faulted()+len(c.Replace); { // each that is found may show others
		known = b.faulted() + len(c.Replace)
		less, ended = b.reckon(t, kept, now)
		b.respread(t)
		for _, inv := range slices.Clone(kept) {
			wrong, err := b.misplaced(t, inv)
			if err != nil {
				return c, err
			}
			if wrong {
				c.Replace = append(c.Replace, inv)
				kept = slices.DeleteFunc(kept, func(k Invoice) bool { return k.ID == inv.ID })
			}
		}
	}
	gone, undone := b.gone(t, kept, now)
	c.Credits, c.Undone = append(less, b.inOrder(append(ended, gone...))...), undone
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
		if found && s.Period.End.Equal(l.EndAt) && s.BilledOn.Equal(inv.InvoiceDate) && sameArrears(t, s, l) && !b.adjusted[l.ID] {
			continue
		}
		if b.splitByQuantity(t, inv, l) && !b.adjusted[l.ID] {
			continue
		}
		if inv.Status != StatusIssued {
			return false, fault.Refused("invoice %s, which is %s, charges for a time that would not be billed so any more", *inv.Number, inv.Status)
		}
		return true, nil
	}
	return false, nil
}

// gone credits the lines whole that do not hold, and tells those that have nothing left.
func (b books) gone(t subscription.Terms, invoices []Invoice, now time.Time) (credits []taking, empty []Line) {
	for _, inv := range invoices {
		for _, l := range b.lines[inv.ID] {
			if l.IntervalID == nil || !inAdvance(inv, l) || l.StartAt.After(now) || b.holds(t, l) {
				continue
			}
			switch left := b.left(l); {
			case left.Sign() > 0:
				whole := period.Period{Start: l.StartAt, End: l.EndAt}
				credits = append(credits, taking{Line: l, Amount: left, Period: days(whole, t), Undone: true})
			case !b.undone[l.ID]:
				empty = append(empty, l)
			}
		}
	}
	return credits, empty
}

// inOrder sorts what is taken back by invoice and line.
func (b books) inOrder(all []taking) []taking {
	place := map[string]int{}
	for _, inv := range b.issued {
		for _, l := range b.lines[inv.ID] {
			place[l.ID] = len(place)
		}
	}
	slices.SortStableFunc(all, func(x, y taking) int { return place[x.Line.ID] - place[y.Line.ID] })
	return all
}

// inAdvance reports whether a line was charged at the beginning of its time.
func inAdvance(inv Invoice, l Line) bool { return l.EndAt.After(inv.InvoiceDate) }

// days widens a time to whole local days: the day of a change belongs to what comes
// after it (semantics 1.1.14).
func days(p period.Period, t subscription.Terms) period.Period {
	loc := t.Customer.Location()
	return period.Period{Start: period.DateOf(p.Start, loc).In(loc), End: period.DateOf(p.End, loc).In(loc)}
}

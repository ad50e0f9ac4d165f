package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store/fault"
)

// corrections are what is to be done about issued invoices that say something else
// than the terms of their subscription, since those changed.
type corrections struct {
	Replace []invoice.Invoice  // void, with what still holds on another invoice of the date
	Credits []invoice.Reversal // in the order in which credit notes are made
	Undone  []invoice.Line     // of which nothing is left to credit
}

// opens reports whether lines are taken away whole, whose services may be billed again.
func (c corrections) opens() bool {
	return len(c.Replace)+len(c.Undone) > 0 || slices.ContainsFunc(c.Credits, func(t invoice.Reversal) bool { return t.Undone })
}

func (c corrections) none() bool { return len(c.Replace) == 0 && len(c.Credits) == 0 }

// correct compares issued invoices with the terms, as of now. A fee in advance that
// ended early is credited for the rest of its days, one that became less for the
// difference. An invoice with usage that is billed otherwise, or with a fee for a time
// that is not billed at all, is replaced; if it is paid, such a fee is credited whole
// and such usage a fault. Of what is credited already no day is credited again.
func correct(t subscription.Terms, b history, now time.Time) (c corrections, err error) {
	kept := slices.Clone(b.Issued)
	var less, ended []invoice.Reversal
	for known := -1; known != b.invalidLines()+len(c.Replace); { // each that is found may show others
		known = b.invalidLines() + len(c.Replace)
		less, ended = b.creditsOwed(t, kept, now)
		b.markSharedAdjustmentsChanged(t)
		for _, inv := range slices.Clone(kept) {
			wrong, err := b.mustBeReplaced(t, inv)
			if err != nil {
				return c, err
			}
			if wrong || b.goesOnFrom(t, inv, c.Replace) {
				c.Replace = append(c.Replace, inv)
				kept = slices.DeleteFunc(kept, func(k invoice.Invoice) bool { return k.ID == inv.ID })
			}
		}
	}
	gone, undone := b.obsoleteLines(t, kept, now)
	c.Credits, c.Undone = append(less, b.inOrder(append(ended, gone...))...), undone
	c.correctPartial(t, b)
	return c, nil
}

// mustBeReplaced reports whether an invoice has to be replaced.
func (b history) mustBeReplaced(t subscription.Terms, inv invoice.Invoice) (bool, error) {
	for _, l := range b.Lines[inv.ID] {
		if _, lapsed := b.lapsed[l.ID]; lapsed || l.IntervalID == nil { // refundLapsed corrects those
			continue
		}
		if invoice.InAdvance(inv, l) {
			if !b.Reversed[l.ID] && !b.matchesTerms(t, l) && inv.Status == invoice.StatusIssued {
				return true, nil
			}
			continue
		}
		s, found := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
		if found && s.Period.End.Equal(l.EndAt) && s.BilledOn.Equal(inv.InvoiceDate) && sameArrears(t, s, l) && !b.adjusted[l.ID] {
			continue
		}
		if b.splitByQuantity(t, inv, l) && !b.adjusted[l.ID] {
			continue
		}
		if inv.Status != invoice.StatusIssued {
			return false, fault.Refused("invoice %s, which is %s, charges for a time that would not be billed so any more", *inv.Number, inv.Status)
		}
		return true, nil
	}
	return false, nil
}

// goesOnFrom reports whether an unpaid invoice counts with what an earlier one charged, which is replaced: it
// charged the rest of a period, or of a cycle to date (price models 6.7.24). What is paid stays. The next document
// of the period has the difference then.
func (b history) goesOnFrom(t subscription.Terms, inv invoice.Invoice, replaced []invoice.Invoice) bool {
	return inv.Status == invoice.StatusIssued && slices.ContainsFunc(replaced, func(old invoice.Invoice) bool {
		return inv.InvoiceDate.After(old.InvoiceDate) && invoice.GoesOnFrom(t, inv, b.Lines[inv.ID], b.Lines[old.ID])
	})
}

// obsoleteLines credits the lines whole that do not hold, and tells those that have nothing left.
func (b history) obsoleteLines(t subscription.Terms, invoices []invoice.Invoice, now time.Time) (credits []invoice.Reversal, empty []invoice.Line) {
	for _, inv := range invoices {
		for _, l := range b.Lines[inv.ID] {
			if _, lapsed := b.lapsed[l.ID]; lapsed || l.IntervalID == nil || !invoice.InAdvance(inv, l) || l.StartAt.After(now) || b.matchesTerms(t, l) {
				continue
			}
			switch left := b.Left(l); {
			case left.Sign() > 0:
				whole := period.Period{Start: l.StartAt, End: l.EndAt}
				credits = append(credits, invoice.Reversal{Line: l, Amount: left, Period: days(whole, t), Undone: true})
			case !b.Reversed[l.ID]:
				empty = append(empty, l)
			}
		}
	}
	return credits, empty
}

// inOrder sorts what is taken back by invoice and line.
func (b history) inOrder(all []invoice.Reversal) []invoice.Reversal {
	place := map[string]int{}
	for _, inv := range b.Issued {
		for _, l := range b.Lines[inv.ID] {
			place[l.ID] = len(place)
		}
	}
	slices.SortStableFunc(all, func(x, y invoice.Reversal) int { return place[x.Line.ID] - place[y.Line.ID] })
	return all
}

// days widens a time to whole local days: the day of a change belongs to what comes
// after it (semantics 1.1.14).
func days(p period.Period, t subscription.Terms) period.Period {
	loc := t.Customer.Location()
	return period.Period{Start: period.DateOf(p.Start, loc).In(loc), End: period.DateOf(p.End, loc).In(loc)}
}

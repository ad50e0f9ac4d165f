package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/backfill"
	"tollkeeper/domain/event"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/license"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// recompute computes the lines of an invoice again, by the one path from usage to money
// and the terms of its issue, and compares. It leaves alone what cannot be known any more:
// usage that came, changed or was replaced since the issue; it is not known then. What is
// known it has the reference model work out too, if asked.
func (v *Verified) recompute(tx *store.Tx, view invoice.View, refer bool, note func(document, wrong string, args ...any)) (known bool, err error) {
	if err := v.checkEarlier(tx, view, note); err != nil {
		return false, err
	}
	view, services, known, err := atIssue(tx, view)
	if err != nil || !known {
		return false, err
	}
	for _, s := range services {
		same, err := usageHeld(tx, view, s.Interval, s.Period)
		if err == nil && same {
			same, err = licensesHeld(tx, view, s)
		}
		if err != nil || !same {
			return false, err
		}
	}
	was, err := invoice.PriorCharges(tx, view.Terms, view.Invoice, services)
	if err != nil || was.Void {
		return false, err
	}
	now, err := recomputeLines(tx, view, services, was)
	if err != nil {
		return false, err
	}
	v.Recomputed++
	other := otherRule(view)
	for _, l := range view.Lines {
		k := slices.IndexFunc(now, func(a invoice.Line) bool { return a.ID == l.ID })
		if k < 0 || l.Prorated && !now[k].Prorated && granted(services, l) {
			continue
		}
		for _, figure := range []struct {
			name     string
			is, must money.Decimal
		}{
			{"quantity", l.Quantity, now[k].Quantity},
			{"subtotal", l.Subtotal, now[k].Subtotal},
			{"adjusted subtotal", l.AdjustedSubtotal, now[k].AdjustedSubtotal},
			{"part that licenses cover", l.LicenseCredits, now[k].LicenseCredits},
			{"amount", l.Amount, now[k].Amount},
		} {
			if other.differs(l, figure.name) {
				continue
			}
			if !figure.is.WithoutTail().Equal(figure.must.WithoutTail()) {
				note(view.ID, "line %s: the %s is %s, but %s computed from events and prices", l.ID, figure.name, figure.is, figure.must)
			}
		}
	}
	if !refer {
		return true, nil
	}
	return true, v.refer(tx, view, services, note)
}

// granted reports whether a line is the fee of an allocation. That was prorated once.
func granted(services []subscription.ServicePeriod, l invoice.Line) bool {
	return slices.ContainsFunc(services, func(s subscription.ServicePeriod) bool {
		return l.IntervalID != nil && s.Interval.ID == *l.IntervalID && s.Interval.Price.Allocation != nil
	})
}

// recomputeLines works the lines of an invoice out as of now.
func recomputeLines(tx *store.Tx, v invoice.View, services []subscription.ServicePeriod, was invoice.Prior) ([]invoice.Line, error) {
	paid, err := creditsAtIssue(tx, v, services, was)
	if err != nil {
		return nil, err
	}
	if v.Source == invoice.SourcePartial {
		return thresholdLinesOn(tx, v.Terms, v.Invoice, services, was, paid)
	}
	more, err := invoice.Extras(tx, []string{v.ID})
	if err != nil {
		return nil, err
	}
	return invoice.LinesOn(tx, v.Terms, v.Invoice, services, was, paid, more(v.Invoice))
}

// creditsAtIssue is what credits paid of the lines. Lines of a partial invoice say themselves what
// they were to pay, those of a void one what was given back since, and so do those of which a later part gave
// something back.
func creditsAtIssue(tx *store.Tx, v invoice.View, services []subscription.ServicePeriod, was invoice.Prior) (map[string]money.Decimal, error) {
	paid := map[string]money.Decimal{}
	for _, l := range v.Lines {
		paid[l.ID] = l.CreditsApplied
	}
	for k, s := range services {
		id := invoice.LineID(v.ID, s)
		paid[id] = paid[id].Sub(was.Of[k].Credits) // those are counted with them
	}
	if v.Source == invoice.SourcePartial || v.Status == invoice.StatusVoid {
		return paid, nil
	}
	now, err := invoice.CreditsFor(tx, v.Terms, v.Invoice, services)
	for _, s := range services {
		inParts := s.Interval.Price.InvoicingLength() != s.Interval.Price.Length()
		if id := invoice.LineID(v.ID, s); inParts && now[id].Cmp(paid[id]) < 0 { // a later part gave it back: see WrongCredits
			now[id] = paid[id]
		}
	}
	return now, err
}

// checkEarlier compares what lines took off with what earlier invoices charged of their
// time, unless one of those was made void: whether it was void before is not known.
func (v *Verified) checkEarlier(tx *store.Tx, view invoice.View, note func(document, wrong string, args ...any)) error {
	services := make([]subscription.ServicePeriod, len(view.Lines))
	for k, l := range view.Lines {
		services[k] = serviceOf(l)
	}
	all, err := invoice.EarlierAmounts(tx, view.Terms, view.Invoice, services)
	for k, was := range all {
		if l := view.Lines[k]; !was.Void && !l.PartiallyInvoicedAmount.Equal(was.Amount) {
			note(view.ID, "line %s: takes off %s for earlier invoices, which charged %s", l.ID, l.PartiallyInvoicedAmount, was.Amount)
		}
	}
	return err
}

// serviceOf is what a line charges, as far as earlier invoices go.
func serviceOf(l invoice.Line) (s subscription.ServicePeriod) {
	s.Period, s.From = period.Period{Start: l.StartAt, End: l.EndAt}, l.BilledFrom
	if l.IntervalID != nil {
		s.Interval.ID = *l.IntervalID
	}
	return s
}

// atIssue shows an invoice with the terms that it was issued by, and tells the services
// that its lines are for; of a partial one with those that were to be charged later. Both are
// unknown of what was issued when terms, or the events that it counts, were not kept yet.
func atIssue(tx *store.Tx, v invoice.View) (then invoice.View, services []subscription.ServicePeriod, known bool, err error) {
	if v.SubscriptionID == nil {
		return v, nil, true, nil
	}
	partial := v.Source == invoice.SourcePartial
	if v.Revision == nil || partial && v.Seen == nil {
		return v, nil, false, nil
	}
	if v.Terms, known, err = subscription.FindRevision(tx, v.Terms, *v.Revision); err != nil || !known {
		return v, nil, false, err
	}
	for _, l := range v.Lines {
		if l.IntervalID == nil {
			continue
		}
		s, found := v.Terms.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
		if !found || !s.Period.Start.Equal(l.StartAt) || !partial && !s.Period.End.Equal(l.EndAt) {
			return v, nil, false, nil
		}
		services = append(services, s)
	}
	if partial {
		return v, v.Terms.Accruing(v.InvoiceDate), true, nil
	}
	return v, services, v.OfChange || len(services) == len(invoice.BilledBy(v.Terms, v.Invoice)), nil
}

// underWay is longer than a transaction is under way.
const underWay = time.Minute

// usageHeld reports whether the usage of a price in a period is what it was at the issue,
// or that part of it that a partial invoice has seen. What was changed right before that
// may have been seen as it was or not: events were still coming in.
func usageHeld(tx *store.Tx, view invoice.View, i subscription.PriceInterval, in period.Period) (bool, error) {
	if i.Price.MetricID == nil {
		return true, nil
	}
	since := *view.IssuedAt
	if view.Seen != nil {
		since = since.Add(-underWay)
	}
	for _, user := range view.Terms.Users(i) {
		var subjects []string // whose later events matter
		if view.Seen == nil {
			subjects = event.Subjects(user.ID, user.ExternalCustomerID)
		}
		held, err := event.UnchangedSince(tx, user.ID, subjects, in, since)
		if err != nil || !held {
			return false, err
		}
		touched, err := backfill.Touched(tx, user.ID, in, since)
		if err != nil || touched {
			return false, err
		}
	}
	return true, nil
}

// licensesHeld reports whether the licenses that a service draws on, and what they used
// before and for other prices, are what they were at the issue.
func licensesHeld(tx *store.Tx, view invoice.View, s subscription.ServicePeriod) (bool, error) {
	others, since := license.Hangs(view.Terms, s.Interval, s.Period)
	if len(others) == 0 {
		return true, nil
	}
	for _, i := range others {
		held, err := usageHeld(tx, view, i, since)
		if err != nil || !held {
			return false, err
		}
	}
	return license.Held(tx, view.Terms.ID, *s.Interval.Price.LicenseTypeID, since, *view.IssuedAt)
}

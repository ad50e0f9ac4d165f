package invoice

import (
	"slices"

	"tollkeeper/domain/backfill"
	"tollkeeper/domain/event"
	"tollkeeper/domain/license"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// recompute works out the lines of an invoice anew, by the one path from usage to
// money, and compares. It leaves alone what cannot be known any more: usage that came,
// changed or was replaced since the issue, and terms that did.
func (v *Verified) recompute(tx *store.Tx, view View, note func(document, wrong string, args ...any)) error {
	if err := v.checkEarlier(tx, view, note); err != nil {
		return err
	}
	services, held := stillBilled(view)
	if !held {
		return nil
	}
	for _, s := range services {
		same, err := usageHeld(tx, view, s.Interval, s.Period)
		if err == nil && same {
			same, err = licensesHeld(tx, view, s)
		}
		if err != nil || !same {
			return err
		}
	}
	more, err := extras(tx, []string{view.ID})
	if err != nil {
		return err
	}
	was, err := earlier(tx, view.Terms, view.Invoice, services)
	if err != nil || slices.ContainsFunc(was, func(b before) bool { return b.void }) {
		return err
	}
	again, err := linesOn(tx, view.Terms, view.Invoice, services, was, more(view.Invoice))
	if err != nil {
		return err
	}
	v.Recomputed++
	for k, l := range view.Lines {
		for _, figure := range []struct {
			name     string
			is, must money.Decimal
		}{
			{"quantity", l.Quantity, again[k].Quantity},
			{"subtotal", l.Subtotal, again[k].Subtotal},
			{"adjusted subtotal", l.AdjustedSubtotal, again[k].AdjustedSubtotal},
			{"part that licenses cover", l.LicenseCredits, again[k].LicenseCredits},
			{"amount", l.Amount, again[k].Amount},
		} {
			if l.ID == again[k].ID && !figure.is.WithoutTail().Equal(figure.must.WithoutTail()) {
				note(view.ID, "line %s: the %s is %s, and comes to %s from events and prices", l.ID, figure.name, figure.is, figure.must)
			}
		}
	}
	return nil
}

// checkEarlier compares what lines took off with what earlier invoices charged of their
// time, unless one of those was made void: nobody knows whether it was before.
func (v *Verified) checkEarlier(tx *store.Tx, view View, note func(document, wrong string, args ...any)) error {
	services := make([]subscription.Service, len(view.Lines))
	for k, l := range view.Lines {
		services[k] = l.service()
	}
	all, err := earlier(tx, view.Terms, view.Invoice, services)
	for k, was := range all {
		if l := view.Lines[k]; !was.void && !l.PartiallyInvoicedAmount.Equal(was.Amount) {
			note(view.ID, "line %s: takes off %s for earlier invoices, which charged %s", l.ID, l.PartiallyInvoicedAmount, was.Amount)
		}
	}
	return err
}

// service is what the line charges, as far as earlier invoices go.
func (l Line) service() (s subscription.Service) {
	s.Period, s.From = period.Period{Start: l.StartAt, End: l.EndAt}, l.BilledFrom
	if l.IntervalID != nil {
		s.Interval.ID = *l.IntervalID
	}
	return s
}

// stillBilled are the services of an invoice, and whether the terms of its
// subscription still bill them so.
func stillBilled(view View) (services []subscription.Service, held bool) {
	if view.Source == SourcePartial || view.OfChange {
		return nil, false // it depends on what else was invoiced at the time
	}
	if at := view.Terms.EditedAt; at != nil && !at.Before(*view.IssuedAt) {
		return nil, false
	}
	added := 0
	for _, l := range view.Lines {
		if l.IntervalID == nil {
			added++
		}
	}
	if view.SubscriptionID != nil {
		services = view.Terms.BilledOn(view.InvoiceDate)
	}
	if len(services)+added != len(view.Lines) {
		return nil, false
	}
	for k, s := range services {
		l := view.Lines[k]
		if l.IntervalID == nil || *l.IntervalID != s.Interval.ID || !s.Period.Equal(period.Period{Start: l.StartAt, End: l.EndAt}) || !s.From.Equal(l.BilledFrom) {
			return nil, false
		}
		if s.Interval.Price.Fixed() && !s.Quantity.Equal(l.Quantity) || !l.counted(s.Interval) {
			return nil, false
		}
	}
	return services, !slices.ContainsFunc(view.Terms.Adjustments, func(a subscription.AdjustmentInterval) bool {
		return !a.CreatedAt.Before(*view.IssuedAt) // a coupon that came later
	})
}

// usageHeld reports whether the usage of a price in a period is what it was at the issue.
func usageHeld(tx *store.Tx, view View, i subscription.PriceInterval, in period.Period) (bool, error) {
	if i.Price.MetricID == nil {
		return true, nil
	}
	for _, user := range view.Terms.Users(i) {
		held, err := event.Held(tx, user.ID, event.Subjects(user.ID, user.ExternalCustomerID), in, *view.IssuedAt)
		if err != nil || !held {
			return false, err
		}
		touched, err := backfill.Touched(tx, user.ID, in, *view.IssuedAt)
		if err != nil || touched {
			return false, err
		}
	}
	return true, nil
}

// licensesHeld reports whether the licenses that a service draws on, and what they used
// before and for other prices, are what they were at the issue.
func licensesHeld(tx *store.Tx, view View, s subscription.Service) (bool, error) {
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

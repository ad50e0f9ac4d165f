package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// redraw brings the drafts of a subscription into line with its terms, and opens every
// invoice that would exist by now, for what is not charged yet. Drafts of dates on which
// nothing is billed any more are gone.
func redraw(tx *store.Tx, t *subscription.Terms) error {
	if err := t.Accrue(tx); err != nil {
		return err
	}
	b, err := openBooks(tx, t.ID)
	if err != nil {
		return err
	}
	for _, draft := range b.drafts {
		if err := redrawDraft(tx, draft, b.rest(*t, draft)); err != nil {
			return err
		}
	}
	if err := redrawUnopened(tx, *t, b); err != nil {
		return err
	}
	if t.StartAt.After(tx.Now) {
		return t.SetNextBilling(tx, t.FirstOpening())
	}
	date, more := t.NextBilling(t.StartAt.Add(-time.Microsecond))
	for more && !date.After(tx.Now) {
		for _, rest := range byPlan(slices.DeleteFunc(t.BilledOn(date), b.has)) {
			if err := openAll(tx, *t, opening{Date: date, Services: rest, OfChange: b.closed(date, rest[0].Interval.PlanID)}); err != nil {
				return err
			}
		}
		date, more = t.NextBilling(date)
	}
	if !more {
		return t.SetNextBilling(tx, nil)
	}
	if err := openDates(tx, *t, date); err != nil {
		return err
	}
	if err := expect(tx, *t, date); err != nil {
		return err
	}
	return t.SetNextBilling(tx, &date)
}

// redrawDraft keeps the draft of those services, if there are any or lines that were
// put on it. What credits paid of others is carried on afterwards (see carry.go).
func redrawDraft(tx *store.Tx, draft Invoice, services []subscription.Service) error {
	added, err := addedTo(tx, []string{draft.ID})
	if err != nil {
		return err
	}
	if len(services) == 0 && len(added[draft.ID]) == 0 {
		return tx.Where("id = ?", draft.ID).Delete(&Invoice{}).Error
	}
	draft.HasUsage = anyUsage(services)
	return draft.save(tx, "has_usage")
}

// rest is what a draft is for: what is billed on its date, for its plan, and not charged
// yet.
func (b books) rest(t subscription.Terms, draft Invoice) []subscription.Service {
	return slices.DeleteFunc(billedBy(t, draft), b.has)
}

// closed reports whether the invoice of a date and a plan takes no more lines.
func (b books) closed(date time.Time, planID string) bool {
	for _, invoices := range [][]Invoice{b.issued, b.void} {
		if slices.ContainsFunc(invoices, func(inv Invoice) bool { return !inv.OfChange && *inv.PlanID == planID && inv.InvoiceDate.Equal(date) }) {
			return true
		}
	}
	return false
}

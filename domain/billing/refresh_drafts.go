package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// refreshDrafts brings the drafts of a subscription into line with its terms, and opens every
// invoice that would exist by now, for what is not charged yet. Drafts of dates on which
// nothing is billed any more are gone.
func refreshDrafts(tx *store.Tx, t *subscription.Terms) error {
	if err := t.Accrue(tx); err != nil {
		return err
	}
	b, err := lockHistory(tx, t.ID)
	if err != nil {
		return err
	}
	for _, draft := range b.Drafts {
		if err := refreshDraft(tx, draft, b.unbilledServices(*t, draft)); err != nil {
			return err
		}
	}
	if err := refreshExpected(tx, *t, b); err != nil {
		return err
	}
	if t.StartAt.After(tx.Now) {
		return t.SetNextBilling(tx, t.FirstOpening())
	}
	date, more := t.NextBilling(t.StartAt.Add(-time.Microsecond))
	for more && !date.After(tx.Now) {
		for _, rest := range byPlan(slices.DeleteFunc(t.BilledOn(date), b.Has)) {
			if err := openAll(tx, opening{Terms: *t, Date: date, Services: rest, OfChange: b.dateClosed(date, rest[0].Interval.PlanID)}); err != nil {
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
	if err := invoice.ExpectInvoices(tx, *t, date); err != nil {
		return err
	}
	return t.SetNextBilling(tx, &date)
}

// refreshDraft keeps the draft of those services, if there are any or lines that were
// put on it. What credits paid of others is carried on afterwards (see carry_credits.go).
func refreshDraft(tx *store.Tx, draft invoice.Invoice, services []subscription.ServicePeriod) error {
	added, err := invoice.AddedTo(tx, []string{draft.ID})
	if err != nil {
		return err
	}
	if len(services) == 0 && len(added[draft.ID]) == 0 {
		return tx.Where("id = ?", draft.ID).Delete(&invoice.Invoice{}).Error
	}
	draft.HasUsage = HasUsage(services)
	return draft.Save(tx, "has_usage")
}

// unbilledServices is what a draft is for: what is billed on its date, for its plan, and not charged
// yet.
func (b history) unbilledServices(t subscription.Terms, draft invoice.Invoice) []subscription.ServicePeriod {
	return slices.DeleteFunc(invoice.BilledBy(t, draft), b.Has)
}

// dateClosed reports whether the invoice of a date and a plan takes no more lines.
func (b history) dateClosed(date time.Time, planID string) bool {
	for _, invoices := range [][]invoice.Invoice{b.Issued, b.Void} {
		if slices.ContainsFunc(invoices, func(inv invoice.Invoice) bool {
			return !inv.OfChange && *inv.PlanID == planID && inv.InvoiceDate.Equal(date)
		}) {
			return true
		}
	}
	return false
}

// refreshExpected takes away the unopened invoices of a subscription on whose dates nothing is
// billed any more. What credits paid of them is carried on afterwards (see carry_credits.go).
func refreshExpected(tx *store.Tx, t subscription.Terms, b history) error {
	unopened, err := invoice.ExpectedInvoicesOf(tx, t)
	if err != nil {
		return err
	}
	for _, u := range unopened {
		if len(b.unbilledServices(t, u.Draft())) > 0 {
			continue
		}
		if err := u.Remove(tx); err != nil {
			return err
		}
	}
	return nil
}

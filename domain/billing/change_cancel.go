package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Cancel ends a subscription. The usage up to the end is invoiced on the date of the
// end, and the unused part of what was charged in advance credited then: at once, where
// that date is not ahead (semantics 6.3.1 and 6.3.2).
func Cancel(tx *store.Tx, subscriptionID string, in subscription.Cancellation, mayCredit bool) (_ Change, err error) {
	defer fault.Doing(&err, "cancel subscription %s", subscriptionID)
	return change(tx, subscriptionID, mayCredit, func(t subscription.Terms, b history) error {
		end, err := in.EndAt(t, tx.Now)
		if err != nil {
			return err
		}
		if paid := b.paidSince(end, tx.Now); paid != nil {
			return fault.Refused("invoice %s, of a date that is not before the cancellation, is %s", *paid.Number, paid.Status)
		}
		return subscription.Cancel(tx, t, end)
	})
}

// paidSince finds an invoice between two instants that is paid and so cannot be
// replaced.
func (b history) paidSince(from, now time.Time) *invoice.Invoice {
	issued := slices.Concat(b.Issued, b.Partial)
	at := slices.IndexFunc(issued, func(inv invoice.Invoice) bool {
		return inv.Status != invoice.StatusIssued && !inv.InvoiceDate.Before(from) && inv.InvoiceDate.Before(now)
	})
	if at < 0 {
		return nil
	}
	return &issued[at]
}

// UnscheduleCancellation lets a subscription go on that was to end. A fee that was
// charged up to that end is charged from there on then. Where older units of it were
// charged beyond the end, the newer ones are charged again, for the time that goes on.
func UnscheduleCancellation(tx *store.Tx, subscriptionID string) (_ Change, err error) {
	defer fault.Doing(&err, "unschedule the cancellation of subscription %s", subscriptionID)
	return change(tx, subscriptionID, true, func(t subscription.Terms, b history) error {
		if err := subscription.UnscheduleCancellation(tx, t); err != nil {
			return err
		}
		for _, i := range t.Intervals {
			if !b.endsAt(i, *t.EndAt) {
				continue
			}
			if err := subscription.Resume(tx, t, i, *t.EndAt); err != nil {
				return err
			}
		}
		return nil
	})
}

package invoice

import (
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Received is a payment that was made elsewhere.
type Received struct {
	On        period.Date // in the customer's time zone
	Reference *string
	Notes     *string
}

// MarkPaid records that an issued or synced invoice was paid (semantics 8.1.14). It was
// paid on the day of its date or later, or where it was issued before its date, of its
// issue, and not after today.
func MarkPaid(tx *store.Tx, id string, in Received) (_ View, err error) {
	defer fault.Doing(&err, "mark invoice %s as paid", id)
	return MarkPaidWith(tx, id, in, func(inv Invoice, loc *time.Location) error {
		first := period.DateOf(inv.InvoiceDate, loc)
		if issued := inv.IssuedAt; issued != nil && issued.Before(inv.InvoiceDate) {
			first = period.DateOf(*issued, loc)
		}
		switch {
		case in.On.Before(first):
			return fault.Bad("payment_received_date", "must not be before the invoice, which is of %s", first)
		case period.DateOf(tx.Now, loc).Before(in.On):
			return fault.Bad("payment_received_date", "must not be after today")
		}
		return nil
	})
}

// MarkPaidWith is MarkPaid with a check of its own for the date, in the customer's time zone.
// Money for a change that waits is received before there is an invoice.
func MarkPaidWith(tx *store.Tx, id string, in Received, check func(Invoice, *time.Location) error) (View, error) {
	inv, err := Lock(tx, id)
	if err != nil {
		return View{}, err
	}
	if inv.Status != StatusIssued && inv.Status != StatusSynced {
		return View{}, fault.Refused("only an issued or synced invoice can be marked paid; this one is %s", inv.Status)
	}
	buyers, err := customer.FindAll(tx, []string{inv.CustomerID})
	if err != nil {
		return View{}, err
	}
	loc := buyers[inv.CustomerID].Location()
	if err := check(inv, loc); err != nil {
		return View{}, err
	}
	inv.PaymentReference, inv.PaymentNotes = in.Reference, in.Notes
	if err := inv.Save(tx, "payment_reference", "payment_notes"); err != nil {
		return View{}, err
	}
	webhook.Announce(tx, webhook.InvoiceManuallyMarkedAsPaid, id, webhook.Properties{
		"external_id": in.Reference, "notes": in.Notes, "payment_received_date": in.On.String(),
	})
	if err := inv.pay(tx, in.On.In(loc)); err != nil {
		return View{}, err
	}
	return Find(tx, id)
}

// pay makes an invoice one that was paid at an instant. It is not charged any more,
// and the credits that it sold count.
func (i *Invoice) pay(tx *store.Tx, at time.Time) error {
	i.Status, i.PaidAt, i.NextAttemptAt = StatusPaid, &at, nil
	if err := i.Save(tx, "status", "paid_at", "next_attempt_at"); err != nil {
		return err
	}
	return i.activatePurchased(tx)
}

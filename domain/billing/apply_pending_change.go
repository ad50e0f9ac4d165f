package billing

import (
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// PaymentReceived is a payment for what a change of a subscription makes due, which was taken
// before the change was applied.
type PaymentReceived struct {
	Amount      *money.Decimal // not negative, in the minor unit of the customer's currency; nil: what is due
	Description *string        // of the move of the balance

	MarkPaid  bool         // the invoices that are due are paid
	On        *period.Date // when they were, in the customer's time zone; nil: today
	Reference *string
	Notes     *string
}

// check refuses what says how invoices were paid that are not marked so.
func (in PaymentReceived) check() error {
	var faults []error
	for _, about := range []struct {
		field string
		given bool
	}{{"payment_external_id", in.Reference != nil}, {"payment_notes", in.Notes != nil}, {"payment_received_date", in.On != nil}} {
		if about.given && !in.MarkPaid {
			faults = append(faults, fault.Bad(about.field, "must not be given unless mark_as_paid is true"))
		}
	}
	if in.Amount != nil && in.Amount.Sign() < 0 {
		faults = append(faults, fault.Bad("previously_collected_amount", "must not be negative"))
	}
	return fault.Join(faults...)
}

// ApplyPendingChange makes a change that was pending, by do. Money that was collected for it goes to
// the customer's balance before, which then pays what the change makes due. Where the
// invoices that the change makes due are to be marked as paid, they are, and only the
// difference to what was collected moves the balance.
func ApplyPendingChange(tx *store.Tx, id string, in PaymentReceived, do func(subscription.Change) (Change, error)) (applied subscription.Change, made Change, err error) {
	defer fault.Doing(&err, "apply pending change %s", id)
	if err := in.check(); err != nil {
		return applied, made, err
	}
	applied, err = subscription.Apply(tx, id, func(c subscription.Change) (string, error) {
		if in.Amount != nil && !in.MarkPaid {
			if err := in.before(tx, c); err != nil {
				return "", err
			}
		}
		if made, err = do(c); err != nil {
			return "", err
		}
		return made.Terms.ID, in.settle(tx, &made)
	})
	return applied, made, err
}

// before puts the money in the balance, under the locks that the change takes, in their
// order.
func (in PaymentReceived) before(tx *store.Tx, c subscription.Change) error {
	if c.SubscriptionID != nil {
		if _, err := subscription.Lock(tx, *c.SubscriptionID); err != nil {
			return err
		}
		if _, err := lockHistory(tx, *c.SubscriptionID); err != nil {
			return err
		}
	}
	return in.credit(tx, c.CustomerID, *in.Amount)
}

// settle issues and pays what a change made due, as far as that was paid for.
func (in PaymentReceived) settle(tx *store.Tx, made *Change) error {
	if in.Amount != nil && !made.Terms.Currency.Fits(*in.Amount) {
		return fault.Bad("previously_collected_amount", "must have at most the %d decimals of %s", made.Terms.Currency.MinorUnits(), made.Terms.Currency)
	}
	if in.MarkPaid || in.Amount != nil && in.Amount.Sign() > 0 {
		if err := issueFees(tx, made); err != nil {
			return err
		}
	}
	if !in.MarkPaid {
		return nil
	}
	loc := made.Terms.Customer.Location()
	if in.On != nil && period.DateOf(tx.Now, loc).Before(*in.On) {
		return fault.Bad("payment_received_date", "must not be after today")
	}
	paid, err := in.pay(tx, made)
	if err != nil || in.Amount == nil {
		return err
	}
	return in.credit(tx, made.Terms.CustomerID, in.Amount.Sub(paid))
}

// credit moves the balance by what was collected and pays no invoice.
func (in PaymentReceived) credit(tx *store.Tx, customerID string, amount money.Decimal) error {
	return customer.Move(tx, customerID, amount, customer.Cause{Action: customer.ActionExternalPayment, Description: in.Description})
}

// issueFees issues the invoices of a change that are only for fees in advance, also
// where invoices do not issue themselves: they have been paid for.
func issueFees(tx *store.Tx, made *Change) error {
	for k, v := range made.CreatedInvoices {
		if v.Status != invoice.StatusDraft || v.HasUsage || v.InvoiceDate.After(tx.Now) {
			continue
		}
		var err error
		if made.CreatedInvoices[k], err = Issue(tx, v.ID, false); err != nil {
			return err
		}
	}
	return nil
}

// pay marks the issued invoices of a change as paid, and tells what they asked for.
func (in PaymentReceived) pay(tx *store.Tx, made *Change) (sum money.Decimal, err error) {
	on := period.DateOf(tx.Now, made.Terms.Customer.Location())
	if in.On != nil {
		on = *in.On
	}
	for k, v := range made.CreatedInvoices {
		if v.Status != invoice.StatusIssued {
			continue
		}
		sum = sum.Add(v.AmountDue)
		made.CreatedInvoices[k], err = invoice.MarkPaidWith(tx, v.ID, invoice.Received{On: on, Reference: in.Reference, Notes: in.Notes}, anyPastDate)
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// anyPastDate allows a payment before its invoice: what was collected for a change that
// waited was received before the change made an invoice. settle has refused a date ahead.
func anyPastDate(invoice.Invoice, *time.Location) error { return nil }

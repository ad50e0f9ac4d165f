package invoice

import (
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Void makes an issued invoice one that is not owed. What its issue did to the
// customer's balance is undone, and its credit notes are void with it: they lowered
// what it asked for and nothing else (semantics 8.1.15). A partial invoice, and one whose period a
// later invoice charges for too, is refused: what the later one took off would be lost.
func Void(tx *store.Tx, id string) (v View, err error) {
	defer fault.Doing(&err, "void invoice %s", id)
	err = credit.Together(tx, func(tx *store.Tx) error {
		if err := refuseVoid(tx, id); err != nil {
			return err
		}
		v, err = VoidWith(tx, id, returnCredits)
		return err
	})
	return v, err
}

// refuseVoid refuses an invoice that other documents of its period go on from (semantics 8.1.15).
func refuseVoid(tx *store.Tx, id string) error {
	inv, err := Lock(tx, id)
	if err != nil || inv.Status != StatusIssued {
		return err // VoidWith refuses those
	}
	if inv.Source == SourcePartial {
		return fault.Refused("a partial invoice cannot be voided, since the invoice of its period takes it off; credit it instead")
	}
	var later []string
	err = tx.Model(&Invoice{}).
		Where("subscription_id = ? AND status NOT IN ? AND (invoice_date, seq) > (?, (SELECT seq FROM invoices WHERE account_id = ? AND id = ?))",
			inv.SubscriptionID, []Status{StatusDraft, StatusVoid}, inv.InvoiceDate, tx.AccountID, inv.ID).
		Where(`EXISTS (SELECT FROM invoice_lines l JOIN invoice_lines o ON o.account_id = l.account_id AND o.interval_id = l.interval_id
			WHERE l.account_id = ? AND l.invoice_id = ? AND o.invoice_id = invoices.id AND o.start_at < l.end_at AND o.end_at > l.start_at)`, tx.AccountID, inv.ID).
		Order("invoice_date, seq").Limit(1).Pluck("number", &later).Error
	if err == nil && len(later) > 0 {
		err = fault.Refused("invoice %s charges for a part of the same period and was issued later; credit this invoice instead of voiding it", later[0])
	}
	return err
}

// VoidWith is Void; credits says what becomes of what credits paid of the invoice.
func VoidWith(tx *store.Tx, id string, credits func(*store.Tx, Invoice) error) (View, error) {
	inv, err := Lock(tx, id)
	if err != nil {
		return View{}, err
	}
	if inv.Status != StatusIssued {
		return View{}, fault.Refused("only an issued invoice can be voided; this one is %s", inv.Status)
	}
	inv.Status, inv.VoidedAt, inv.NextAttemptAt = StatusVoid, &tx.Now, nil
	if err := inv.Save(tx, "status", "voided_at", "next_attempt_at"); err != nil {
		return View{}, err
	}
	if err := credits(tx, inv); err != nil {
		return View{}, err
	}
	if err := inv.voidPurchased(tx); err != nil {
		return View{}, err
	}
	if err := inv.returnBalance(tx); err != nil {
		return View{}, err
	}
	notes, err := creditNotesOf(tx, []string{id})
	if err != nil {
		return View{}, err
	}
	for _, note := range notes[id] {
		if note.VoidedAt == nil {
			if err := note.void(tx); err != nil {
				return View{}, err
			}
		}
	}
	webhook.Announce(tx, webhook.InvoiceManuallyMarkedAsVoid, id, nil)
	return Find(tx, id)
}

// returnBalance undoes what the invoice did to the customer's balance when it was issued.
func (i *Invoice) returnBalance(tx *store.Tx) error {
	moves, err := customer.BalanceOfInvoices(tx, []string{i.ID})
	if err != nil {
		return err
	}
	var used money.Decimal
	for _, m := range moves[i.ID] {
		if m.Action == customer.ActionAppliedToInvoice {
			used = used.Add(m.StartingBalance.Sub(m.EndingBalance))
		}
	}
	return customer.Move(tx, i.CustomerID, used, customer.Cause{Action: customer.ActionVoided, InvoiceID: &i.ID})
}

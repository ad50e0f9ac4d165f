package invoice

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// VoidCreditNote takes back what a credit note gave, and marks it (semantics 9.2.6).
// An invoice that is still to be paid asks for it again; of any other it is taken out
// of the customer's balance. A note that is void is left as it is.
func VoidCreditNote(tx *store.Tx, id string) (_ CreditNote, err error) {
	defer fault.Doing(&err, "void credit note %s", id)
	note, err := FindCreditNote(tx, id)
	if err != nil {
		return CreditNote{}, err
	}
	inv, err := Lock(tx, note.InvoiceID)
	if err != nil {
		return CreditNote{}, err
	}
	if note, err = FindCreditNote(tx, id); err != nil || note.VoidedAt != nil {
		return note, err
	}
	back := note.Total
	if inv.Status == StatusIssued {
		inv.Credited = inv.Credited.Sub(note.Adjusted)
		if err := inv.Save(tx, "credited"); err != nil {
			return CreditNote{}, err
		}
		back = note.ToBalance()
	}
	why := customer.Cause{Action: customer.ActionCreditNoteVoided, InvoiceID: &inv.ID, CreditNoteID: &note.ID}
	if note.Automatic {
		why.Action = customer.ActionRevertRefund
	}
	if err := customer.Move(tx, inv.CustomerID, back.Neg(), why); err != nil {
		return CreditNote{}, err
	}
	return note, note.void(tx)
}

// void marks a credit note.
func (n *CreditNote) void(tx *store.Tx) error {
	n.VoidedAt = &tx.Now
	webhook.Announce(tx, webhook.CreditNoteMarkedAsVoid, n.ID, nil)
	return tx.Model(n).Select("voided_at").Updates(n).Error
}

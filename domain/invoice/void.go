package invoice

import (
	"slices"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
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
	if inv.SubscriptionID == nil {
		return nil
	}
	var later []Invoice
	err = tx.Where("subscription_id = ? AND status NOT IN ? AND (invoice_date, seq) > (?, (SELECT seq FROM invoices WHERE account_id = ? AND id = ?))",
		inv.SubscriptionID, []Status{StatusDraft, StatusVoid}, inv.InvoiceDate, tx.AccountID, inv.ID).
		Order("invoice_date, seq").Find(&later).Error
	if err != nil || len(later) == 0 {
		return err
	}
	lines, err := LinesOf(tx, append(IdsOf(later, false), inv.ID))
	if err != nil {
		return err
	}
	terms, err := TermsOf(tx, []Invoice{inv})
	if err != nil {
		return err
	}
	for _, next := range later {
		if GoesOnFrom(terms(inv), next, lines[next.ID], lines[inv.ID]) {
			return fault.Refused("invoice %s charges for a part of the same period and was issued later; credit this invoice instead of voiding it", *next.Number)
		}
	}
	return nil
}

// GoesOnFrom reports whether a later invoice counts with what lines charged: those of the same time of a price,
// and those that share the period of an adjustment, or the time of a composite price, with its own. The terms may
// have changed since.
func GoesOnFrom(t subscription.Terms, next Invoice, itsLines, lines []Line) bool {
	services := t.Accruing(next.InvoiceDate)
	if next.Source != SourcePartial {
		services = BilledBy(t, next)
	}
	b := charge.BearingOn(t, next.InvoiceDate, services)
	return slices.ContainsFunc(lines, func(l Line) bool {
		if l.IntervalID == nil {
			return false
		}
		overlaps := func(o Line) bool {
			return o.IntervalID != nil && *o.IntervalID == *l.IntervalID && o.StartAt.Before(l.EndAt) && o.EndAt.After(l.StartAt)
		}
		return slices.ContainsFunc(itsLines, overlaps) || slices.ContainsFunc(itsLines, l.sharesPeriod) || slices.Contains(b.Intervals, *l.IntervalID) && l.EndAt.After(b.Since)
	})
}

// sharesPeriod reports whether an adjustment of amounts worked on two lines together.
func (l Line) sharesPeriod(other Line) bool {
	return slices.ContainsFunc(l.Adjustments, func(a rating.Applied) bool {
		return a.Period != "" && a.Kind != rating.UsageDiscount && a.Kind != rating.PercentageDiscount &&
			slices.ContainsFunc(other.Adjustments, func(b rating.Applied) bool { return b.AdjustmentID == a.AdjustmentID && b.Period == a.Period })
	})
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

package invoice

import (
	"time"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// InvoicesBeside finds for the dates on which a subscription has several invoices of one plan,
// one of them for a change, what each issued one of them charges, which is empty where no date has. It
// finds the lines of partial invoices too.
func InvoicesBeside(tx *store.Tx, t subscription.Terms) (charge.Invoices, error) {
	var rows []struct {
		IntervalID string
		BilledFrom time.Time
		InvoiceID  string
	}
	err := tx.Model(&Line{}).Select("invoice_lines.interval_id, invoice_lines.billed_from, invoice_lines.invoice_id").
		Joins("JOIN invoices AS i ON i.account_id = invoice_lines.account_id AND i.id = invoice_lines.invoice_id").
		Where("invoice_lines.interval_id IS NOT NULL AND i.subscription_id = ? AND i.source = ? AND i.status NOT IN ?", t.ID, SourceSubscription, []Status{StatusDraft, StatusVoid}).
		Where(`EXISTS (SELECT FROM invoices AS o WHERE o.account_id = i.account_id AND o.subscription_id = i.subscription_id
			AND o.plan_id = i.plan_id AND o.invoice_date = i.invoice_date AND o.of_change AND o.status <> ?)`, StatusVoid).
		Order("i.created_at, i.seq").Scan(&rows).Error
	if err != nil {
		return charge.Invoices{}, err
	}
	found := charge.Invoices{Of: map[charge.LineKey]string{}}
	for _, row := range rows {
		key := charge.LineKey{IntervalID: row.IntervalID, From: row.BilledFrom.UnixMicro()}
		if _, known := found.Of[key]; !known {
			found.Of[key] = row.InvoiceID
		}
	}
	if t.PartialAt != nil {
		found.Partial, err = partialLines(tx, t)
	}
	return found, err
}

// partialLines are the lines of the partial invoices of a subscription that stand, by date.
func partialLines(tx *store.Tx, t subscription.Terms) (found []charge.Charged, err error) {
	var rows []priorLine
	err = tx.Model(&Line{}).Select("invoice_lines.interval_id, invoice_lines.start_at, invoice_lines.end_at, invoice_lines.billed_from, invoice_lines.quantity, invoice_lines.subtotal, invoice_lines.adjustments, i.invoice_date").
		Joins("JOIN invoices AS i ON i.account_id = invoice_lines.account_id AND i.id = invoice_lines.invoice_id").
		Where("invoice_lines.interval_id IS NOT NULL AND i.subscription_id = ? AND i.source = ? AND i.status NOT IN ?", t.ID, SourcePartial, []Status{StatusDraft, StatusVoid}).
		Order("i.invoice_date, i.seq, invoice_lines.start_at").Scan(&rows).Error
	intervals := intervalsByID(t)
	for _, l := range rows {
		if interval, known := intervals[l.IntervalID]; known {
			found = append(found, l.charged(interval))
		}
	}
	return found, err
}

package invoice

import (
	"time"

	"tollkeeper/domain/charge"
	"tollkeeper/store"
)

// InvoicesBeside finds for the dates on which a subscription has several invoices of one plan,
// one of them for a change, what each issued one of them charges. It is empty where no date has.
func InvoicesBeside(tx *store.Tx, subscriptionID string) (charge.Invoices, error) {
	var rows []struct {
		IntervalID string
		BilledFrom time.Time
		InvoiceID  string
	}
	err := tx.Model(&Line{}).Select("invoice_lines.interval_id, invoice_lines.billed_from, invoice_lines.invoice_id").
		Joins("JOIN invoices AS i ON i.account_id = invoice_lines.account_id AND i.id = invoice_lines.invoice_id").
		Where("invoice_lines.interval_id IS NOT NULL AND i.subscription_id = ? AND i.source = ? AND i.status NOT IN ?", subscriptionID, SourceSubscription, []Status{StatusDraft, StatusVoid}).
		Where(`EXISTS (SELECT FROM invoices AS o WHERE o.account_id = i.account_id AND o.subscription_id = i.subscription_id
			AND o.plan_id = i.plan_id AND o.invoice_date = i.invoice_date AND o.of_change AND o.status <> ?)`, StatusVoid).
		Order("i.created_at, i.seq").Scan(&rows).Error
	found := charge.Invoices{}
	for _, row := range rows {
		key := charge.LineKey{IntervalID: row.IntervalID, From: row.BilledFrom.UnixMicro()}
		if _, known := found[key]; !known {
			found[key] = row.InvoiceID
		}
	}
	return found, err
}

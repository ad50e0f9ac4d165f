package billing

import (
	"slices"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// WrongCredits returns the invoices with a line that says something else of credits than
// the ledger does: what it paid of the line, or, once the invoice is void, that it gave
// that back. A line that charges to date shows what they paid of earlier lines too.
func WrongCredits(tx *store.Tx) (ids []string, err error) {
	defer fault.Doing(&err, "find wrong credits")
	paid, err := credit.PaidOfAll(tx)
	if err != nil {
		return nil, err
	}
	var lines []struct {
		ID, InvoiceID  string
		Status         invoice.Status
		CreditsApplied money.Decimal
		ToDate         bool
	}
	err = tx.Model(&invoice.Line{}).Select("invoice_lines.id, invoice_id, i.status, credits_applied, i.source = 'partial' OR billed_from > start_at AS to_date").
		Joins("JOIN invoices i ON i.account_id = invoice_lines.account_id AND i.id = invoice_id").
		Where("credits_applied <> 0 OR invoice_lines.id IN (?)", credit.LinesEverPaid(tx)).Order("invoice_id").Find(&lines).Error
	for _, l := range lines {
		if l.Status == invoice.StatusVoid {
			l.CreditsApplied = money.Decimal{}
		}
		if more := l.CreditsApplied.Cmp(paid[l.ID]); more < 0 || more > 0 && !l.ToDate {
			ids = append(ids, l.InvoiceID)
		}
	}
	return slices.Compact(ids), err
}

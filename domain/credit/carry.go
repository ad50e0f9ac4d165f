package credit

import (
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// PaidDay is a local day of a line that entries are for.
type PaidDay struct {
	Currency  money.Currency
	InvoiceID string
	LineID    string
	PriceID   string
	Day       period.Date
	Open      bool // all of the entries are pending
}

// PaidDays returns the days that entries of those invoices are for, of any amount.
func PaidDays(tx *store.Tx, invoiceIDs []string) ([]PaidDay, error) {
	return paidDays(tx, "invoice_id IN ?", invoiceIDs)
}

// DaysOfLines is PaidDays for lines.
func DaysOfLines(tx *store.Tx, lineIDs []string) ([]PaidDay, error) {
	return paidDays(tx, "line_id IN ?", lineIDs)
}

func paidDays(tx *store.Tx, which string, ids []string) (days []PaidDay, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = tx.Model(&Entry{}).Select("currency, invoice_id, line_id, price_id, day, bool_and(status = ?) AS open", EntryPending).
		Where("line_id IS NOT NULL").Where(which, ids).Group("currency, invoice_id, line_id, price_id, day").
		Order("line_id, day, currency").Find(&days).Error
	return days, err
}

// Carry makes the entries of a line for some days those of another line, which bills these
// days instead. What they paid stays as it is (semantics 10.2.7). The ledgers are locked,
// and the other line has no entries for the days.
func Carry(tx *store.Tx, lineID string, days []period.Date, toLineID, toInvoiceID string) error {
	return tx.Model(&Entry{}).Where("line_id = ? AND day IN ?", lineID, days).
		Updates(map[string]any{"line_id": toLineID, "invoice_id": toInvoiceID}).Error
}

// Show makes the entries of a line for some days name another invoice, or none. They stay
// those of a line that is gone.
func Show(tx *store.Tx, lineID string, days []period.Date, invoiceID *string) error {
	return tx.Model(&Entry{}).Where("line_id = ? AND day IN ?", lineID, days).Update("invoice_id", invoiceID).Error
}

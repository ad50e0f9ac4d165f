package invoice

import (
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// PaymentAttempt is a charge of an issued invoice and what became of it. It never
// changes.
type PaymentAttempt struct {
	store.Record
	InvoiceID  string
	Amount     money.Decimal // above 0, in the currency of the invoice
	Provider   *string       // nil: a gateway that is built in
	ProviderID *string       // of the payment there
	Automatic  bool          // of the schedule, not asked for
	Succeeded  bool
}

// attemptsOf returns the charges of invoices, by invoice, oldest first.
func attemptsOf(tx *store.Tx, invoiceIDs []string) (map[string][]PaymentAttempt, error) {
	byInvoice := map[string][]PaymentAttempt{}
	if len(invoiceIDs) == 0 {
		return byInvoice, nil
	}
	var attempts []PaymentAttempt
	if err := tx.Where("invoice_id IN ?", invoiceIDs).Order("invoice_id, seq").Find(&attempts).Error; err != nil {
		return nil, err
	}
	for _, a := range attempts {
		byInvoice[a.InvoiceID] = append(byInvoice[a.InvoiceID], a)
	}
	return byInvoice, nil
}

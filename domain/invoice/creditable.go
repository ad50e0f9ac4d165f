package invoice

import (
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// LineToCredit is a line of an issued or paid invoice, with what credit notes took back of it.
type LineToCredit struct {
	Line
	Credited money.Decimal // by notes that are not void
	Left     money.Decimal // that a note may still take back; never below 0
}

// LinesToCredit returns the lines of an issued or paid invoice in their order. Other invoices
// are refused, as they are by [CreateCreditNote].
func LinesToCredit(tx *store.Tx, invoiceID string) (inv Invoice, all []LineToCredit, err error) {
	defer fault.Doing(&err, "list what is left to credit of invoice %s", invoiceID)
	if err := tx.Where("id = ?", invoiceID).Take(&inv).Error; err != nil {
		return inv, nil, store.Found(err, "Invoice", invoiceID)
	}
	if err := inv.refuseCredit(); err != nil {
		return inv, nil, err
	}
	byInvoice, err := LinesOf(tx, []string{inv.ID})
	if err != nil {
		return inv, nil, err
	}
	lines := byInvoice[inv.ID]
	ids := make([]string, len(lines))
	for k, l := range lines {
		ids[k] = l.ID
	}
	left, err := Creditable(tx, ids)
	if err != nil {
		return inv, nil, err
	}
	for _, l := range lines {
		all = append(all, LineToCredit{Line: l, Credited: l.Amount.Sub(left[l.ID]), Left: money.Max(left[l.ID], money.Decimal{})})
	}
	return inv, all, nil
}

// refuseCredit refuses an invoice in a state in which none is credited on request.
func (i Invoice) refuseCredit() error {
	if i.Status != StatusIssued && i.Status != StatusPaid {
		return fault.Refused("only an issued or paid invoice can be credited; this one is %s", i.Status)
	}
	return nil
}

package document

import (
	"tollkeeper/domain/account"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreditNote is OfCreditNote for the medium.
func (in Loader) CreditNote(tx *store.Tx, id string) (_ Document, err error) {
	defer fault.Doing(&err, "show the document of credit note %s", id)
	note, err := invoice.FindCreditNote(tx, id)
	if err != nil {
		return Document{}, err
	}
	v, err := invoice.Find(tx, note.InvoiceID)
	if err != nil {
		return Document{}, err
	}
	fixed := note.Particulars
	if fixed == nil {
		settings, err := account.Of(tx)
		if err != nil {
			return Document{}, err
		}
		head, err := letterhead.CurrentText(tx)
		if err != nil {
			return Document{}, err
		}
		p := v.ParticularsOfNote(settings, head, v.Customer)
		fixed = &p
	}
	d, err := in.begin(tx, KindCreditNote, v, fixed)
	if err != nil {
		return Document{}, err
	}
	d.ID, d.Number, d.Void = note.ID, note.Number, note.VoidedAt != nil
	d.Billing, d.TaxID = fixed.Buyer.Address, fixed.Buyer.TaxID
	d.Issued = period.DateOf(note.CreatedAt, d.Zone)
	if note.Memo != nil {
		d.Memo = *note.Memo
	}
	d.Subtotal, d.Total, d.Payable = note.Total, note.Total, note.Total
	d.Note = &Note{Invoice: v.Number, Adjusted: note.Adjusted, Refunded: note.ToBalance()}
	if note.Reason != nil {
		d.Note.Reason = d.Words.reason(*note.Reason)
	}
	for _, l := range note.Lines {
		d.Lines = append(d.Lines, Line{
			ID: l.ID, Name: l.Name, Service: period.Period{Start: l.StartAt, End: l.EndAt}, Quantity: l.Quantity,
			Currency: note.Currency, Subtotal: l.Amount, Shown: l.Amount, Amount: l.Amount,
		})
	}
	w := d.Words
	d.Totals = []Total{{Label: w.Credited, Amount: note.Total, Grand: true}}
	if !d.Note.Adjusted.IsZero() {
		d.Totals = append(d.Totals, Total{Label: w.OffInvoice, Amount: d.Note.Adjusted})
	}
	if !d.Note.Refunded.IsZero() {
		d.Totals = append(d.Totals, Total{Label: w.OntoBalance, Amount: d.Note.Refunded})
	}
	return d, nil
}

// Receipt returns the receipt for a paid invoice, for the medium. It does not change with what comes after the payment
// (semantics 19.1.7).
func (in Loader) Receipt(tx *store.Tx, invoiceID string) (_ Document, err error) {
	defer fault.Doing(&err, "show the receipt for invoice %s", invoiceID)
	v, err := invoice.Find(tx, invoiceID)
	if err != nil {
		return Document{}, err
	}
	return in.receipt(tx, v)
}

func (in Loader) receipt(tx *store.Tx, v invoice.View) (Document, error) {
	if v.Status != invoice.StatusPaid {
		return Document{}, fault.Refused("only a paid invoice has a receipt; this one is %s", v.Status)
	}
	d, err := in.begin(tx, KindReceipt, v, v.Particulars)
	if err != nil {
		return Document{}, err
	}
	d.Billing, d.TaxID = v.Billing, v.Tax
	d.Issued = period.DateOf(*v.PaidAt, d.Zone)
	w := d.Words
	asked := *v.Invoice.AmountDue
	d.Lines = []Line{{
		Name: w.Fill(w.InvoiceOf, "number", v.Number, "date", w.LongDate(d.InvoiceDate)), Currency: v.Currency, Shown: asked, Amount: asked,
	}}
	received := v.AmountDue
	d.Lines = append(d.Lines, d.creditedLines(v)...)
	d.Subtotal, d.Total, d.Payable = received, received, received
	d.Payment = &Payment{On: d.Issued, Method: w.MethodElsewhere}
	if v.PaymentReference != nil {
		d.Payment.Reference = *v.PaymentReference
	}
	for _, a := range v.PaymentAttempts {
		if a.Succeeded {
			d.Payment.Method, d.Payment.Reference = w.MethodCharged, a.ID
			if a.ProviderID != nil {
				d.Payment.Reference = *a.ProviderID
			}
		}
	}
	if received.IsZero() {
		d.Payment.Method = w.MethodNothing
	}
	d.Totals = []Total{{Label: w.Received, Amount: received, Grand: true}}
	return d, nil
}

// creditedLines are what credit notes took off the invoice before it was paid.
func (d Document) creditedLines(v invoice.View) (lines []Line) {
	credit := func(name string, amount money.Decimal) {
		lines = append(lines, Line{Name: name, Currency: v.Currency, Shown: amount.Neg(), Amount: amount.Neg()})
	}
	left := v.Credited
	for _, note := range v.CreditNotes {
		if note.VoidedAt == nil && !note.Adjusted.IsZero() {
			credit(d.Words.CreditNote+" "+note.Number, note.Adjusted)
			left = left.Sub(note.Adjusted)
		}
	}
	if !left.IsZero() { // one became void after the payment
		lines = nil
		credit(d.Words.CreditNotes, v.Credited)
	}
	return lines
}

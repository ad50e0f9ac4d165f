package console

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// received is the payment of an invoice that was recorded by hand. The API does not return its
// reference and its notes.
type received struct {
	ByHand bool
	Note   string // notes and reference; "" where neither was given
}

// received returns the payment that was recorded by hand, if one was.
func (v *visit) received(i gen.Invoice) (received, error) {
	charged := slices.ContainsFunc(i.PaymentAttempts, func(p gen.PaymentAttempt) bool { return p.Succeeded })
	if i.Status != gen.InvoiceStatusPaid || charged || numberFigure(i.AmountDue).Zero {
		return received{}, nil
	}
	var found invoice.View
	err := v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		found, err = invoice.Find(tx, i.ID)
		return err
	})
	var notes []string
	for _, text := range []*string{found.PaymentNotes, found.PaymentReference} {
		if text != nil && *text != "" {
			notes = append(notes, *text)
		}
	}
	return received{true, strings.Join(notes, ", ")}, err
}

// payments is the table of what paid the invoice, or was to: the balance of the customer, charges, and the
// payment that was recorded by hand. It has two columns, because the panel is narrow.
func (i invoiceView) payments() table {
	t := table{Label: "Payments", Columns: []column{{"Payment", ""}, {"Amount", "num"}}}
	add := func(how, when templ.Component, amount string) {
		t.Rows = append(t.Rows, []templ.Component{stacked(how, when), moneyIn(amount, i.Invoice.Currency)})
	}
	for _, b := range i.Invoice.CustomerBalanceTransactions {
		switch {
		case b.Action == gen.BalanceTransactionActionAppliedToInvoice && b.Type == gen.BalanceTransactionTypeDecrement:
			add(text("From the balance"), instant(b.CreatedAt), b.Amount)
		case b.Action == gen.BalanceTransactionActionSmallInvoiceCarryover:
			add(text("Carried to the next invoice"), instant(b.CreatedAt), b.Amount)
		}
	}
	for _, p := range i.Invoice.PaymentAttempts {
		how := badge("Charge failed", "bad")
		if p.Succeeded {
			how = badge("Charged", "good")
		}
		add(how, instant(p.CreatedAt), p.Amount)
	}
	if i.Received.ByHand {
		how := text("Recorded by hand")
		if i.Received.Note != "" {
			how = stacked(how, text(i.Received.Note))
		}
		add(how, optionalDay(i.Invoice.PaidAt, i.Zone), i.Invoice.AmountDue)
	}
	return t
}

// withoutPayment says why an invoice has no payment.
func (i invoiceView) withoutPayment() string {
	switch i.Invoice.Status {
	case gen.InvoiceStatusPaid:
	case gen.InvoiceStatusVoid:
		return "No payment: the invoice is not owed."
	default:
		return "No payment yet."
	}
	credited := func(l gen.InvoiceLineItem) bool { return !numberFigure(l.CreditsApplied).Zero }
	standing := func(n gen.InvoiceCreditNote) bool { return n.VoidedAt == nil }
	switch {
	case slices.ContainsFunc(i.Invoice.LineItems, credited):
		return "Nothing was left to pay: prepaid credits paid for the usage."
	case slices.ContainsFunc(i.Invoice.CreditNotes, standing) && !numberFigure(i.Invoice.Total).Zero:
		return "Nothing was left to pay: credit notes took off the whole amount."
	}
	return "Nothing was to pay."
}

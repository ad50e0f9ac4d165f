package invoice

import (
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Finding is something about a document that cannot be: a figure was changed behind
// our back, or was worked out wrong.
type Finding struct {
	Document string // id of the invoice or credit note
	Wrong    string
}

// Verified is what a look at issued documents came to.
type Verified struct {
	Invoices   int // looked at
	Recomputed int // of those, worked out anew from events and prices
	Referred   int // of those, compared with the reference model, which shares no code with what bills
	Findings   []Finding

	// LeftOut counts the invoices of the sample that were not compared with the reference
	// model, by the reason; nil for none.
	LeftOut map[string]int
}

// verifiedAtOnce bounds how many invoices one transaction verifies.
const verifiedAtOnce = 100

// Verify checks issued invoices and their credit notes: each sum, each step of a line,
// what became of the balance, and, where usage has not changed since the issue, the lines
// themselves against the events, by the terms of then. It goes on after a place, 0 at first,
// and returns the next one; 0 when there are no more. Invoices of the sample are compared with
// the reference model as well.
func Verify(tx *store.Tx, after int64, sample Sample) (v Verified, next int64, err error) {
	var rows []Invoice
	err = tx.Where("seq > ? AND status <> ?", after, StatusDraft).Order("seq").Limit(verifiedAtOnce).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return v, 0, err
	}
	terms, err := termsOf(tx, rows)
	if err != nil {
		return v, 0, err
	}
	record, err := recordsOf(tx, idsOf(rows, false))
	if err != nil {
		return v, 0, err
	}
	for _, row := range rows {
		view := issuedView(row, terms(row))
		record(&view)
		if err := v.check(tx, view, sample.has(row)); err != nil {
			return v, 0, err
		}
	}
	return v, rows[len(rows)-1].Seq, nil
}

// check adds what is wrong with an invoice, by the reference model too if it is to be asked.
func (v *Verified) check(tx *store.Tx, view View, refer bool) error {
	v.Invoices++
	prices, err := catalog.FindPrices(tx, priceIDs(view.Lines))
	if err != nil {
		return err
	}
	note := func(document, wrong string, args ...any) {
		v.Findings = append(v.Findings, Finding{document, fmt.Sprintf(wrong, args...)})
	}
	for _, l := range view.Lines {
		for _, wrong := range l.discrepancies(prices[l.PriceID].Currency, view.Currency) {
			note(view.ID, "line %s: %s", l.ID, wrong)
		}
	}
	for _, wrong := range view.discrepancies() {
		note(view.ID, "%s", wrong)
	}
	notes := view.CreditNotes
	if err := complete(tx, notes); err != nil {
		return err
	}
	for _, n := range notes {
		var sum money.Decimal
		for _, l := range n.Lines {
			sum = sum.Add(l.Amount)
		}
		if !sum.Equal(n.Total) {
			note(n.ID, "its lines sum to %s, not to %s", sum, n.Total)
		}
	}
	for _, wrong := range view.overcredited() {
		note(view.ID, "%s", wrong)
	}
	known, err := v.recompute(tx, view, refer, note)
	if err == nil && !known && refer {
		v.leaveOut(string(changedSince))
	}
	return err
}

// discrepancies tells which steps of a line do not lead to the next.
func (l Line) discrepancies(currency, invoiced money.Currency) (wrong []string) {
	equal := func(what string, is, must money.Decimal) {
		if !is.WithoutTail().Equal(must.WithoutTail()) {
			wrong = append(wrong, fmt.Sprintf("%s is %s, and must be %s", what, is, must))
		}
	}
	if len(l.Parts) > 0 {
		var parts money.Decimal
		for _, p := range l.Parts {
			parts = parts.Add(p.Amount)
		}
		equal("the exact subtotal", l.Exact, parts)
	}
	equal("the subtotal", l.Subtotal, currency.Round(l.Exact.WithoutTail()))
	adjusted := l.Subtotal
	for _, a := range l.Adjustments {
		adjusted = adjusted.Add(a.Amount)
	}
	equal("the adjusted subtotal", l.AdjustedSubtotal, adjusted)
	due := l.left().Sub(l.CreditsApplied)
	if currency != invoiced {
		due = money.Decimal{}
		for _, p := range l.Conversion {
			due = due.Add(p.Amount)
		}
	}
	equal("the amount", l.Amount, due.Sub(l.PartiallyInvoicedAmount))
	return wrong
}

// discrepancies tells which figures of an issued invoice do not follow from its lines
// and from what it moved.
func (v View) discrepancies() (wrong []string) {
	equal := func(what string, is, must money.Decimal) {
		if !is.Equal(must) {
			wrong = append(wrong, fmt.Sprintf("%s is %s, and must be %s", what, is, must))
		}
	}
	var total money.Decimal
	for _, l := range v.Lines {
		total = total.Add(l.Amount)
	}
	equal("the total", v.Total, total)

	due := v.Total
	for _, m := range v.BalanceTransactions {
		switch m.Action {
		case customer.ActionAppliedToInvoice, customer.ActionSmallInvoiceCarry:
			due = due.Sub(m.StartingBalance.Sub(m.EndingBalance))
		}
	}
	equal("the amount due at its issue", *v.Invoice.AmountDue, due)

	var credited money.Decimal
	for _, n := range v.CreditNotes {
		if n.VoidedAt == nil {
			credited = credited.Add(n.Adjusted)
		}
	}
	if v.Status == StatusIssued || credited.Cmp(v.Credited) > 0 {
		equal("what its credit notes took off", v.Credited, credited)
	}
	return wrong
}

// overcredited tells which lines gave back more than they charged. The lines of its
// credit notes are loaded.
func (v View) overcredited() (wrong []string) {
	taken := map[string]money.Decimal{}
	for _, n := range v.CreditNotes {
		for _, l := range n.Lines {
			if n.VoidedAt == nil {
				taken[l.InvoiceLineID] = taken[l.InvoiceLineID].Add(l.Amount)
			}
		}
	}
	for _, l := range v.Lines {
		if taken[l.ID].Cmp(l.Amount) > 0 && taken[l.ID].Sign() > 0 {
			wrong = append(wrong, fmt.Sprintf("line %s charged %s and gave back %s", l.ID, l.Amount, taken[l.ID]))
		}
	}
	return wrong
}

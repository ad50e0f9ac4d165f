package billing

import (
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Finding is something about a document that cannot be: a figure was changed behind
// our back, or was worked out wrong.
type Finding struct {
	Document string // id of the invoice or credit note
	Wrong    string
}

// Verified is the result of verifying issued documents.
type Verified struct {
	Invoices   int // verified
	Recomputed int // of those, computed again from events and prices
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
	defer fault.Doing(&err, "verify documents after %d", after)
	var rows []invoice.Invoice
	err = tx.Where("seq > ? AND status <> ?", after, invoice.StatusDraft).Order("seq").Limit(verifiedAtOnce).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return v, 0, err
	}
	terms, err := invoice.TermsOf(tx, rows)
	if err != nil {
		return v, 0, err
	}
	record, err := invoice.LoadDocuments(tx, invoice.IdsOf(rows, false))
	if err != nil {
		return v, 0, err
	}
	for _, row := range rows {
		view := invoice.IssuedView(tx, row, terms(row))
		record(&view)
		if err := v.check(tx, view, sample.has(row)); err != nil {
			return v, 0, err
		}
	}
	return v, rows[len(rows)-1].Seq, nil
}

// check adds what is wrong with an invoice, by the reference model too if it is to be asked.
func (v *Verified) check(tx *store.Tx, view invoice.View, refer bool) error {
	v.Invoices++
	prices, err := catalog.FindPrices(tx, invoice.PriceIDs(view.Lines))
	if err != nil {
		return err
	}
	note := func(document, wrong string, args ...any) {
		v.Findings = append(v.Findings, Finding{document, fmt.Sprintf(wrong, args...)})
	}
	for _, l := range view.Lines {
		for _, wrong := range l.Discrepancies(prices[l.PriceID].Currency, view.Currency) {
			note(view.ID, "line %s: %s", l.ID, wrong)
		}
	}
	for _, wrong := range view.Discrepancies() {
		note(view.ID, "%s", wrong)
	}
	notes := view.CreditNotes
	if err := invoice.Complete(tx, notes); err != nil {
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
	for _, wrong := range view.Overcredited() {
		note(view.ID, "%s", wrong)
	}
	known, err := v.recompute(tx, view, refer, note)
	if err == nil && !known && refer {
		v.leaveOut(string(changedSince))
	}
	return err
}

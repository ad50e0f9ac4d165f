package invoice

import (
	"fmt"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
)

// Discrepancies tells which steps of a line do not lead to the next.
func (l Line) Discrepancies(currency, invoiced money.Currency) (wrong []string) {
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

// Discrepancies tells which figures of an issued invoice do not follow from its lines
// and from what it moved.
func (v View) Discrepancies() (wrong []string) {
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

// Overcredited tells which lines gave back more than they charged. The lines of its
// credit notes are loaded.
func (v View) Overcredited() (wrong []string) {
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

package document

import (
	"slices"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
)

// Left is what is to pay now of an invoice that was issued: 0 where nothing is, or where it is void.
func Left(v invoice.View) money.Decimal {
	if !v.AwaitsPayment() {
		return money.Decimal{}
	}
	return v.AmountDue
}

// TotalsNow are the rows below the lines of an invoice as they are now: those of its document, then what came after the
// issue (credit notes and the payment), and what is left to pay (semantics 19.1.8). Void credit notes took nothing.
func (d Document) TotalsNow(v invoice.View) []Total {
	w := d.Words
	rows := slices.Clone(d.Totals)
	last := &rows[len(rows)-1]
	due := Left(v)
	left := last.Amount.Sub(due)
	if left.IsZero() {
		return rows
	}
	if last.Grand = false; len(rows) == 1 {
		last.Label = w.Total
	}
	for _, note := range v.CreditNotes {
		if note.VoidedAt == nil && !note.Adjusted.IsZero() {
			rows = append(rows, Total{Label: w.CreditNote + " " + note.Number, Amount: note.Adjusted.Neg()})
			left = left.Sub(note.Adjusted)
		}
	}
	if v.Status == invoice.StatusPaid && !left.IsZero() {
		rows = append(rows, Total{Label: w.Received, Amount: left.Neg()})
	}
	return append(rows, Total{Label: w.ToPay, Amount: due, Grand: true})
}

package server

import (
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
)

func creditNoteToWire(n invoice.CreditNote) gen.CreditNote {
	return gen.CreditNote{
		ID:               n.ID,
		CreditNoteNumber: n.Number,
		InvoiceID:        n.InvoiceID,
		Customer:         customerRefToWire(n.Customer),
		Type:             gen.CreditNoteType(n.Type),
		Reason:           (*gen.CreditNoteReason)(n.Reason),
		Memo:             n.Memo,
		CreatedAt:        instantToWire(n.CreatedAt),
		VoidedAt:         optionalInstantToWire(n.VoidedAt),
		Subtotal:         n.Currency.Format(n.Total), // there are no taxes
		Total:            n.Currency.Format(n.Total),
		LineItems: toWire(n.Lines, func(l invoice.CreditNoteLine) gen.CreditNoteLineItem {
			amount := n.Currency.Format(l.Amount)
			quantity := numberToWire(l.Quantity)
			start, end := instantToWire(l.StartAt), instantToWire(l.EndAt)
			return gen.CreditNoteLineItem{
				ID: l.ID, Name: l.Name, ItemID: l.ItemID, Quantity: &quantity, Subtotal: amount, Amount: amount,
				TaxAmounts: []gen.TaxAmount{}, Discounts: []gen.CreditNoteLineDiscount{},
				StartTimeInclusive: &start, EndTimeExclusive: &end,
			}
		}),
		Discounts: []gen.CreditNoteDiscount{}, // the lines include those of the invoice
	}
}

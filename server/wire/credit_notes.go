package wire

import (
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// ReadCreditNote reads a new credit note. Its days, and those of its lines, are optional and
// inclusive.
func ReadCreditNote(in gen.CreditNoteCreate) (invoice.NewCreditNote, error) {
	days, daysErr := daysFromWire(in.StartDate, in.EndDate)
	lines, linesErr := entriesFromWire("line_items", in.LineItems, func(l gen.CreditNoteLineItemCreate) (invoice.NewCreditedLine, error) {
		amount, amountErr := ReadAmount("amount", l.Amount)
		days, daysErr := daysFromWire(l.StartDate, l.EndDate)
		return invoice.NewCreditedLine{LineID: l.InvoiceLineItemID, Amount: amount, Days: days}, fault.Join(amountErr, daysErr)
	})
	return invoice.NewCreditNote{
		Lines: lines, Days: days, Reason: (*invoice.CreditReason)(in.Reason), Memo: in.Memo,
	}, fault.Join(linesErr, daysErr)
}

// daysFromWire reads start_date and end_date, both optional and inclusive.
func daysFromWire(start, end *gen.Date) (days invoice.Days, err error) {
	var failed [2]error
	days.First, failed[0] = ReadOptionalDate("start_date", start)
	days.Last, failed[1] = ReadOptionalDate("end_date", end)
	return days, fault.Join(failed[:]...)
}

// CreditNote returns a credit note. Taxes and discounts are empty: there are no taxes, and the
// lines include the discounts of the invoice.
func CreditNote(n invoice.CreditNote) gen.CreditNote {
	return gen.CreditNote{
		ID:               n.ID,
		CreditNoteNumber: n.Number,
		InvoiceID:        n.InvoiceID,
		Customer:         customerRefToWire(n.Customer),
		Type:             gen.CreditNoteType(n.Type),
		Reason:           (*gen.CreditNoteReason)(n.Reason),
		Memo:             n.Memo,
		CreditNotePdf:    &n.PDF,
		CreatedAt:        Instant(n.CreatedAt),
		VoidedAt:         OptionalInstant(n.VoidedAt),
		Subtotal:         n.Currency.Format(n.Total), // there are no taxes
		Total:            n.Currency.Format(n.Total),
		LineItems: MapSlice(n.Lines, func(l invoice.CreditNoteLine) gen.CreditNoteLineItem {
			amount := n.Currency.Format(l.Amount)
			quantity := Number(l.Quantity)
			start, end := Instant(l.StartAt), Instant(l.EndAt)
			return gen.CreditNoteLineItem{
				ID: l.ID, Name: l.Name, ItemID: l.ItemID, Quantity: &quantity, Subtotal: amount, Amount: amount,
				TaxAmounts: []gen.TaxAmount{}, Discounts: []gen.CreditNoteLineDiscount{},
				StartTimeInclusive: &start, EndTimeExclusive: &end,
			}
		}),
		Discounts: []gen.CreditNoteDiscount{}, // the lines include those of the invoice
	}
}

// creditNotesToWire returns credit notes in the short form that invoices show.
func creditNotesToWire(notes []invoice.CreditNote) []gen.InvoiceCreditNote {
	return MapSlice(notes, func(n invoice.CreditNote) gen.InvoiceCreditNote {
		return gen.InvoiceCreditNote{
			ID: n.ID, CreditNoteNumber: n.Number, Type: string(n.Type), Reason: Deref(n.Reason), Memo: n.Memo,
			Total: n.Currency.Format(n.Total), VoidedAt: OptionalInstant(n.VoidedAt),
		}
	})
}

// CreditableLineItems returns what is left to credit of an invoice.
func CreditableLineItems(inv invoice.Invoice, lines []invoice.LineToCredit) gen.CreditableLineItems {
	return gen.CreditableLineItems{
		Currency: string(inv.Currency),
		Data: MapSlice(lines, func(l invoice.LineToCredit) gen.CreditableLineItem {
			return gen.CreditableLineItem{
				InvoiceLineItemID: l.ID, Name: l.Name, StartDate: Instant(l.StartAt), EndDate: Instant(l.EndAt),
				Amount: inv.Currency.Format(l.Amount), Credited: inv.Currency.Format(l.Credited), Creditable: inv.Currency.Format(l.Left),
			}
		}),
	}
}

package server

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// invoicesToWire shows invoices with what their lines name. It asks as often for many
// as for one.
func invoicesToWire(tx *store.Tx, views []invoice.View) ([]gen.Invoice, error) {
	var lines []invoice.Line
	for _, v := range views {
		lines = append(lines, v.Lines...)
	}
	sources, err := loadLineSources(tx, lines)
	if err != nil {
		return nil, err
	}
	return toWire(views, func(v invoice.View) gen.Invoice {
		return gen.Invoice{
			InvoiceHeader:  invoiceHeaderToWire(v),
			InvoiceDated:   gen.InvoiceDated{InvoiceDate: instantToWire(v.InvoiceDate)},
			InvoiceContent: sources.invoiceContentToWire(v),
		}
	}), nil
}

func invoiceSummaryToWire(v invoice.View) gen.InvoiceSummary {
	return gen.InvoiceSummary{
		InvoiceHeader: invoiceHeaderToWire(v),
		InvoiceDated:  gen.InvoiceDated{InvoiceDate: instantToWire(v.InvoiceDate)},
	}
}

func invoiceHeaderToWire(v invoice.View) gen.InvoiceHeader {
	noAttempts := 0
	h := gen.InvoiceHeader{
		ID:                          v.ID,
		InvoiceNumber:               v.Number,
		InvoiceSource:               gen.InvoiceSource(v.Source),
		Status:                      gen.InvoiceStatus(v.Status),
		Currency:                    string(v.Currency),
		Total:                       v.Currency.Format(v.Total),
		AmountDue:                   v.Currency.Format(v.AmountDue),
		CreatedAt:                   instantToWire(v.CreatedAt),
		IssuedAt:                    optionalInstantToWire(v.IssuedAt),
		EligibleToIssueAt:           optionalInstantToWire(v.EligibleAt),
		ScheduledIssueAt:            optionalInstantToWire(v.ScheduledAt()),
		WillAutoIssue:               v.WillAutoIssue,
		DueDate:                     optionalInstantToWire(v.DueAt),
		PaidAt:                      optionalInstantToWire(v.PaidAt),
		VoidedAt:                    optionalInstantToWire(v.VoidedAt),
		Memo:                        v.Memo,
		Metadata:                    metadataToWire(v.Metadata),
		Customer:                    customerRefToWire(v.Customer),
		BillingAddress:              addressToWire(v.Customer.BillingAddress),
		ShippingAddress:             addressToWire(v.Customer.ShippingAddress),
		CustomerTaxID:               taxIDToWire(v.Customer.TaxID),
		AutoCollection:              gen.InvoiceAutoCollection{Enabled: &v.AutoCollection, NumAttempts: &noAttempts},
		CreditNotes:                 []gen.InvoiceCreditNote{},
		CustomerBalanceTransactions: balanceTransactionsToWire(v),
		PaymentAttempts:             []gen.PaymentAttempt{},
	}
	if v.SubscriptionID != nil {
		h.Subscription = &gen.SubscriptionMinified{ID: *v.SubscriptionID}
	}
	return h
}

func balanceTransactionsToWire(v invoice.View) []gen.BalanceTransaction {
	shown := []gen.BalanceTransaction{}
	for _, t := range v.BalanceTransactions {
		kind := gen.BalanceTransactionTypeDecrement
		if t.Increased() {
			kind = gen.BalanceTransactionTypeIncrement
		}
		shown = append(shown, gen.BalanceTransaction{
			ID:              t.ID,
			Action:          gen.BalanceTransactionAction(t.Action),
			Type:            kind,
			Amount:          v.Currency.Format(t.Amount()),
			StartingBalance: v.Currency.Format(t.StartingBalance),
			EndingBalance:   v.Currency.Format(t.EndingBalance),
			CreatedAt:       instantToWire(t.CreatedAt),
			Description:     t.Description,
			Invoice:         &gen.InvoiceTiny{ID: v.ID},
		})
	}
	return shown
}

// invoiceContentToWire shows the lines, and in the older form the adjustments of the
// whole invoice that worked on them.
func (s lineSources) invoiceContentToWire(v invoice.View) gen.InvoiceContent {
	content := gen.InvoiceContent{
		Subtotal:  v.Currency.Format(v.Subtotal),
		Discounts: []gen.InvoiceLevelDiscount{},
		LineItems: toWire(v.Lines, func(l invoice.Line) gen.InvoiceLineItem { return s.lineItemToWire(l, v.Currency) }),
	}
	for _, a := range s.invoiceLevel(v.Lines) {
		off := discountToWire(a, v.Currency)
		switch {
		case a.Kind == rating.Minimum && content.Minimum == nil:
			content.Minimum = minimumToWire(a, v.Currency)
			content.MinimumAmount = &content.Minimum.MinimumAmount
		case a.Kind == rating.Maximum && content.Maximum == nil:
			content.Maximum = maximumToWire(a, v.Currency)
			content.MaximumAmount = &content.Maximum.MaximumAmount
		case off != nil && a.Kind != rating.UsageDiscount: // that is of single lines
			content.Discounts = append(content.Discounts, unionOf[gen.InvoiceLevelDiscount](discountBaseToWire(a), off))
			if content.Discount == nil {
				first := unionOf[gen.NullableInvoiceLevelDiscount](discountBaseToWire(a), off)
				content.Discount = &first
			}
		}
	}
	return content
}

// invoiceLevel are the adjustments of the whole invoice that worked on its lines, each
// once, in the order in which they did.
func (s lineSources) invoiceLevel(lines []invoice.Line) (found []catalog.Adjustment) {
	seen := map[string]bool{}
	for _, id := range invoice.AdjustmentIDs(lines...) {
		if a := s.adjustments[id]; a.InvoiceLevel && !seen[id] {
			seen[id] = true
			found = append(found, a)
		}
	}
	return found
}

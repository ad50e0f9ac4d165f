package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadInvoices returns invoices with the prices, items and adjustments of their lines. The number
// of queries does not depend on the number of invoices.
func LoadInvoices(tx *store.Tx, views []invoice.View) ([]gen.Invoice, error) {
	var lines []invoice.Line
	for _, v := range views {
		lines = append(lines, v.Lines...)
	}
	sources, err := LoadLineSources(tx, lines)
	if err != nil {
		return nil, err
	}
	return MapSlice(views, func(v invoice.View) gen.Invoice {
		return gen.Invoice{
			InvoiceHeader:  invoiceHeaderToWire(v),
			InvoiceDated:   gen.InvoiceDated{InvoiceDate: Instant(v.InvoiceDate)},
			InvoiceContent: sources.invoiceContent(v),
		}
	}), nil
}

// InvoiceSummary returns an invoice without its lines, subtotal and discounts.
func InvoiceSummary(v invoice.View) gen.InvoiceSummary {
	return gen.InvoiceSummary{
		InvoiceHeader: invoiceHeaderToWire(v),
		InvoiceDated:  gen.InvoiceDated{InvoiceDate: Instant(v.InvoiceDate)},
	}
}

// invoiceHeaderToWire returns what invoices and summaries share.
func invoiceHeaderToWire(v invoice.View) gen.InvoiceHeader {
	collection := v.Collection()
	h := gen.InvoiceHeader{
		ID:                v.ID,
		InvoiceNumber:     v.Number,
		InvoiceSource:     gen.InvoiceSource(v.Source),
		Status:            gen.InvoiceStatus(v.Status),
		Currency:          string(v.Currency),
		Total:             v.Currency.Format(v.Total),
		AmountDue:         v.Currency.Format(v.AmountDue),
		CreatedAt:         Instant(v.CreatedAt),
		IssuedAt:          OptionalInstant(v.IssuedAt),
		EligibleToIssueAt: OptionalInstant(v.EligibleAt),
		ScheduledIssueAt:  OptionalInstant(v.ScheduledAt()),
		WillAutoIssue:     v.WillAutoIssue,
		DueDate:           OptionalInstant(v.DueAt),
		Overdue:           v.Overdue,
		PaymentStartedAt:  OptionalInstant(collection.StartedAt),
		PaymentFailedAt:   OptionalInstant(collection.FailedAt),
		PaidAt:            OptionalInstant(v.PaidAt),
		VoidedAt:          OptionalInstant(v.VoidedAt),
		Memo:              v.Memo,
		HostedInvoiceURL:  optionalText(v.Page),
		InvoicePdf:        invoice.PDFOf(v.Page),
		Metadata:          Metadata(v.Metadata),
		Customer:          customerRefToWire(v.Customer),
		BillingAddress:    addressToWire(v.Billing),
		ShippingAddress:   addressToWire(v.Shipping),
		CustomerTaxID:     taxIDToWire(v.Tax),
		AutoCollection: gen.InvoiceAutoCollection{
			Enabled: &v.AutoCollection, NumAttempts: &collection.Attempts,
			PreviouslyAttemptedAt: OptionalInstant(collection.LastAt), NextAttemptAt: OptionalInstant(collection.NextAt),
		},
		CreditNotes:                 creditNotesToWire(v.CreditNotes),
		CustomerBalanceTransactions: MapSlice(v.BalanceTransactions, BalanceTransaction(v.Currency)),
		PaymentAttempts:             MapSlice(v.PaymentAttempts, paymentAttemptToWire(v)),
	}
	if v.SubscriptionID != nil {
		h.Subscription = &gen.SubscriptionMinified{ID: *v.SubscriptionID}
	}
	return h
}

func paymentAttemptToWire(v invoice.View) func(invoice.PaymentAttempt) gen.PaymentAttempt {
	return func(a invoice.PaymentAttempt) gen.PaymentAttempt {
		var receipt *string
		if a.Succeeded {
			receipt = invoice.ReceiptOf(v.Page)
		}
		return gen.PaymentAttempt{
			ReceiptPdf: receipt,
			ID:         a.ID, Amount: v.Currency.Format(a.Amount), CreatedAt: Instant(a.CreatedAt), Succeeded: a.Succeeded,
			PaymentProvider: (*gen.PaymentGateway)(a.Provider), PaymentProviderID: a.ProviderID,
		}
	}
}

// invoiceContent returns the lines, and the invoice-level adjustments that applied to them in the
// legacy fields.
func (s LineSources) invoiceContent(v invoice.View) gen.InvoiceContent {
	content := gen.InvoiceContent{
		Subtotal:  v.Currency.Format(v.Subtotal),
		Discounts: []gen.InvoiceLevelDiscount{},
		LineItems: MapSlice(v.Lines, func(l invoice.Line) gen.InvoiceLineItem { return s.LineItem(l, v.Currency) }),
	}
	for _, a := range s.invoiceLevelAdjustments(v.Lines) {
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

// invoiceLevelAdjustments returns the invoice-level adjustments of the lines, each once, in the
// order in which they applied.
func (s LineSources) invoiceLevelAdjustments(lines []invoice.Line) (found []catalog.Adjustment) {
	seen := map[string]bool{}
	for _, id := range invoice.AdjustmentIDs(lines...) {
		if a := s.Adjustments[id]; a.InvoiceLevel && !seen[id] {
			seen[id] = true
			found = append(found, a)
		}
	}
	return found
}

package server

import (
	"maps"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// invoicesToWire shows invoices with the prices of their lines.
func invoicesToWire(tx *store.Tx, views []invoice.View) ([]gen.Invoice, error) {
	var priceIDs []string
	for _, v := range views {
		for _, l := range v.Lines {
			priceIDs = append(priceIDs, l.PriceID)
		}
	}
	found, err := catalog.FindPrices(tx, priceIDs)
	if err != nil {
		return nil, err
	}
	names, err := itemNames(tx, slices.Collect(maps.Values(found)))
	if err != nil {
		return nil, err
	}
	prices := make(map[string]gen.Price, len(found))
	for id, p := range found {
		prices[id] = priceToWire(p, names[p.ItemID])
	}
	shown := make([]gen.Invoice, len(views))
	for k, v := range views {
		shown[k] = gen.Invoice{
			InvoiceHeader:  invoiceHeaderToWire(v),
			InvoiceDated:   gen.InvoiceDated{InvoiceDate: instantToWire(v.InvoiceDate)},
			InvoiceContent: invoiceContentToWire(v, prices),
		}
	}
	return shown, nil
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

func invoiceContentToWire(v invoice.View, prices map[string]gen.Price) gen.InvoiceContent {
	content := gen.InvoiceContent{
		Subtotal:  v.Currency.Format(v.Subtotal),
		Discounts: []gen.InvoiceLevelDiscount{},
		LineItems: []gen.InvoiceLineItem{},
	}
	for _, l := range v.Lines {
		content.LineItems = append(content.LineItems, lineItemToWire(l, v.Currency, prices[l.PriceID]))
	}
	return content
}

func lineItemToWire(l invoice.Line, currency money.Currency, price gen.Price) gen.InvoiceLineItem {
	shown := gen.InvoiceLineItem{
		ID:                      l.ID,
		Name:                    l.Name,
		Price:                   price,
		Quantity:                numberToWire(l.Quantity),
		StartDate:               instantToWire(l.StartAt),
		EndDate:                 instantToWire(l.EndAt),
		Subtotal:                currency.Format(l.Subtotal),
		AdjustedSubtotal:        currency.Format(l.AdjustedSubtotal),
		CreditsApplied:          currency.Format(l.CreditsApplied),
		PartiallyInvoicedAmount: currency.Format(l.PartiallyInvoicedAmount),
		Amount:                  currency.Format(l.Amount),
		Adjustments:             []gen.MonetaryAdjustment{},
		TaxAmounts:              []gen.TaxAmount{},
		SubLineItems:            []gen.SubLineItem{},
	}
	for _, part := range l.Parts {
		if part.Kind == rating.PartWorking {
			continue
		}
		shown.SubLineItems = append(shown.SubLineItems, partToWire(part, currency))
	}
	return shown
}

// partToWire shows a sub-line item as the variant of its kind.
func partToWire(p rating.Part, currency money.Currency) gen.SubLineItem {
	base := gen.SubLineItemBase{Name: p.Name, Quantity: numberToWire(p.Quantity), Amount: currency.Format(p.Amount)}
	var shown gen.SubLineItem
	var err error
	switch p.Kind {
	case rating.PartTier:
		tier := gen.SubLineItemTierConfig{FirstUnit: numberToWire(p.Tier.FirstUnit), UnitAmount: p.Tier.UnitAmount}
		if p.Tier.LastUnit != nil {
			last := numberToWire(*p.Tier.LastUnit)
			tier.LastUnit = &last
		}
		err = shown.FromTierSubLineItem(gen.TierSubLineItem{SubLineItemBase: base, TierPart: gen.TierPart{TierConfig: tier}})
	case rating.PartMatrix:
		err = shown.FromMatrixSubLineItem(gen.MatrixSubLineItem{SubLineItemBase: base, MatrixPart: gen.MatrixPart{
			MatrixConfig: gen.SubLineItemMatrixConfig{DimensionValues: p.Values},
		}})
	default:
		err = shown.FromOtherSubLineItem(gen.OtherSubLineItem{SubLineItemBase: base})
	}
	if err != nil {
		panic(err) // a struct of texts always marshals
	}
	return shown
}

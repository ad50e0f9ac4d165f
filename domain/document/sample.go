package document

import (
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Sample is an invoice with made-up lines under a letterhead, for who sets the letterhead. The name of the account stands
// for the seller where the letterhead has none.
func (in Loader) Sample(head letterhead.Letterhead, accountName string) Document {
	language := head.Content.Language
	if language == "" {
		language = letterhead.English
	}
	words := In(language)
	if in.Shows != nil && !in.Shows(words) {
		words = In(letterhead.English)
	}
	text := func(s string) *string { return &s }
	d := Document{
		Kind: KindInvoice, ID: "inv_sample", Number: "SAMPLE-00001", Words: words, Zone: time.UTC, Seller: accountName, Letterhead: head,
		Currency: "USD", Plan: "Plan", Memo: "SAMPLE",
		InvoiceDate: period.Date{Year: 2025, Month: time.April, Day: 1}, Issued: period.Date{Year: 2025, Month: time.April, Day: 1},
		Due:   period.Date{Year: 2025, Month: time.April, Day: 30},
		Buyer: invoice.Buyer{Name: "Globex", Email: "billing@globex.example", ExternalID: "globex"},
		Billing: &customer.Address{
			Line1: text("14 Mill Lane"), City: text("Bristol"), PostalCode: text("BS1 4DJ"), Country: text("GB"),
		},
	}
	if head.Content.Name != "" {
		d.Seller = head.Content.Name
	}
	for _, f := range head.Content.CustomFields {
		d.Fields = append(d.Fields, invoice.Field{Key: f.Key, Label: f.Label, Value: "4711"})
	}
	service := period.Period{Start: time.Date(2025, time.March, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2025, time.April, 1, 0, 0, 0, 0, time.UTC)}
	for _, l := range []struct{ name, quantity, rate, amount string }{
		{"Platform", "1", "200.00", "200.00"}, {"API calls", "120000", "0.0025", "300.00"}, {"Storage", "87.5", "0.40", "35.00"},
	} {
		amount := money.Must(l.amount)
		d.Lines = append(d.Lines, Line{
			ID: l.name, Name: l.name, Item: l.name, Service: service, Quantity: money.Must(l.quantity), Rate: l.rate,
			Currency: d.Currency, Subtotal: amount, Shown: amount, Amount: amount,
		})
		d.Total = d.Total.Add(amount)
	}
	d.Subtotal, d.Payable = d.Total, d.Total
	d.Totals = []Total{{Label: words.ToPay, Amount: d.Payable, Grand: true}}
	return d
}

package paper_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// currencies have each number of places that there is.
var currencies = []money.Currency{"USD", "EUR", "JPY", "KWD", "CLF", "GBP", "BRL"}

// names are of customers, items and lines: plain ones, long ones, and what is hard to draw.
var names = []string{
	"Bluebird Radio", "Transcription", "Platform fee", "Voice synthesis by voice and region",
	strings.Repeat("Very long name of a company with many words ", 11), strings.Repeat("Unbroken", 60),
	"Ünïcödé & Söhne GmbH", "Ελληνική Εταιρεία", "Общество «Ромашка»", "Łódź Śródmieście sp. z o.o.", "Nguyễn Văn Ánh", "SC Țânțar și Șarpe SRL",
	"חברה בע״מ", "شركة الاتصالات", "株式会社日本", "ราชการ", "Emoji 🚀 Inc", "<script>alert(1)</script>", "Line\nbreak", "Tab\tand\x00null", "-50 %", "100% \\(x\\) ]",
}

// randomly makes documents of every kind, state and language.
type randomly struct{ *rand.Rand }

func (r randomly) of(texts []string) string { return texts[r.IntN(len(texts))] }

func (r randomly) amount(currency money.Currency) money.Decimal {
	digits := 1 + r.IntN(r.of2(4, 4, 7, 11))
	n := int64(1)
	for range digits {
		n = n*10 + r.Int64N(10)
	}
	d := money.Must(fmt.Sprint(n)).Quo(money.Must("1" + strings.Repeat("0", currency.MinorUnits())))
	if r.IntN(6) == 0 {
		d = d.Neg()
	}
	return currency.Round(d)
}

func (r randomly) of2(n ...int) int { return n[r.IntN(len(n))] }

func text(s string) *string { return &s }

func logo() []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 240, 60))
	for x := range 240 {
		for y := range 60 {
			img.Set(x, y, color.NRGBA{20, 81, 92, uint8(255 - x)})
		}
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return b.Bytes()
}

// document makes one up with so many lines. Its totals add up.
func (r randomly) document(lines int) document.Document {
	language := letterhead.Languages[r.IntN(len(letterhead.Languages))]
	currency := currencies[r.IntN(len(currencies))]
	w := document.In(language)
	if language == letterhead.Japanese {
		w = document.In(letterhead.English) // which is what Loader does without a font
	}
	d := document.Document{
		Kind: []document.Kind{document.KindInvoice, document.KindInvoice, document.KindCreditNote, document.KindReceipt}[r.IntN(4)],
		ID:   "inv_1", Number: "BRIGHT-00012", Words: w, Zone: time.UTC, Seller: "Brightline Speech Ltd", Currency: currency,
		InvoiceDate: period.Date{Year: 2025, Month: 2, Day: 1}, Issued: period.Date{Year: 2025, Month: 2, Day: 2}, Due: period.Date{Year: 2025, Month: 2, Day: 16},
		Buyer: invoice.Buyer{Name: r.of(names), Email: "money@bluebird.example", ExternalID: "acme"},
		Page:  "https://bill.brightline.example/i/i_" + strings.Repeat("a1B2c", 13) + "xy",
		Plan:  "Growth",
	}
	d.Letterhead.Content = letterhead.Content{
		Address:    letterhead.Address{Line1: "88 Quay Street", City: "Dublin", PostalCode: "D02 X285", Country: "IE"},
		TaxNumbers: []letterhead.TaxNumber{{Kind: letterhead.NumberVAT, Value: "IE9876543Z"}}, Email: "billing@brightline.example",
		Bank: letterhead.Bank{Holder: "Brightline Speech Ltd", IBAN: "IE29AIBK93115212345678", BIC: "AIBKIE2D"}, Instructions: "Please name the invoice number.",
	}
	if r.IntN(2) == 0 {
		d.Letterhead.Content.Color = r.of([]string{"#14515c", "#ffee00", "#ffffff", "#aa0000"})
	}
	if r.IntN(3) == 0 {
		d.Letterhead.Logo, d.Letterhead.LogoType = logo(), "image/png"
	}
	if r.IntN(4) == 0 {
		d.Letterhead.Content.Footer = r.of(names)
	}
	if r.IntN(3) == 0 {
		d.Memo = strings.Repeat(r.of(names)+". ", 1+r.IntN(20))
	}
	if r.IntN(3) == 0 {
		d.Fields = []invoice.Field{{Key: "order_number", Label: "Order number", Value: "4711"}, {Key: "x", Label: r.of(names), Value: r.of(names)}}
	}
	d.Billing = &customer.Address{Line1: text(r.of(names)), City: text("Bristol"), PostalCode: text("BS1 4DJ"), Country: text("GB")}
	if r.IntN(3) == 0 {
		d.Shipping = &customer.Address{Line1: text("14 Mill Lane"), City: text("Bath"), Country: text("GB")}
	}
	switch d.Kind {
	case document.KindCreditNote:
		d.Note = &document.Note{Invoice: "BRIGHT-00012", Reason: w.ReasonOrderChange}
	case document.KindReceipt:
		d.Payment = &document.Payment{On: d.Issued, Method: w.MethodElsewhere, Reference: "wire-2044"}
	default:
		d.Draft, d.Void = r.IntN(5) == 0, r.IntN(5) == 0
	}
	byDay := 0 // days of the appendix
	if r.IntN(3) == 0 {
		byDay, d.DaysLeftOut = r.of2(1, 31, 49, 366), r.IntN(2)
	}
	for k := range lines {
		l := document.Line{
			ID: fmt.Sprint("line_", k), Name: r.of(names), Item: fmt.Sprint("Item ", k%7), Currency: currency, Quantity: money.FromInt(r.Int64N(1_000_000)),
			Service: period.Period{Start: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)},
			Shown:   r.amount(currency),
		}
		if r.IntN(2) == 0 {
			l.Rate = "0.000190"
		}
		l.Subtotal, l.Amount = l.Shown, l.Shown
		if d.Kind != document.KindInvoice { // the others have no sub-lines and rates, receipts names and amounts alone
			l.Rate, l.Item = "", ""
			if d.Kind == document.KindReceipt {
				l.Service = period.Period{}
			}
			d.Subtotal, d.Total = d.Subtotal.Add(l.Shown), d.Total.Add(l.Amount)
			d.Lines = append(d.Lines, l)
			continue
		}
		for range r.IntN(4) {
			l.Parts = append(l.Parts, document.Part{Name: r.of(names), Quantity: money.FromInt(r.Int64N(1000)), Rate: "0.0098", Amount: r.amount(currency)})
		}
		if r.IntN(4) == 0 {
			off := currency.Round(l.Shown.Quo(money.FromInt(5))).Neg()
			l.Adjusted = append(l.Adjusted, document.Adjustment{Label: w.Discount + ", LAUNCH20, 20\u00a0%", Amount: off})
			l.Amount = l.Amount.Add(off)
		}
		if k < 8 && byDay > 0 {
			l.Quantity = money.Decimal{}
			for n := range byDay {
				day := invoice.UsageDay{On: d.InvoiceDate.AddDays(n - byDay), Quantity: r.amount(currency)}
				l.Days, l.Quantity = append(l.Days, day), l.Quantity.Add(day.Quantity)
			}
		}
		d.Subtotal, d.Total = d.Subtotal.Add(l.Shown), d.Total.Add(l.Amount)
		d.Lines = append(d.Lines, l)
	}
	d.Payable = d.Total
	d.Totals = []document.Total{
		{Label: w.Subtotal, Amount: d.Subtotal}, {Label: w.Discount + ", " + r.of(names), Amount: d.Total.Sub(d.Subtotal)},
		{Label: w.ToPay, Amount: d.Payable, Grand: true},
	}
	return d
}

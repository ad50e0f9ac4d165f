package ubl_test

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/ubl"
)

func TestUBL(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "ubl")
}

// element is what is read back.
type element struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Value      string     `xml:",chardata"`
	Children   []element  `xml:",any"`
}

func (e element) all(path string) (found []element) {
	name, rest, deeper := strings.Cut(path, "/")
	for _, c := range e.Children {
		if c.XMLName.Local != name {
			continue
		}
		if !deeper {
			found = append(found, c)
		} else {
			found = append(found, c.all(rest)...)
		}
	}
	return found
}

func (e element) text(path string) string {
	found := e.all(path)
	if len(found) == 0 {
		return ""
	}
	return strings.TrimSpace(found[0].Value)
}

func (e element) amount(path string) money.Decimal {
	if text := e.text(path); text != "" {
		return money.Must(text)
	}
	return money.Decimal{}
}

func text(s string) *string { return &s }

// made makes a document up.
func made(r *rand.Rand, kind document.Kind) document.Document {
	currency := []money.Currency{"EUR", "JPY", "USD"}[r.IntN(3)]
	country := "DE"
	d := document.Document{
		Kind: kind, Number: "BRIGHT-00012", Words: document.In(letterhead.German), Zone: time.UTC, Seller: "Brightline & Söhne <GmbH>", Currency: currency,
		Issued: period.Date{Year: 2025, Month: 2, Day: 1}, Due: period.Date{Year: 2025, Month: 2, Day: 15},
		Buyer:   invoice.Buyer{Name: "Bluebird \x01 Radio", Email: "a@b.example", ExternalID: "acme"},
		Billing: &customer.Address{City: text("Bonn"), Country: &country},
		Fields:  []invoice.Field{{Key: "order_number", Label: "Auftrag", Value: "4711"}},
	}
	d.Letterhead.Content = letterhead.Content{
		Address: letterhead.Address{City: "Dublin", Country: "IE"}, TaxNumbers: []letterhead.TaxNumber{{Kind: letterhead.NumberVAT, Value: "IE1"}},
		Bank: letterhead.Bank{IBAN: "IE29 AIBK", Holder: "B"},
	}
	if kind == document.KindCreditNote {
		d.Note = &document.Note{Invoice: "BRIGHT-00011"}
	}
	unit := money.Must("1" + strings.Repeat("0", currency.MinorUnits()))
	for k := range 1 + r.IntN(20) {
		shown := currency.Round(money.FromInt(r.Int64N(2_000_000) - 200_000).Quo(unit))
		amount := shown
		if r.IntN(2) == 0 {
			amount = currency.Round(shown.Sub(money.FromInt(r.Int64N(1000) - 300).Quo(unit)))
		}
		d.Lines = append(d.Lines, document.Line{
			ID: fmt.Sprint(k), Name: "Zeile & mehr", Quantity: money.FromInt(r.Int64N(9) - 1), Shown: shown, Amount: amount, Currency: currency,
			Service: period.Period{Start: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)},
		})
		d.Total = d.Total.Add(amount)
	}
	if r.IntN(3) == 0 { // something that is in no line that is shown
		d.Total = d.Total.Add(money.FromInt(r.Int64N(10) - 5))
	}
	d.Payable = money.Max(money.Decimal{}, d.Total.Sub(money.FromInt(r.Int64N(50)-25)))
	return d
}

// The business rules of the standard that concern what is written here. Not checked: the schema of
// UBL, whose files are not part of the program; code lists but those of currency, unit and category;
// rules about groups that are never written (tax representative, delivery, payee, card payments).
var _ = Describe("XML by EN 16931", func() {
	// The rules: semantics 19.4.2 and 19.4.3.
	It("keeps the rules of the standard", func() {
		for seed := range 300 {
			r := rand.New(rand.NewPCG(uint64(seed), 2))
			d := made(r, []document.Kind{document.KindInvoice, document.KindCreditNote}[seed%2])
			content, ok := ubl.Write(d)
			Expect(ok).To(BeTrue())
			again, _ := ubl.Write(d)
			Expect(again).To(Equal(content))
			var root element
			Expect(xml.Unmarshal(content, &root)).To(Succeed())
			check(root, d, fmt.Sprint("seed ", seed))
		}
	})

	// The rule: semantics 19.4.1.
	It("is not written where something is missing, which is named", func() {
		d := made(rand.New(rand.NewPCG(1, 1)), document.KindInvoice)
		for what, change := range map[string]func(d *document.Document){
			"the country of the seller": func(d *document.Document) { d.Letterhead.Content.Address.Country = "" },
			"the country of the buyer":  func(d *document.Document) { d.Billing = nil },
			"as two letters":            func(d *document.Document) { d.Billing = &customer.Address{Country: text("Germany")} },
			"a number of the seller":    func(d *document.Document) { d.Letterhead.Content.TaxNumbers = nil },
			"an issued document":        func(d *document.Document) { d.Draft = true },
			"at most two places":        func(d *document.Document) { d.Currency = "KWD" },
			"an invoice or":             func(d *document.Document) { d.Kind = document.KindReceipt },
		} {
			changed := d
			change(&changed)
			_, ok := ubl.Write(changed)
			Expect(ok).To(BeFalse(), what)
			Expect(ubl.Missing(changed)).To(ContainElement(ContainSubstring(what)))
		}
	})
})

func check(root element, d document.Document, of string) {
	GinkgoHelper()
	line, quantity, code := "InvoiceLine", "InvoicedQuantity", root.text("InvoiceTypeCode")
	Expect(root.XMLName.Space).To(HavePrefix("urn:oasis:names:specification:ubl:schema:xsd:"), of)
	if d.Kind == document.KindCreditNote {
		line, quantity, code = "CreditNoteLine", "CreditedQuantity", root.text("CreditNoteTypeCode")
		Expect(root.text("BillingReference/InvoiceDocumentReference/ID")).To(Equal(d.Note.Invoice), of) // BG-3
	}
	Expect(root.text("CustomizationID")).To(Equal("urn:cen.eu:en16931:2017"), of) // BR-1
	Expect(root.text("ID")).To(Equal(d.Number), of)                               // BR-2
	Expect(root.text("IssueDate")).To(MatchRegexp(`^\d{4}-\d\d-\d\d$`), of)       // BR-3
	Expect(code).To(BeElementOf("380", "381"), of)                                // BR-4
	Expect(root.text("DocumentCurrencyCode")).To(Equal(string(d.Currency)), of)   // BR-5
	seller, buyer := root.all("AccountingSupplierParty/Party")[0], root.all("AccountingCustomerParty/Party")[0]
	Expect(seller.text("PartyLegalEntity/RegistrationName")).To(Equal(d.Seller), of)                  // BR-6
	Expect(buyer.text("PartyLegalEntity/RegistrationName")).NotTo(BeEmpty(), of)                      // BR-7
	Expect(seller.text("PostalAddress/Country/IdentificationCode")).To(MatchRegexp(`^[A-Z]{2}$`), of) // BR-8, BR-9
	Expect(buyer.text("PostalAddress/Country/IdentificationCode")).To(MatchRegexp(`^[A-Z]{2}$`), of)  // BR-10, BR-11
	Expect(seller.text("PartyLegalEntity/CompanyID")).NotTo(BeEmpty(), of)                            // BR-CO-26
	for _, scheme := range slices.Concat(seller.all("PartyTaxScheme/TaxScheme/ID"), buyer.all("PartyTaxScheme/TaxScheme/ID")) {
		Expect(scheme.Value).NotTo(Equal("VAT"), of) // BR-O-2: no VAT identifiers in category O
	}
	lines := root.all(line)
	Expect(lines).To(HaveLen(len(d.Lines)), of) // BR-16
	sum := money.Decimal{}
	for k, l := range lines {
		Expect(l.text("ID")).NotTo(BeEmpty(), of)                                   // BR-21
		Expect(l.text(quantity)).NotTo(BeEmpty(), of)                               // BR-22
		Expect(l.all(quantity)[0].Attributes).NotTo(BeEmpty(), of)                  // BR-23
		Expect(l.text("Item/Name")).NotTo(BeEmpty(), of)                            // BR-25
		Expect(l.amount("Price/PriceAmount").Sign()).To(BeNumerically(">=", 0), of) // BR-26, BR-27
		Expect(l.amount("Price/BaseQuantity").Sign()).To(Equal(1), of)
		Expect(l.text("Item/ClassifiedTaxCategory/ID")).To(Equal("O"), of)     // BR-CO-4
		Expect(l.text("Item/ClassifiedTaxCategory/Percent")).To(BeEmpty(), of) // BR-O-5
		net := l.amount("LineExtensionAmount")                                 // BR-24
		Expect(net.Equal(d.Lines[k].Amount)).To(BeTrue(), of)
		whole := l.amount(quantity).Mul(l.amount("Price/PriceAmount")).Quo(l.amount("Price/BaseQuantity"))
		for _, a := range l.all("AllowanceCharge") {
			Expect(a.amount("Amount").Sign()).To(Equal(1), of)           // BR-41, BR-43
			Expect(a.text("AllowanceChargeReason")).NotTo(BeEmpty(), of) // BR-42, BR-44
			if a.text("ChargeIndicator") == "true" {
				whole = whole.Add(a.amount("Amount"))
			} else {
				whole = whole.Sub(a.amount("Amount"))
			}
		}
		Expect(d.Currency.Round(whole).Equal(net)).To(BeTrue(), "%s line %d: %s is not %s", of, k, whole, net)
		Expect(l.text("InvoicePeriod/StartDate") <= l.text("InvoicePeriod/EndDate")).To(BeTrue(), of) // BR-30
		sum = sum.Add(net)
	}
	total := root.all("LegalMonetaryTotal")[0]
	Expect(total.amount("LineExtensionAmount").Equal(sum)).To(BeTrue(), of) // BR-CO-10
	allowances, charges := money.Decimal{}, money.Decimal{}
	for _, a := range root.all("AllowanceCharge") {
		Expect(a.text("TaxCategory/ID")).To(Equal("O"), of) // BR-32, BR-37
		if a.text("ChargeIndicator") == "true" {
			charges = charges.Add(a.amount("Amount"))
		} else {
			allowances = allowances.Add(a.amount("Amount"))
		}
	}
	Expect(total.amount("AllowanceTotalAmount").Equal(allowances)).To(BeTrue(), of)                     // BR-CO-11
	Expect(total.amount("ChargeTotalAmount").Equal(charges)).To(BeTrue(), of)                           // BR-CO-12
	Expect(total.amount("TaxExclusiveAmount").Equal(sum.Sub(allowances).Add(charges))).To(BeTrue(), of) // BR-CO-13
	Expect(total.amount("TaxExclusiveAmount").Equal(d.Total)).To(BeTrue(), of)
	Expect(total.amount("TaxInclusiveAmount").Equal(total.amount("TaxExclusiveAmount").Add(root.amount("TaxTotal/TaxAmount")))).To(BeTrue(), of) // BR-CO-15
	Expect(total.amount("PayableAmount").Equal(total.amount("TaxInclusiveAmount").Sub(total.amount("PrepaidAmount")))).To(BeTrue(), of)          // BR-CO-16
	Expect(total.amount("PayableAmount").Equal(d.Payable)).To(BeTrue(), of)
	breakdown := root.all("TaxTotal/TaxSubtotal")
	Expect(breakdown).To(HaveLen(1), of)                                                        // BR-CO-18, BR-O-1, BR-O-11
	Expect(breakdown[0].amount("TaxableAmount").Equal(d.Total)).To(BeTrue(), of)                // BR-O-8
	Expect(breakdown[0].amount("TaxAmount").IsZero()).To(BeTrue(), of)                          // BR-O-9, BR-CO-14
	Expect(breakdown[0].text("TaxCategory/TaxExemptionReasonCode")).To(Equal("VATEX-EU-O"), of) // BR-O-10
	if d.Payable.Sign() > 0 {
		Expect(root.text("DueDate")+root.text("PaymentTerms/Note")).NotTo(BeEmpty(), of) // BR-CO-25
	}
	for _, means := range root.all("PaymentMeans") {
		Expect(means.text("PaymentMeansCode")).To(Equal("30"), of)          // BR-49
		Expect(means.text("PayeeFinancialAccount/ID")).NotTo(BeEmpty(), of) // BR-50, BR-61
	}
	places(root, d.Currency, of)
}

// places checks that amounts have the places of the currency: BR-DEC-*.
func places(e element, currency money.Currency, of string) {
	GinkgoHelper()
	exact := regexp.MustCompile(`^-?\d+$`)
	if n := currency.MinorUnits(); n > 0 {
		exact = regexp.MustCompile(fmt.Sprintf(`^-?\d+\.\d{%d}$`, n))
	}
	for _, c := range e.Children {
		for _, a := range c.Attributes {
			if a.Name.Local == "currencyID" {
				Expect(a.Value).To(Equal(string(currency)), of)
				if c.XMLName.Local != "PriceAmount" {
					Expect(c.Value).To(MatchRegexp(exact.String()), of)
				}
			}
		}
		places(c, currency, of)
	}
}

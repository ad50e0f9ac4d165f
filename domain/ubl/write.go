package ubl

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"
	"unicode"

	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Missing names what a document lacks that the standard demands; nothing is written then (semantics 19.4.1).
func Missing(d document.Document) (missing []string) {
	content := d.Letterhead.Content
	demand := func(there bool, what string) {
		if !there {
			missing = append(missing, what)
		}
	}
	demand(d.Kind != document.KindReceipt, "an invoice or a credit note")
	demand(!d.Draft, "an issued document")
	demand(d.Currency.Valid() && d.Currency.MinorUnits() <= 2, "a currency of ISO 4217 with at most two places") // BR-DEC
	demand(len(d.Lines) > 0, "a line")
	demand(content.Address.Country != "", "the country of the seller")
	demand(len(content.TaxNumbers) > 0, "a number of the seller: of VAT, a tax office or a register")
	demand(d.Billing != nil && d.Billing.Country != nil && letterhead.IsCountry(*d.Billing.Country), "the country of the buyer, as two letters")
	demand(strings.TrimSpace(d.Buyer.Name) != "", "the name of the buyer")
	return missing
}

// Write writes a document; false where something is missing: see [Missing].
func Write(d document.Document) ([]byte, bool) {
	if len(Missing(d)) > 0 {
		return nil, false
	}
	root := invoiceRoot
	if d.Kind == document.KindCreditNote {
		root = creditNoteRoot
	}
	w := &writer{d: d, root: root}
	w.document()
	var b bytes.Buffer
	b.WriteString(xml.Header)
	w.tree.write(&b, 0)
	return b.Bytes(), true
}

// root is how the two documents differ.
type root struct{ name, kind, kindName, line, quantity string }

var (
	invoiceRoot    = root{"Invoice", "380", "InvoiceTypeCode", "InvoiceLine", "InvoicedQuantity"}
	creditNoteRoot = root{"CreditNote", "381", "CreditNoteTypeCode", "CreditNoteLine", "CreditedQuantity"}
)

const (
	customization = "urn:cen.eu:en16931:2017"
	oasis         = "urn:oasis:names:specification:ubl:schema:xsd:"
	notSubject    = "O"          // category of VAT
	reasonCode    = "VATEX-EU-O" // of the code list of exemption reasons
	piece         = "C62"        // unit "one" of UN/ECE Recommendation 20
	transfer      = "30"         // credit transfer, of UNTDID 4461
)

type writer struct {
	d    document.Document
	root root
	tree *node
}

// document writes all of it, in the order that the schema demands.
func (w *writer) document() {
	d := w.d
	t := newNode(w.root.name,
		"xmlns", oasis+w.root.name+"-2", "xmlns:cac", oasis+"CommonAggregateComponents-2", "xmlns:cbc", oasis+"CommonBasicComponents-2")
	w.tree = t
	t.text("cbc:CustomizationID", customization)
	t.text("cbc:ID", d.Number)
	t.text("cbc:IssueDate", d.Issued.String())
	if w.root == invoiceRoot {
		t.text("cbc:DueDate", d.Due.String())
	}
	t.text("cbc:"+w.root.kindName, w.root.kind)
	t.text("cbc:Note", d.Memo)
	t.text("cbc:DocumentCurrencyCode", string(d.Currency))
	t.text("cbc:AccountingCost", "")
	w.servicePeriod(t, w.span())
	if order := w.order(); order != "" {
		t.child("cac:OrderReference").text("cbc:ID", order)
	}
	if d.Note != nil {
		t.child("cac:BillingReference").child("cac:InvoiceDocumentReference").text("cbc:ID", d.Note.Invoice)
	}
	w.seller(t)
	w.buyer(t)
	w.payment(t)
	w.tax(t)
	w.totals(t)
	for k, l := range d.Lines {
		w.line(t, k, l)
	}
}

// orderKeys are the keys of metadata that name an order of the buyer.
var orderKeys = []string{"order_number", "purchase_order", "po_number"}

func (w *writer) order() string {
	for _, f := range w.d.Fields {
		if slices.Contains(orderKeys, f.Key) {
			return f.Value
		}
	}
	return ""
}

// span is from the first to the last day of all lines.
func (w *writer) span() (s period.Period) {
	for _, l := range w.d.Lines {
		if _, _, ok := w.d.Service(l); !ok {
			continue
		}
		if s.Start.IsZero() || l.Service.Start.Before(s.Start) {
			s.Start = l.Service.Start
		}
		if l.Service.End.After(s.End) {
			s.End = l.Service.End
		}
	}
	return s
}

func (w *writer) servicePeriod(t *node, service period.Period) {
	first, last, ok := w.d.Service(document.Line{Service: service})
	if !ok {
		return
	}
	p := t.child("cac:InvoicePeriod")
	p.text("cbc:StartDate", first.String())
	p.text("cbc:EndDate", last.String())
}

func (w *writer) seller(t *node) {
	content := w.d.Letterhead.Content
	p := t.child("cac:AccountingSupplierParty").child("cac:Party")
	a := p.child("cac:PostalAddress")
	address(a, content.Address.Line1, content.Address.Line2, content.Address.City, content.Address.PostalCode, content.Address.State, content.Address.Country)
	for _, kind := range []letterhead.NumberKind{letterhead.NumberTax, letterhead.NumberVAT} {
		if number := content.Number(kind); number != "" {
			scheme := p.child("cac:PartyTaxScheme")
			scheme.text("cbc:CompanyID", number)
			scheme.child("cac:TaxScheme").text("cbc:ID", "TAX") // of VAT is not allowed in category O
			break
		}
	}
	legal := p.child("cac:PartyLegalEntity")
	legal.text("cbc:RegistrationName", w.d.Seller)
	number := content.Number(letterhead.NumberRegister)
	if number == "" {
		number = content.TaxNumbers[0].Value
	}
	legal.text("cbc:CompanyID", number)
	if content.Email != "" || content.Phone != "" {
		contact := p.child("cac:Contact")
		contact.text("cbc:Telephone", content.Phone)
		contact.text("cbc:ElectronicMail", content.Email)
	}
}

func (w *writer) buyer(t *node) {
	p := t.child("cac:AccountingCustomerParty").child("cac:Party")
	if id := w.d.Buyer.ExternalID; id != "" {
		p.child("cac:PartyIdentification").text("cbc:ID", id)
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	b := w.d.Billing
	address(p.child("cac:PostalAddress"), text(b.Line1), text(b.Line2), text(b.City), text(b.PostalCode), text(b.State), *b.Country)
	p.child("cac:PartyLegalEntity").text("cbc:RegistrationName", w.d.Buyer.Name)
	if w.d.Buyer.Email != "" {
		p.child("cac:Contact").text("cbc:ElectronicMail", w.d.Buyer.Email)
	}
}

func address(t *node, line1, line2, city, postalCode, state, country string) {
	t.text("cbc:StreetName", line1)
	t.text("cbc:AdditionalStreetName", line2)
	t.text("cbc:CityName", city)
	t.text("cbc:PostalZone", postalCode)
	t.text("cbc:CountrySubentity", state)
	t.child("cac:Country").text("cbc:IdentificationCode", country)
}

func (w *writer) payment(t *node) {
	d := w.d
	bank := d.Letterhead.Content.Bank
	account := strings.ReplaceAll(bank.IBAN, " ", "")
	if account == "" {
		account = bank.AccountNumber
	}
	if account != "" && d.Kind == document.KindInvoice {
		means := t.child("cac:PaymentMeans")
		means.text("cbc:PaymentMeansCode", transfer)
		means.text("cbc:PaymentID", d.Number)
		to := means.child("cac:PayeeFinancialAccount")
		to.text("cbc:ID", account)
		to.text("cbc:Name", bank.Holder)
		if bank.BIC != "" {
			to.child("cac:FinancialInstitutionBranch").text("cbc:ID", bank.BIC)
		}
	}
	terms := d.Headline()
	if how := d.Letterhead.Content.Instructions; how != "" && d.Kind == document.KindInvoice {
		terms += "\n" + how
	}
	t.child("cac:PaymentTerms").text("cbc:Note", terms)
}

// rest is what is in the total and in no line that is shown.
func (w *writer) rest() money.Decimal {
	sum := money.Decimal{}
	for _, l := range w.d.Lines {
		sum = sum.Add(l.Amount)
	}
	return w.d.Total.Sub(sum)
}

func (w *writer) tax(t *node) {
	if rest := w.rest(); !rest.IsZero() {
		w.allowance(t, rest.Neg(), true)
	}
	total := t.child("cac:TaxTotal")
	w.amount(total, "cbc:TaxAmount", money.Decimal{})
	sub := total.child("cac:TaxSubtotal")
	w.amount(sub, "cbc:TaxableAmount", w.d.Total)
	w.amount(sub, "cbc:TaxAmount", money.Decimal{})
	category := sub.child("cac:TaxCategory")
	category.text("cbc:ID", notSubject)
	category.text("cbc:TaxExemptionReasonCode", reasonCode)
	category.child("cac:TaxScheme").text("cbc:ID", "VAT")
}

// allowance writes what is taken off, or a charge where it is below 0.
func (w *writer) allowance(t *node, off money.Decimal, taxed bool) {
	a := t.child("cac:AllowanceCharge")
	charge := "false"
	if off.Sign() < 0 {
		charge = "true"
	}
	a.text("cbc:ChargeIndicator", charge)
	a.text("cbc:AllowanceChargeReason", w.d.Words.OtherAdjustments)
	w.amount(a, "cbc:Amount", off.Abs())
	if taxed {
		category := a.child("cac:TaxCategory")
		category.text("cbc:ID", notSubject)
		category.child("cac:TaxScheme").text("cbc:ID", "VAT")
	}
}

func (w *writer) totals(t *node) {
	d := w.d
	rest := w.rest()
	m := t.child("cac:LegalMonetaryTotal")
	w.amount(m, "cbc:LineExtensionAmount", d.Total.Sub(rest))
	w.amount(m, "cbc:TaxExclusiveAmount", d.Total)
	w.amount(m, "cbc:TaxInclusiveAmount", d.Total)
	switch rest.Sign() {
	case -1:
		w.amount(m, "cbc:AllowanceTotalAmount", rest.Neg())
	case 1:
		w.amount(m, "cbc:ChargeTotalAmount", rest)
	}
	if paid := d.Total.Sub(d.Payable); !paid.IsZero() {
		w.amount(m, "cbc:PrepaidAmount", paid)
	}
	w.amount(m, "cbc:PayableAmount", d.Payable)
}

func (w *writer) line(t *node, k int, l document.Line) {
	n := t.child("cac:" + w.root.line)
	n.text("cbc:ID", money.FromInt(int64(k+1)).String())
	quantity, price, base := priced(l)
	n.textWith("cbc:"+w.root.quantity, quantity.String(), "unitCode", piece)
	w.amount(n, "cbc:LineExtensionAmount", l.Amount)
	w.servicePeriod(n, l.Service)
	if off := l.Shown.Sub(l.Amount); !off.IsZero() {
		w.allowance(n, off, false)
	}
	item := n.child("cac:Item")
	item.text("cbc:Name", l.Name)
	category := item.child("cac:ClassifiedTaxCategory")
	category.text("cbc:ID", notSubject)
	category.child("cac:TaxScheme").text("cbc:ID", "VAT")
	p := n.child("cac:Price")
	p.textWith("cbc:PriceAmount", price.String(), "currencyID", string(w.d.Currency))
	p.textWith("cbc:BaseQuantity", base.String(), "unitCode", piece)
}

// priced returns quantity, price and base quantity, of which quantity times price by base is the
// amount of a line before what is taken off. The standard allows no price below 0.
func priced(l document.Line) (quantity, price, base money.Decimal) {
	one := money.FromInt(1)
	quantity, price, base = l.Quantity.WithoutTail(), l.Shown, l.Quantity.WithoutTail()
	if quantity.Sign() <= 0 {
		quantity, base = one, one
	}
	if price.Sign() < 0 {
		quantity, price = quantity.Neg(), price.Neg()
	}
	return quantity, price, base
}

func (w *writer) amount(t *node, name string, d money.Decimal) {
	t.textWith(name, w.d.Currency.Format(d), "currencyID", string(w.d.Currency))
}

// printable leaves out what XML cannot have.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, text)
}

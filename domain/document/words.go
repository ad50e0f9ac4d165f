package document

import (
	"embed"
	"reflect"
	"slices"
	"strings"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

// Words are the fixed words of documents in a language. Names in braces are filled in.
type Words struct {
	Language letterhead.Language `json:"-"`

	Invoice              string
	CreditNote           string
	CreditNotes          string
	Receipt              string
	Draft                string
	Void                 string
	DraftNote            string
	VoidNote             string
	From                 string
	To                   string
	ShipTo               string
	InvoiceNumber        string
	InvoiceDate          string
	Issued               string
	DueDate              string
	Paid                 string
	Currency             string
	Plan                 string
	CustomerNumber       string
	Reason               string
	Method               string
	Reference            string
	Description          string
	Period               string
	Quantity             string
	RateColumn           string
	AmountColumn         string
	InUnits              string
	Subtotal             string
	Discount             string
	Minimum              string
	Maximum              string
	Trial                string
	LicenseCredits       string
	CreditsApplied       string
	InvoicedBefore       string
	OtherAdjustments     string
	Total                string
	FromBalance          string
	ToBalance            string
	ToPay                string
	Credited             string
	OffInvoice           string
	OntoBalance          string
	Received             string
	HowToPay             string
	PayReference         string
	AccountHolder        string
	Bank                 string
	AccountNumber        string
	RoutingNumber        string
	VATNumber            string
	TaxNumber            string
	RegisterNumber       string
	Page                 string
	Continued            string
	DueOn                string
	NothingDue           string
	CreditedFor          string
	ReceivedOn           string
	InvoiceOf            string
	ForInvoice           string
	Online               string
	MissingGlyphs        string
	MethodElsewhere      string
	MethodCharged        string
	MethodNothing        string
	ReasonDuplicate      string
	ReasonFraudulent     string
	ReasonOrderChange    string
	ReasonUnsatisfactory string
	Questions            string
	Lines                string
	Details              string
	Documents            string
	WasDueOn             string
	PaidOn               string
	VoidSince            string
	IsDueOn              string
	Explain              string
	SkipToPage           string
	LinkEnded            string
	AskForLink           string
	UsageByDay           string
	UsageByDayNote       string
	DaysTotal            string
	DaysLeftOut          string

	// Of the portal.
	PortalTitle    string
	Overview       string
	Usage          string
	Credits        string
	Invoices       string
	SignOut        string
	YourPlan       string
	NoPlan         string
	Since          string
	NextInvoice    string
	CostSoFar      string
	CostSince      string
	NoCosts        string
	Price          string
	Day            string
	ShowTable      string
	OverdueCount   string
	SeeInvoices    string
	Balance        string
	Expires        string
	Left           string
	NoCredits      string
	Change         string
	KindIncrement  string
	KindDecrement  string
	KindOther      string
	BillingDetails string
	Line1          string
	Line2          string
	PostalCode     string
	City           string
	Region         string
	Country        string
	TaxIDValue     string
	TaxIDType      string
	Save           string
	Saved          string
	Alerts         string
	NoAlerts       string
	AlertBalance   string
	AlertUsage     string
	AlertCost      string
	OwnAlerts      string
	AlertAdd       string
	AlertWatch     string
	AlertThreshold string
	AlertRemove    string
	AlertLead      string
	AlertCostOf    string
	AlertUsageOf   string
	AlertBalanceOf string
	SessionEnded   string
	MailLink       string
	ShowsOnly      string
	LinkMailed     string
	LinkMailedLead string
	Older          string
	State          string
}

//go:embed words
var wordFiles embed.FS

var languages = letterhead.ReadWords(wordFiles, func(w *Words, l letterhead.Language) { w.Language = l })

// In returns the words of a language, English ones of a language that there is not.
func In(language letterhead.Language) Words { return languages.In(language) }

// Fill puts values for the names in braces: name, value, name, value.
func (w Words) Fill(text string, pairs ...string) string {
	values := slices.Clone(pairs)
	for k := 0; k < len(values); k += 2 {
		values[k] = "{" + values[k] + "}"
	}
	return strings.NewReplacer(values...).Replace(text)
}

// adjustment is what an adjustment is called: its kind, its reason and a percentage.
func (w Words) adjustment(applied rating.Applied, a catalog.Adjustment) string {
	kind := w.Discount
	switch applied.Kind {
	case rating.Minimum:
		kind = w.Minimum
	case rating.Maximum:
		kind = w.Maximum
	case rating.TrialDiscount:
		return w.Trial
	}
	parts := []string{kind}
	if a.Reason != nil && *a.Reason != "" {
		parts = append(parts, *a.Reason)
	}
	if applied.Kind == rating.PercentageDiscount {
		parts = append(parts, w.Number(a.Value.Mul(money.FromInt(100)).WithoutTail())+"\u00a0%")
	}
	return strings.Join(parts, ", ")
}

func (w Words) reason(r invoice.CreditReason) string {
	switch r {
	case invoice.ReasonDuplicate:
		return w.ReasonDuplicate
	case invoice.ReasonFraudulent:
		return w.ReasonFraudulent
	case invoice.ReasonOrderChange:
		return w.ReasonOrderChange
	}
	return w.ReasonUnsatisfactory
}

// Title is what the document is called, with its number.
func (d Document) Title() string { return d.Words.KindName(d.Kind) + " " + d.Number }

// KindName is what documents of a kind are called.
func (w Words) KindName(kind Kind) string {
	switch kind {
	case KindCreditNote:
		return w.CreditNote
	case KindReceipt:
		return w.Receipt
	}
	return w.Invoice
}

// Headline says what the document is about: how much, and when.
func (d Document) Headline() string {
	w := d.Words
	amount := w.Money(d.Payable, d.Currency)
	switch {
	case d.Kind == KindCreditNote:
		return w.Fill(w.CreditedFor, "amount", amount, "date", w.LongDate(d.Issued), "number", d.Note.Invoice)
	case d.Kind == KindReceipt:
		return w.Fill(w.ReceivedOn, "amount", amount, "date", w.LongDate(d.Payment.On))
	case d.Payable.IsZero():
		return w.NothingDue
	case d.Draft:
		return amount
	}
	return w.Fill(w.DueOn, "amount", amount, "date", w.LongDate(d.Due))
}

// Fact is something that a document says beside its lines.
type Fact struct{ Name, Value string }

// Facts are shown at the head of the document, in their order.
func (d Document) Facts() (facts []Fact) {
	w := d.Words
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, Fact{name, value})
		}
	}
	switch d.Kind {
	case KindCreditNote:
		add(w.Issued, w.Date(d.Issued))
		add(w.Invoice, d.Note.Invoice)
		add(w.Reason, d.Note.Reason)
	case KindReceipt:
		add(w.Paid, w.Date(d.Payment.On))
		add(w.Method, d.Payment.Method)
		add(w.Reference, d.Payment.Reference)
		add(w.Invoice, d.Number)
	default:
		add(w.InvoiceDate, w.Date(d.InvoiceDate))
		add(w.Issued, w.Date(d.Issued))
		add(w.DueDate, w.Date(d.Due))
	}
	add(w.CustomerNumber, d.Buyer.ExternalID)
	add(w.Plan, d.Plan)
	for _, f := range d.Fields {
		add(f.Label, f.Value)
	}
	add(w.Currency, string(d.Currency))
	return facts
}

// SellerNumbers are the numbers of the seller, each with its name.
func (d Document) SellerNumbers() (numbers []Fact) {
	names := map[letterhead.NumberKind]string{
		letterhead.NumberVAT: d.Words.VATNumber, letterhead.NumberTax: d.Words.TaxNumber, letterhead.NumberRegister: d.Words.RegisterNumber,
	}
	for _, n := range d.Letterhead.Content.TaxNumbers {
		numbers = append(numbers, Fact{names[n.Kind], n.Value})
	}
	return numbers
}

// Bank is where to pay to.
func (d Document) Bank() (facts []Fact) {
	w, b := d.Words, d.Letterhead.Content.Bank
	for _, f := range []Fact{
		{w.AccountHolder, b.Holder}, {w.Bank, b.Name}, {"IBAN", groupIBAN(b.IBAN)}, {"BIC", b.BIC},
		{w.AccountNumber, b.AccountNumber}, {w.RoutingNumber, b.RoutingNumber},
	} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

// groupIBAN writes an IBAN in groups of four.
func groupIBAN(iban string) string {
	var b strings.Builder
	for k, c := range strings.ReplaceAll(iban, " ", "") {
		if k > 0 && k%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// All are the texts of the words.
func (w Words) All() (texts []string) {
	fields := reflect.ValueOf(w)
	for k := range fields.NumField() {
		texts = append(texts, fields.Field(k).String())
	}
	return texts
}

package mail

import (
	"embed"

	"tollkeeper/domain/letterhead"
)

// Words are what mails to customers say in a language. Names in single braces are filled in by the server; Texts are
// templates, with values in double braces.
type Words struct {
	Language letterhead.Language `json:"-"`
	Texts    map[Kind]Text

	Invoice       string
	Date          string
	DueDate       string
	Total         string
	AmountDue     string
	Paid          string
	AmountPaid    string
	CreditNote    string
	StillDue      string
	ToBalance     string
	DueOn         string
	NothingToPay  string
	PaidOn        string
	Credited      string
	PleasePay     string
	NothingLeft   string
	WillCharge    string
	WasDue        string // after the number of the invoice
	IsDue         string
	IsDueToday    string
	SeeInvoice    string
	SeeReceipt    string
	SeeCreditNote string
	OpenPortal    string
	SentBy        string
	CostReached   string // titles of alerts
	UsageReached  string
	BalanceFell   string
	Threshold     string
	Reached       string // the value that reached it
	Period        string
	AtOrBelow     string // of a balance: where it is
}

// Text is the standard text of a kind.
type Text struct {
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

//go:embed words
var wordFiles embed.FS

var languages = letterhead.ReadWords(wordFiles, func(w *Words, l letterhead.Language) { w.Language = l })

// In returns the words of a language, the English ones where there are none of it.
func In(language letterhead.Language) Words { return languages.In(language) }

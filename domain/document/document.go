package document

import (
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// Kind is what a document is.
type Kind string

// The kinds of documents.
const (
	KindInvoice    Kind = "invoice"
	KindCreditNote Kind = "credit_note"
	KindReceipt    Kind = "receipt"
)

// Document is an invoice, a credit note or a receipt as people read it. Dates are days in the zone
// of the customer.
type Document struct {
	Kind   Kind
	ID     string // of the invoice or the credit note; of a receipt, the invoice
	Number string // of the invoice or the credit note; of a receipt, the invoice
	Draft  bool
	Void   bool
	Words  Words
	Zone   *time.Location

	Seller     string // legal name
	Letterhead letterhead.Letterhead
	Buyer      invoice.Buyer
	Billing    *customer.Address
	Shipping   *customer.Address // nil: as Billing
	TaxID      *customer.TaxID

	Currency    money.Currency
	InvoiceDate period.Date // of the invoice
	Issued      period.Date // zero of a draft
	Due         period.Date // zero of drafts, credit notes and receipts
	Plan        string
	Fields      []invoice.Field
	Memo        string
	Page        string // address of the page that shows the invoice

	Lines  []Line
	Totals []Total // from the subtotal to what is to pay; the last is the grand one

	Subtotal money.Decimal
	Total    money.Decimal
	Payable  money.Decimal // what is asked for, given back, or was received

	DaysLeftOut int // lines of usage that the appendix has no room for

	Note    *Note    // of a credit note
	Payment *Payment // of a receipt
}

// Line is a line of a document.
type Line struct {
	ID       string
	Name     string
	Item     string // "" of credit notes and receipts
	Service  period.Period
	Quantity money.Decimal
	Rate     string         // of one unit, where the whole line has one rate; else ""
	Currency money.Currency // of Subtotal, Parts and Adjustments
	Subtotal money.Decimal  // before adjustments and credits
	Shown    money.Decimal  // in the column of amounts: Subtotal, or Amount of a price in another unit than the invoice's
	Amount   money.Decimal  // what is left of it to pay, in the currency of the document
	Parts    []Part
	Adjusted []Adjustment
	Work     []Part // each step by which the subtotal was rated

	Days []invoice.UsageDay // of the appendix; nil: the line is not in it
}

// Converted reports a line whose price is in another unit than the document.
func (l Line) Converted(d Document) bool { return l.Currency != d.Currency }

// Part is a sub-line.
type Part struct {
	Name     string
	Quantity money.Decimal
	Rate     string        // "" where there is none
	Amount   money.Decimal // in the currency of the line
}

// Adjustment is what a discount, a minimum or a maximum added to a line.
type Adjustment struct {
	Label  string
	Amount money.Decimal // in the currency of the line; below 0 of discounts
}

// Total is a row below the lines.
type Total struct {
	Label  string
	Amount money.Decimal
	Grand  bool
}

// Note is what a credit note has beside.
type Note struct {
	Invoice  string        // number
	Reason   string        // in words; "" where none was given
	Adjusted money.Decimal // what it takes off what the invoice asks for
	Refunded money.Decimal // what it gives to the balance
}

// Payment is what a receipt is for.
type Payment struct {
	On        period.Date
	Reference string
	Method    string // in words
	Left      money.Decimal
}

// ByDay returns the lines of the appendix, which lists their usage by day: those with usage.
func (d Document) ByDay() (lines []Line) {
	for _, l := range d.Lines {
		if len(l.Days) > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

// Group is lines of one item.
type Group struct {
	Name     string // "": all lines are in one group without a name
	Lines    []Line
	Subtotal money.Decimal // of the column of amounts
}

// mostUngrouped is how many lines a list has at most that is not split by items (semantics 19.1.3).
const mostUngrouped = 12

// Groups returns the lines in the order in which they are shown: a long list is split by items,
// each with a subtotal.
func (d Document) Groups() []Group {
	whole := []Group{{Lines: d.Lines}}
	if len(d.Lines) <= mostUngrouped {
		return whole
	}
	var groups []Group
	at := map[string]int{}
	for _, l := range d.Lines {
		k, known := at[l.Item]
		if !known {
			k, groups = len(groups), append(groups, Group{Name: l.Item})
			at[l.Item] = k
		}
		groups[k].Lines = append(groups[k].Lines, l)
		groups[k].Subtotal = groups[k].Subtotal.Add(l.Shown)
	}
	if len(groups) < 2 || len(groups) > len(d.Lines)/2 {
		return whole
	}
	return groups
}

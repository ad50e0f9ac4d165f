package console

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
)

// creditView is the page on which an invoice is credited, line by line.
type creditView struct {
	invoiceView
	Lines    []creditLine
	Once     string // idempotency key: sending the form twice credits once
	Reason   string
	Memo     string
	Failed   string
	Problems []violation
}

// creditLine is a line that may be credited.
type creditLine struct {
	gen.CreditableLineItem
	Given   string // the amount in the form
	Problem string
}

// creditPage asks how much of each line of an invoice is given back. What is left of each stands there
// already, unless the address asks for empty fields.
func creditPage(v *visit) (templ.Component, error) {
	view, err := loadCredit(v)
	if err != nil {
		return nil, err
	}
	view.Once = store.NewID("form")
	for k := range view.Lines {
		if line := &view.Lines[k]; line.open() && v.query("amounts") != "none" {
			line.Given = line.Creditable
		}
	}
	return creditForm(view), nil
}

// loadCredit reads the invoice that the address names, with what is left of its lines.
func loadCredit(v *visit) (view creditView, err error) {
	if !v.may("createCreditNote") {
		return view, &failure{Status: http.StatusForbidden}
	}
	id := params{"invoice_id": v.param("id")}
	if view.invoiceView, err = loadInvoice(v); err != nil {
		return view, err
	}
	left, err := fetch[gen.CreditableLineItems](v, "listCreditableLineItems", id, nil)
	for _, line := range left.Data {
		view.Lines = append(view.Lines, creditLine{CreditableLineItem: line})
	}
	return view, err
}

// open reports whether something of the line is left to credit.
func (l creditLine) open() bool { return !numberFigure(l.Creditable).Zero }

// submitCredit makes the credit note, or says beside each line what is wrong.
func submitCredit(v *visit) (templ.Component, error) {
	view, err := loadCredit(v)
	if err != nil {
		return nil, err
	}
	view.Once, view.Reason, view.Memo = v.echo.FormValue("once"), v.echo.FormValue("reason"), v.echo.FormValue("memo")
	wanted := gen.CreditNoteCreate{LineItems: []gen.CreditNoteLineItemCreate{}}
	var places []int // of the lines that are sent
	for k := range view.Lines {
		line := &view.Lines[k]
		line.Given = strings.TrimSpace(v.echo.FormValue("amount." + line.InvoiceLineItemID))
		if line.Given != "" && !numberFigure(line.Given).Zero {
			wanted.LineItems = append(wanted.LineItems, gen.CreditNoteLineItemCreate{InvoiceLineItemID: line.InvoiceLineItemID, Amount: line.Given})
			places = append(places, k)
		}
	}
	if view.Reason != "" {
		wanted.Reason = (*gen.CreditNoteReason)(&view.Reason)
	}
	if view.Memo != "" {
		wanted.Memo = &view.Memo
	}
	body, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	answer, err := v.ask(request{Operation: "createCreditNote", Header: http.Header{"Idempotency-Key": {view.Once}}, Body: body})
	if err != nil {
		if statusOf(err) >= http.StatusInternalServerError {
			return nil, err
		}
		view.refuse(err, places)
		return withStatus{creditForm(view), statusOf(err)}, nil
	}
	var note gen.CreditNote
	if err := json.Unmarshal(answer, &note); err != nil {
		return nil, err
	}
	return leadTo(link("credit-notes", note.ID) + "?done=createCreditNote"), nil
}

// refuse shows what the API found wrong beside the lines that it names.
func (c *creditView) refuse(err error, places []int) {
	c.Failed = problemText(err)
	for _, text := range violationsOf(err) {
		place, reason, found := strings.Cut(text, ": ")
		index, inLines := form.IndexIn(place, "line_items")
		if !found || !inLines || index >= len(places) {
			c.Problems = append(c.Problems, violation{Text: asSentence(text)})
			continue
		}
		line := &c.Lines[places[index]]
		line.Problem = asSentence(reason)
		c.Problems = append(c.Problems, violation{"amount." + line.InvoiceLineItemID, line.Name, line.Problem})
	}
}

// effect says what a credit note on this invoice does, before it is made.
func (c creditView) effect() string {
	if c.Invoice.Status == "paid" {
		return "The invoice is paid. What you credit goes to the balance of " + c.Customer + ", and pays for the next invoices."
	}
	due := amountFigure(c.Invoice.AmountDue, c.Invoice.Currency)
	return c.Invoice.Currency + " " + due.Text + " of the invoice are due. What you credit is taken off that; what exceeds it goes to the balance of " + c.Customer + "."
}

// creditReasons are the reasons of the contract.
func (c creditView) creditReasons() []option {
	if schema := c.visit.pages.operations["createCreditNote"].schema(); schema != nil {
		return form.ChoicesOf(form.Flatten(form.Flatten(schema).Properties["reason"].Schema))
	}
	return nil
}

// anyOpen reports whether there is something left to credit.
func (c creditView) anyOpen() bool {
	for _, line := range c.Lines {
		if line.open() {
			return true
		}
	}
	return false
}

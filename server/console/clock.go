package console

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// clockView is the test clock, where it can go, and what happened on the way.
type clockView struct {
	visit    *visit
	Clock    gen.TestClock
	Next     *time.Time // when the next invoice is due to be issued
	Problem  string
	Asked    string // the instant that was refused
	From     string // where the clock stood before it was moved
	Invoices []gen.InvoiceSummary
	Names    customerNames
	Messages []gen.WebhookDelivery
	Err      error
}

// clockPage shows the clock of a test account. After a move it lists what happened.
func clockPage(v *visit) (templ.Component, error) { return showClock(v, "", "") }

func showClock(v *visit, problem, asked string) (templ.Component, error) {
	clock, err := fetch[gen.TestClock](v, "fetchTestClock", nil, nil)
	if err != nil {
		return nil, err
	}
	if !v.account.Test() {
		return nil, &failure{Status: 404}
	}
	view := clockView{visit: v, Clock: clock, Problem: problem, Asked: asked, From: v.query("from")}
	if view.Next, err = nextInvoice(v); err != nil {
		return nil, err
	}
	if view.From != "" {
		view.happened(v)
	}
	return clockDetail(view), nil
}

// nextInvoice returns when the first draft issues itself or, if that is earlier, the first billing period ends; nil: neither
// will be.
func nextInvoice(v *visit) (next *time.Time, err error) {
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) error {
		for _, due := range []func(*store.Tx, time.Time) (time.Time, bool, error){billing.NextIssue, subscription.NextOpening} {
			at, found, err := due(tx, everAfter)
			if err != nil {
				return err
			}
			if found && at.After(v.now) && (next == nil || at.Before(*next)) {
				next = &at
			}
		}
		return nil
	})
	return next, err
}

// everAfter is after whatever is due.
var everAfter = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// happened reads the invoices and messages since the clock was moved.
func (c *clockView) happened(v *visit) {
	page, err := fetch[gen.InvoiceSummaryPage](v, "listInvoiceSummaries", nil, url.Values{"limit": {pageSize}, "status[]": everyInvoice, "invoice_date[gte]": {c.From}})
	if err != nil {
		c.Err = err
		return
	}
	c.Invoices = page.Data
	if c.Names, c.Err = v.customers(idsOf(c.Invoices, func(i gen.InvoiceSummary) string { return i.Customer.ID })); c.Err != nil {
		return
	}
	if v.may("listWebhookDeliveries") {
		messages, err := fetch[gen.WebhookDeliveryPage](v, "listWebhookDeliveries", nil, url.Values{"limit": {pageSize}})
		c.Messages, c.Err = messages.Data, err
	}
}

// steps are the moves that take one click.
func (c clockView) steps() (steps []clockStep) {
	now := c.visit.now.UTC()
	month := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	steps = []clockStep{{"1 hour", now.Add(time.Hour)}, {"1 day", now.AddDate(0, 0, 1)}, {"1 week", now.AddDate(0, 0, 7)}, {"To the end of the month", month}}
	if c.Next != nil {
		steps = append(steps, clockStep{"To the next invoice", *c.Next})
	}
	return steps
}

// clockStep is a move of the clock.
type clockStep struct {
	Name string
	To   time.Time
}

// advanceClock moves the clock and leads to the list of what happened.
func advanceClock(v *visit) (templ.Component, error) {
	asked := strings.TrimSpace(v.echo.FormValue("to"))
	if asked == "" {
		asked = strings.TrimSpace(v.echo.FormValue("now"))
	}
	if at, err := time.Parse("2006-01-02T15:04", asked); err == nil {
		asked = at.Format(time.RFC3339)
	}
	body, err := json.Marshal(gen.TestClockAdvance{Now: asked})
	if err != nil {
		return nil, err
	}
	before := v.now
	_, err = v.ask(request{Operation: "advanceTestClock", Body: body})
	if status := statusOf(err); err != nil && (status == 400 || status == 409) {
		return showClock(v, problemText(err), asked)
	}
	if err != nil {
		return nil, err
	}
	return leadTo(link("clock") + "?from=" + url.QueryEscape(before.UTC().Format(time.RFC3339))), nil
}

// invoices is the table of invoices since the clock was moved.
func (c clockView) invoices() table {
	t := table{Label: "Invoices", Links: true, Columns: []column{{"Invoice", ""}, {"Customer", ""}, {"Status", ""}, {"Date", "mid"}, {"Total", "num"}}}
	for _, i := range c.Invoices {
		t.Rows = append(t.Rows, []templ.Component{numberLink(link("invoices", i.ID), invoiceName(i.InvoiceHeader)), c.Names.link(i.Customer.ID), invoiceBadge(c.visit, i.InvoiceHeader), day(i.InvoiceDate, c.Names.zone(i.Customer.ID)), moneyIn(i.Total, i.Currency)})
	}
	return t
}

package console

import (
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/due"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// todo is an entry of the list of work: what, how much, and one button.
type todo struct {
	Icon, Tone string
	What       string
	Detail     string
	Button     action
}

// homeView is what needs attention, and what is new.
type homeView struct {
	visit  *visit
	Todos  []todo
	Failed []string // parts of the list that could not be read
	Latest table
	Days   []dayVolume
	DayErr error
}

// homePage lists what needs somebody. A part that cannot be read says so in its place.
func homePage(v *visit) (templ.Component, error) {
	view := homeView{visit: v}
	for _, part := range []struct {
		name string
		look func(*visit) ([]todo, error)
	}{{"Overdue invoices", overdueInvoices}, {"Failed webhooks", failedWebhooks}, {"Parked work", parkedTodo}, {"Drafts", draftTodo}} {
		found, err := part.look(v)
		if err != nil && statusOf(err) != 403 {
			view.Failed = append(view.Failed, part.name)
		}
		view.Todos = append(view.Todos, found...)
	}
	if v.may("listInvoices") {
		page, err := fetch[gen.InvoiceSummaryPage](v, "listInvoiceSummaries", nil, url.Values{"limit": {"8"}, "status[]": {"issued", "paid", "synced"}})
		if err != nil {
			return nil, err
		}
		if view.Latest, err = invoiceTable(v, page.Data); err != nil {
			return nil, err
		}
	}
	if v.may("listEventVolumes") {
		from, until := v.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -29), v.now.UTC()
		volumes, err := fetch[gen.EventVolumes](v, "listEventVolumes", nil, url.Values{"timeframe_start": {from.Format(time.RFC3339)}, "timeframe_end": {until.Format(time.RFC3339)}})
		view.Days, view.DayErr = eventsView{Volumes: volumes.Data}.days(), err
	}
	return homeDetail(view), nil
}

// mostCounted bounds how many rows are read to be counted.
const mostCounted = 100

// many writes a count, of which there may be more that were not read.
func many(n int, more bool, things string) string {
	if more {
		return "At least " + counted(n, things)
	}
	return counted(n, things)
}

// overdueInvoices are those of all customers.
func overdueInvoices(v *visit) ([]todo, error) {
	page, err := fetch[gen.InvoiceSummaryPage](v, "listInvoiceSummaries", nil, url.Values{"limit": {"100"}, "date_type": {"due_date"}, "overdue": {"true"}})
	if err != nil || len(page.Data) == 0 {
		return nil, err
	}
	oldest := page.Data[len(page.Data)-1]
	names, err := v.customers([]string{oldest.Customer.ID})
	if err != nil {
		return nil, err
	}
	detail := "The oldest, "
	if page.PaginationMetadata.HasMore {
		detail = "One of them, "
	}
	detail += invoiceName(oldest.InvoiceHeader) + " of " + names.name(oldest.Customer.ID)
	if oldest.DueDate != nil {
		if at, ok := parseInstant(*oldest.DueDate); ok {
			detail += ", " + counted(daysAfter(at, v.now, names.zone(oldest.Customer.ID)), "days") + " overdue"
		}
	}
	what := " is overdue"
	if len(page.Data) != 1 {
		what = " are overdue"
	}
	return []todo{{"file", "bad", many(len(page.Data), page.PaginationMetadata.HasMore, "invoices") + what, detail, action{Address: link("invoices") + "?status=" + overdue, Name: "See invoices"}}}, nil
}

// failedWebhooks are messages that an endpoint did not take.
func failedWebhooks(v *visit) ([]todo, error) {
	page, err := fetch[gen.WebhookDeliveryPage](v, "listWebhookDeliveries", nil, url.Values{"limit": {"100"}, "status": {"failed"}})
	if err != nil {
		return nil, err
	}
	if len(page.Data) == 0 {
		return waitingWebhooks(v)
	}
	newest := page.Data[0]
	return []todo{{"hook", "bad", many(len(page.Data), page.PaginationMetadata.HasMore, "webhook deliveries") + " failed", "The newest, " + newest.Type + ": " + lastAnswer(newest), action{Address: link("webhooks", newest.WebhookEndpointID) + "?status=failed", Name: "See deliveries"}}}, nil
}

// waitingWebhooks are messages that an endpoint did not take yet, and that are sent again.
func waitingWebhooks(v *visit) ([]todo, error) {
	page, err := fetch[gen.WebhookDeliveryPage](v, "listWebhookDeliveries", nil, url.Values{"limit": {"100"}, "status": {"pending"}})
	tried := slices.DeleteFunc(page.Data, func(d gen.WebhookDelivery) bool { return len(d.Attempts) == 0 })
	if err != nil || len(tried) == 0 {
		return nil, err
	}
	return []todo{{"hook", "warn", many(len(tried), page.PaginationMetadata.HasMore, "webhook deliveries") + " failed so far", "They are tried again. The newest, " + tried[0].Type + ": " + lastAnswer(tried[0]), action{Address: link("webhooks", tried[0].WebhookEndpointID) + "?status=pending", Name: "See deliveries"}}}, nil
}

// parkedTodo is due work that failed.
func parkedTodo(v *visit) ([]todo, error) {
	if !v.may("fetchTestClock") {
		return nil, nil
	}
	units, err := v.parkedWork()
	if err != nil || len(units) == 0 {
		return nil, err
	}
	first := units[0]
	return []todo{{"pause", "warn", many(len(units), len(units) >= mostCounted, "units") + " of work parked", asSentence(first.Kind) + " failed " + counted(first.Attempts, "times") + lane(first), action{Address: link("work"), Name: "See parked work"}}}, nil
}

// lane says what waits for a parked unit.
func lane(p due.Parked) string {
	if p.CustomerID != nil {
		return "; later work of the customer waits"
	}
	return ""
}

// draftTodo are drafts that do not issue by themselves. They are counted, and not worked out: that takes long where there are many.
func draftTodo(v *visit) (todos []todo, err error) {
	if !v.may("listInvoiceSummaries") {
		return nil, nil
	}
	waiting := 0
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		waiting, err = billing.WaitForHand(tx, mostCounted)
		return err
	})
	if err != nil || waiting == 0 {
		return nil, err
	}
	return []todo{{"note", "warn", many(waiting, waiting >= mostCounted, "drafts") + " to be issued by hand", "They can be issued now, and do not issue by themselves", action{Address: link("invoices") + "?status=draft", Name: "Review drafts"}}}, nil
}

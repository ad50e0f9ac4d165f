package main

import (
	"context"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"time"

	"tollkeeper/gen"
)

// invoiced is when the invoices of the month are out: the grace period of the
// account, half a day unless it was changed, has passed.
var invoiced = monthEnd.AddDate(0, 0, 1)

// bill brings the traces onto invoices and returns these, in the order of the
// traces. What an earlier run did is found and not done again.
func (b *biller) bill(ctx context.Context, traces []trace) ([]gen.Invoice, error) {
	now, err := b.startClock(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.plan(ctx); err != nil {
		return nil, err
	}
	for _, t := range traces {
		if err := b.subscribe(ctx, t, now); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	if now.Before(invoiced) {
		if err := b.send(ctx, traces, now); err != nil {
			return nil, err
		}
		if _, err := b.advance(ctx, invoiced); err != nil {
			return nil, err
		}
	} else {
		b.say("the month is over on this account's clock: nothing to send, here is what was invoiced")
	}
	invoices := make([]gen.Invoice, len(traces))
	for i, t := range traces {
		if invoices[i], err = b.invoice(ctx, t); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return invoices, nil
}

// subscribe makes the trace's customer and its subscription from the start of
// the month, unless they are there.
func (b *biller) subscribe(ctx context.Context, t trace, now time.Time) error {
	_, err := get[gen.Customer](ctx, b, "/customers/external_customer_id/"+url.PathEscape(t.ID), nil)
	if status(err) == http.StatusNotFound {
		err = b.createCustomer(ctx, t, now)
	}
	if err != nil {
		return err
	}
	page, err := get[gen.SubscriptionPage](ctx, b, "/subscriptions", url.Values{"external_customer_id": {t.ID}})
	if err != nil || len(page.Data) > 0 {
		return err
	}
	_, err = post[gen.Subscription](ctx, b, "/subscriptions", "", gen.SubscriptionCreate{
		ExternalCustomerID: &t.ID, ExternalPlanID: pointer(planID), StartDate: pointer(monthStart.Format(time.DateOnly)),
	})
	return err
}

func (b *biller) createCustomer(ctx context.Context, t trace, now time.Time) error {
	if first := batches([]trace{t})[0].first(); now.After(first.Add(stillTaken)) {
		return past(now, first)
	}
	_, err := post[gen.Customer](ctx, b, "/customers", "", gen.CustomerCreate{
		ExternalCustomerID: &t.ID, Name: t.Name, Email: "billing@example.com", Timezone: pointer("UTC"), Currency: pointer("USD"),
	})
	return err
}

// send reports every row as a usage event, with the clock at the end of each
// batch as it goes out. The server knows the rows it has by their keys.
func (b *biller) send(ctx context.Context, traces []trace, now time.Time) (err error) {
	sent := map[*trace]int{}
	for _, batch := range batches(traces) {
		if batch.first().Before(now.Add(-stillTaken)) {
			continue // went out before the clock got here; the invoice is compared with the file
		}
		if batch.last().After(now) {
			if now, err = b.advance(ctx, batch.last()); err != nil {
				return err
			}
		}
		if err := b.ingest(ctx, batch); err != nil {
			return fmt.Errorf("%s: %w", batch.trace.Name, err)
		}
		sent[batch.trace] += len(batch.rows)
		b.say("%s: sent %d of %d rows", batch.trace.Name, sent[batch.trace], len(batch.trace.Rows))
	}
	return nil
}

func (b *biller) ingest(ctx context.Context, batch batch) error {
	var request gen.IngestRequest
	for _, r := range batch.rows {
		request.Events = append(request.Events, gen.Event{
			IdempotencyKey: r.Key, EventName: eventName, ExternalCustomerID: &batch.trace.ID, Timestamp: r.At.Format(time.RFC3339Nano),
			Properties: &gen.EventProperties{contextProperty: pointer[any](r.Context), outputProperty: pointer[any](r.Output)},
		})
	}
	_, err := post[gen.IngestResult](ctx, b, "/ingest", "", request)
	return err
}

// invoice finds the one that bills the trace's month, and holds its quantities
// against the file.
func (b *biller) invoice(ctx context.Context, t trace) (none gen.Invoice, err error) {
	page, err := get[gen.InvoicePage](ctx, b, "/invoices", url.Values{
		"external_customer_id": {t.ID},
		"invoice_date[gte]":    {monthEnd.Format(time.RFC3339)}, "invoice_date[lt]": {invoiced.Format(time.RFC3339)},
	})
	if err != nil {
		return none, err
	}
	if len(page.Data) != 1 {
		return none, fmt.Errorf("there are %d invoices of %s, not one", len(page.Data), monthEnd.Format(time.DateOnly))
	}
	if err := agree(page.Data[0], inputLine, t.Context); err != nil {
		return none, err
	}
	return page.Data[0], agree(page.Data[0], outputLine, t.Output)
}

// agree holds the quantity of a line against the file's sum.
func agree(invoice gen.Invoice, line string, sum *big.Int) error {
	billed := "nothing"
	for _, l := range invoice.LineItems {
		if l.Name == line {
			billed = l.Quantity.String()
		}
	}
	if billed != sum.String() {
		return fmt.Errorf("%s: the file has %s and the invoice bills %s", line, sum, billed)
	}
	return nil
}

package importaccount

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Kinds of resources in journals and reports.
const (
	kindItem         = "item"
	kindMetric       = "metric"
	kindGroup        = "dimensional_price_group"
	kindLicenseType  = "license_type"
	kindCoupon       = "coupon"
	kindPrice        = "price"
	kindPlan         = "plan"
	kindVersion      = "plan_version"
	kindCustomer     = "customer"
	kindSubscription = "subscription"
	kindLicense      = "license"
	kindInvoice      = "invoice"
	kindBalance      = "balance"
	kindCredits      = "credits"
	kindTopUp        = "top_up"
	kindAlert        = "alert"
	kindBackfill     = "backfill"
	kindEvent        = "event"
	kindDone         = "done" // steps after a creation, such as archiving
)

// Options say what is moved, and where to.
type Options struct {
	Source, Target *Client
	Journal        *Journal  // nil with DryRun
	DryRun         bool      // reads the source and creates nothing
	EventKeys      io.Reader // idempotency keys, one on each line, of the events to move; nil for none
}

// transfer is one run.
type transfer struct {
	Options
	report Report

	seen        map[string]map[string]bool // in a dry run, what would be there
	currencies  map[string]bool            // units of prices, in which there may be credits
	catalog     map[string]bool            // prices of the source that are in plans or stand alone
	customers   []object
	subs        []*movedSubscription
	sourcePlans []*movedPlan
	met         map[string]bool // alerts
	now         time.Time       // by the clock of the source
}

// Run moves an account. What was moved before is left as it is.
func Run(ctx context.Context, o Options) (Report, error) {
	t := &transfer{
		Options: o, report: Report{Created: map[string]int{}, Kept: map[string]int{}},
		seen: map[string]map[string]bool{}, currencies: map[string]bool{"credits": true}, catalog: map[string]bool{}, met: map[string]bool{},
	}
	if err := t.checkTarget(ctx); err != nil {
		return t.report, err
	}
	for _, step := range []func(context.Context) error{
		t.items, t.metrics, t.groups, t.licenseTypes, t.coupons, t.addOnPrices, t.plans,
		t.moveCustomers, t.events, t.subscriptions, t.settle, t.balances, t.credits, t.topUps, t.alerts, t.collection,
		t.documents,
	} {
		if err := step(ctx); err != nil {
			return t.report, err
		}
	}
	return t.report, nil
}

// checkTarget refuses to begin where customers are already: without the journal of the run
// that made them, they would be there twice.
func (t *transfer) checkTarget(ctx context.Context) error {
	if t.DryRun || !t.Journal.new {
		return nil
	}
	page, err := t.Target.get(ctx, "/customers?limit=1")
	if err != nil {
		return err
	}
	if len(objects(page, "data")) > 0 {
		return errors.New("the target account has customers already: move into an empty account, or name the journal of the transfer that made them")
	}
	return nil
}

// to returns the id at the target.
func (t *transfer) to(kind, from string) (string, bool) {
	if t.DryRun {
		return from, t.seen[kind][from]
	}
	return t.Journal.id(kind, from)
}

// created makes a resource at the target unless an earlier run did, and returns its id there.
// A refusal by the target is reported, and the resource left out.
func (t *transfer) create(ctx context.Context, kind string, of object, path string, body object) (id string, ok bool, err error) {
	from := text(of, "id")
	if id, known := t.to(kind, from); known {
		t.report.Kept[kind]++
		return id, true, nil
	}
	if t.DryRun {
		t.plan(kind, from)
		t.report.Created[kind]++
		return from, true, nil
	}
	answer, err := t.Target.send(ctx, http.MethodPost, path, body, idempotencyKey(kind, from))
	if refused(err, http.StatusBadRequest) || refused(err, http.StatusNotFound) {
		t.leave(kind, of, "the target refuses it: "+err.Error())
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	id = text(answer, "id")
	if err := t.Journal.write(line{Kind: kind, From: from, To: id}); err != nil {
		return "", false, err
	}
	t.report.Created[kind]++
	return id, true, nil
}

func (t *transfer) plan(kind, from string) {
	if t.seen[kind] == nil {
		t.seen[kind] = map[string]bool{}
	}
	t.seen[kind][from] = true
}

// once takes a step that creates nothing, unless it was taken before.
func (t *transfer) once(name string, step func() error) error {
	if t.DryRun {
		return nil
	}
	if _, done := t.Journal.id(kindDone, name); done {
		return nil
	}
	if err := step(); err != nil {
		return err
	}
	return t.Journal.write(line{Kind: kindDone, From: name})
}

// idempotencyKey follows from what is created, so a repeat of the request has no effect.
func idempotencyKey(kind, from string) string {
	sum := sha256.Sum256([]byte(kind + " " + from))
	return "transfer-" + hex.EncodeToString(sum[:20])
}

// escaped is an id as a part of a path.
func escaped(id string) string { return url.PathEscape(id) }

// upcoming is the draft of a subscription's open period; nil where there is none.
func upcoming(ctx context.Context, c *Client, subscription string) (object, error) {
	invoice, err := c.get(ctx, "/invoices/upcoming?subscription_id="+url.QueryEscape(subscription))
	if refused(err, http.StatusNotFound) || refused(err, http.StatusBadRequest) {
		return nil, nil
	}
	return invoice, err
}

// wait pauses between questions about work that goes on.
func wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("stopped: %w", ctx.Err())
	case <-time.After(50 * time.Millisecond):
		return nil
	}
}

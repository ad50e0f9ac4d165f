package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tollkeeper/scripts/rig"
)

// run is a history being played on an account.
type run struct {
	c       *client
	w       *world
	refused map[string]int // steps that the server did not grant, by kind
	why     map[string]string
	books   books
	quick   bool
	known   known
	effects map[string]*effects                       // of adjustments on lines of documents, by the line
	pairs   map[string]map[string]int                 // steps done, by kind and feature
	instead func(path string, body any) (node, error) // of a request that changes a subscription; nil: it is sent
}

func newRun(c *client) *run {
	r := &run{c: c, w: newWorld(), refused: map[string]int{}, why: map[string]string{}, books: newBooks(), pairs: map[string]map[string]int{}, known: newKnown(), effects: map[string]*effects{}}
	r.w.issued, r.w.worth, r.w.base = r.issued, r.worth, r.base
	r.w.frozen = func(c *charge) bool { return r.books.frozen(r.w.subs[c.sub].id, c) }
	return r
}

// errSkipped is a step that makes no sense, for what it works on is not there.
var errSkipped = errors.New("skipped")

// mismatch is a difference between the server and the model.
type mismatch struct{ what string }

func (m *mismatch) Error() string { return m.what }

func differ(format string, args ...any) error { return &mismatch{fmt.Sprintf(format, args...)} }

// apply does a step: it asks the server and, when that grants it, the model does it too.
// Done is false when it was skipped or refused.
func (r *run) apply(ctx context.Context, s step) (done bool, err error) {
	do := steps[s.Do]
	if do == nil {
		return false, fmt.Errorf("no step is called %q", s.Do)
	}
	err = do(r, ctx, s)
	var no *rig.Refusal
	switch {
	case errors.Is(err, errSkipped):
		return false, nil
	case errors.As(err, &no) && no.Status < 500:
		kind := s.Do
		if s.Option != "" {
			kind += " " + s.Option
		}
		r.refused[kind]++
		r.why[kind] = string(no.Body)
		return false, nil
	case errors.As(err, &no):
		return false, differ("%s", no)
	}
	return err == nil, err
}

var steps map[string]func(*run, context.Context, step) error

func init() {
	steps = map[string]func(*run, context.Context, step) error{
		"clock": (*run).clock, "customer": (*run).customer, "plan": (*run).plan, "subscribe": (*run).subscribe, "redeem": (*run).redeem,
		"cancel": (*run).cancel, "unschedule cancellation": (*run).unscheduleCancellation,
		"quantity": (*run).quantity, "unschedule quantity": (*run).unscheduleQuantity,
		"ingest": (*run).ingest, "deprecate": (*run).deprecate, "amend": (*run).amend,
		"credit": (*run).credit, "decrement": (*run).decrement,
		"plan change": (*run).planChange, "unschedule plan change": (*run).unschedulePlanChange,
		"trigger phase": (*run).triggerPhase,
		"license":       (*run).giveLicense, "end license": (*run).endLicense,
		"top-up": (*run).addTopUp, "end top-up": (*run).endTopUp,
		"edit price": (*run).editPrice, "update trial": (*run).updateTrial, "version": (*run).version, "migrate": (*run).migrate, "add price": (*run).addPrice, "end price": (*run).endPrice,
		"void credits": (*run).voidCredits, "move expiry": (*run).moveExpiry,
		"invoice": (*run).invoice, "issue invoice": (*run).issueInvoice, "settle invoice": (*run).settleInvoice, "move balance": (*run).moveBalance,
		"mark paid": (*run).markPaid, "void invoice": (*run).void, "credit note": (*run).note,
		"add line": (*run).addLine, "remove line": (*run).removeLine, "add adjustment": (*run).addAdjustment, "edit adjustment": (*run).editAdjustment,
		"propose": (*run).propose, "apply change": (*run).applyChange, "cancel change": (*run).cancelChange,
		"backfill": (*run).backfill, "close backfill": (*run).closeBackfill, "revert backfill": (*run).revertBackfill,
	}
}

func (r *run) post(ctx context.Context, path string, body any) (node, error) {
	if r.instead != nil && strings.HasPrefix(path, "/v1/subscriptions/") {
		return r.instead(path, body)
	}
	return r.c.ask(ctx, http.MethodPost, path, body)
}

// advance moves the clock. Work that fails on the way is a failure of the server, as a status of 500 is.
func (r *run) advance(ctx context.Context, to string) error {
	moved, err := r.post(ctx, "/v1/test_clock/advance", object{"now": to})
	if err != nil {
		return err
	}
	if parked := moved.list("parked"); len(parked) > 0 {
		return &rig.Refusal{Asked: "POST /v1/test_clock/advance", Answer: rig.Answer{Status: http.StatusInternalServerError, Body: []byte(fmt.Sprint("parked: ", parked))}}
	}
	return nil
}

func (r *run) clock(ctx context.Context, s step) error {
	at, err := time.Parse(time.RFC3339, s.At)
	if err != nil {
		return err
	}
	if at.Before(r.w.now) {
		return errSkipped
	}
	if err := r.advance(ctx, s.At); err != nil {
		return err
	}
	r.w.now = at.UTC()
	return nil
}

func (r *run) customer(ctx context.Context, s step) error {
	body := object{"name": s.Name, "email": s.Name + "@example.test", "external_customer_id": s.Name, "timezone": s.Zone, "currency": "USD"}
	if s.Of != "" {
		parent := r.w.customers[s.Of]
		if parent == nil {
			return errSkipped
		}
		body["hierarchy"] = object{"parent_customer_id": parent.id, "child_customer_ids": []string{}}
	}
	made, err := r.post(ctx, "/v1/customers", body)
	if err != nil {
		return err
	}
	r.w.customers[s.Name] = &customer{name: s.Name, id: made.str("id"), zone: newZone(s.Zone), parent: s.Of, ledgers: map[string]*ledger{}}
	return nil
}

// when reads a date in a zone, or an instant.
func when(z *zone, text string) time.Time {
	if !strings.Contains(text, "T") {
		return z.start(parseDay(text))
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

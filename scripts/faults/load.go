package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tollkeeper/scripts/rig"
)

type object = rig.Object

// told is what clients were answered.
type told struct {
	mu        sync.Mutex
	events    []string // keys
	customers []string // ids, of the account with a webhook
	weekly    int      // subscriptions
	heard     map[string]bool
}

func (t *told) note(what func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	what()
}

// load is what runs beside the histories, until home is closed.
type load struct {
	m      *machine
	seed   uint64
	url    string // of the patient proxy
	told   *told
	home   chan struct{}
	events string // accounts
	weekly string
	group  errgroup.Group
	closer func()
	clock  keyClock // of the weekly account
}

const start = "2025-01-01T00:00:00Z"

// begin makes the accounts and lets their clients work.
func (m *machine) begin(ctx context.Context, seed uint64, url string) (l *load, err error) {
	l = &load{m: m, seed: seed, url: url, told: &told{heard: map[string]bool{}}, home: make(chan struct{})}
	receiver := httptest.NewServer(l.told)
	l.closer = receiver.Close
	clients := map[string]rig.Client{} // through the patient proxy
	for _, name := range []string{"events", "weekly", "webhooks"} {
		made, err := m.command().CreateTestAccount(ctx, fmt.Sprint(name, " ", seed))
		if err != nil {
			return l, err
		}
		clients[name] = rig.Client{URL: url, Key: made.Key}
		switch name {
		case "events":
			l.events = made.ID
		case "weekly":
			l.weekly = made.ID
		}
		if _, err := m.command().Run(ctx, "account", "set", made.ID, "webhook_retries", "1s,1s,2s,2s,5s,5s,10s,10s,20s"); err != nil {
			return l, err
		}
		if err := clients[name].Post(ctx, "/v1/test_clock/advance", object{"now": start}, nil); err != nil {
			return l, err
		}
	}
	events, weekly, hooks := clients["events"], clients["weekly"], clients["webhooks"]
	if err := l.meter(ctx, events); err != nil {
		return l, err
	}
	for n := range 3 {
		l.group.Go(func() error { return l.write(ctx, events, n) })
	}
	order, err := l.plan(ctx, weekly)
	if err != nil {
		return l, err
	}
	l.group.Go(func() error { return l.subscribe(ctx, weekly, order) })
	l.group.Go(func() error { return l.advance(ctx, weekly) })
	if _, err := hooks.Create(ctx, "/v1/webhook_endpoints", object{"url": receiver.URL, "event_types": []string{"customer.created"}}); err != nil {
		return l, err
	}
	l.group.Go(func() error { return l.create(ctx, hooks) })
	return l, nil
}

// ServeHTTP receives webhooks.
func (t *told) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var message struct {
		Customer struct{ ID string }
	}
	if json.NewDecoder(r.Body).Decode(&message) == nil {
		t.note(func() { t.heard[message.Customer.ID] = true })
	}
}

// over reports that clients go home, after a while.
func (l *load) over(wait time.Duration) bool {
	select {
	case <-l.home:
		return true
	case <-time.After(wait * time.Duration(max(1, l.m.o.rest))):
		return false
	}
}

// meter has the events counted, so that buckets are kept for them.
func (l *load) meter(ctx context.Context, c rig.Client) error {
	item, err := c.Create(ctx, "/v1/items", object{"name": "Calls"})
	if err != nil {
		return err
	}
	_, err = c.Create(ctx, "/v1/metrics", object{"name": "Calls", "description": nil, "item_id": item, "sql": "SELECT SUM(n) FROM events"})
	return err
}

// write sends events, of which some were sent before.
func (l *load) write(ctx context.Context, c rig.Client, writer int) error {
	random := rand.New(rand.NewPCG(l.seed, uint64(writer)))
	for n := 0; !l.over(10 * time.Millisecond); {
		var keys []string
		var events []object
		for k := range 1 + random.IntN(20) {
			key := fmt.Sprintf("%d-%d-%d", l.seed, writer, max(0, n+k-random.IntN(3)))
			keys = append(keys, key)
			events = append(events, object{"idempotency_key": key, "event_name": "call", "external_customer_id": "acme", "timestamp": start, "properties": object{"n": 1}})
		}
		n += len(keys)
		if err := c.Post(ctx, "/v1/ingest", object{"events": events}, nil); err != nil {
			return err
		}
		l.told.note(func() { l.told.events = append(l.told.events, keys...) })
	}
	return nil
}

// plan makes what is billed each week, and returns an order of it.
func (l *load) plan(ctx context.Context, c rig.Client) (object, error) {
	item, err := c.Create(ctx, "/v1/items", object{"name": "Seat"})
	if err != nil {
		return nil, err
	}
	plan, err := c.Create(ctx, "/v1/plans", object{"name": "Weekly", "currency": "USD", "prices": []object{{"price": object{
		"name": "Seat", "item_id": item, "cadence": "custom", "billing_cycle_configuration": object{"duration": 7, "duration_unit": "day"},
		"model_type": "unit", "unit_config": object{"unit_amount": "10"},
	}}}})
	return object{"plan_id": plan, "start_date": "2025-01-01"}, err
}

// mostWeekly bounds the subscriptions that are billed each week.
const mostWeekly = 20

func (l *load) subscribe(ctx context.Context, c rig.Client, order object) error {
	for range mostWeekly {
		customer, err := c.Create(ctx, "/v1/customers", object{"name": "Acme", "email": "a@acme.test"})
		if err != nil {
			return err
		}
		order["customer_id"] = customer
		if err := l.clock.hold(func() error {
			_, err := c.Create(ctx, "/v1/subscriptions", order)
			return err
		}); err != nil {
			return err
		}
		l.told.note(func() { l.told.weekly++ })
		for k, entry := range []object{{"entry_type": "increment", "amount": 7}, {"entry_type": "decrement", "amount": 2}, {"entry_type": "increment", "amount": 1}} {
			err := l.clock.hold(func() error {
				return c.Post(ctx, "/v1/customers/"+customer+"/credits/ledger_entry", entry, nil)
			})
			if err != nil {
				return fmt.Errorf("entry %d: %w", k, err)
			}
		}
		if l.over(500 * time.Millisecond) {
			break
		}
	}
	return nil
}

// advance moves the clock on, some days at a time, for at most nine months: invoices can be started no farther back.
func (l *load) advance(ctx context.Context, c rig.Client) error {
	random := rand.New(rand.NewPCG(l.seed, 99))
	at, _ := time.Parse(time.RFC3339, start)
	for end := at.AddDate(0, 9, 0); at.Before(end) && !l.over(200*time.Millisecond); {
		at = at.Add(time.Duration(6+random.IntN(90)) * time.Hour)
		if err := l.clock.moveTo(at, func() error {
			return c.Post(ctx, "/v1/test_clock/advance", object{"now": at.Format(time.RFC3339)}, nil)
		}); err != nil {
			return err
		}
	}
	return nil
}

// create makes customers. The server sends a webhook for each.
func (l *load) create(ctx context.Context, c rig.Client) error {
	for !l.over(100 * time.Millisecond) {
		id, err := c.Create(ctx, "/v1/customers", object{"name": "Hook", "email": "h@hook.test"})
		if err != nil {
			return err
		}
		l.told.note(func() { l.told.customers = append(l.told.customers, id) })
	}
	return nil
}

// sendHome waits until each client has its last answer.
func (l *load) sendHome() error {
	close(l.home)
	return l.group.Wait()
}

// unheard are the customers that no webhook has told.
func (t *told) unheard() (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range t.customers {
		if !t.heard[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// short is the beginning of a long text.
func short(text string) string {
	if lines := strings.SplitN(text, "\n", 30); len(lines) == 30 {
		return strings.Join(lines[:29], "\n")
	}
	return text
}

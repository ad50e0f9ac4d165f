package webhook_test

import (
	"context"
	"flag"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestWebhook(t *testing.T) {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		t.Fatal(err)
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "webhooks")
}

// outbox is an account with endpoints. Attempts are made at instants that specs choose.
type outbox struct {
	store *store.Store
	ctx   context.Context
}

// open makes an outbox. The account's clock is far from real time, which it has nothing to
// do with (semantics 0.2.7).
func open() outbox {
	GinkgoHelper()
	o := outbox{store: storetest.Shared()}
	o.ctx = storetest.Account(o.store, "test")
	storetest.SetClock(o.store, o.ctx, time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC))
	return o
}

func (o outbox) try(fn func(tx *store.Tx) error) error { return o.store.Update(o.ctx, fn) }

func (o outbox) do(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(o.try(fn)).To(Succeed())
}

func (o outbox) setting(name string, value any) {
	GinkgoHelper()
	Expect(o.store.AsOwner(o.ctx, func(db *gorm.DB) error {
		return db.Exec("UPDATE accounts SET "+name+" = ? WHERE id = ?", value, store.AccountID(o.ctx)).Error
	})).To(Succeed())
}

// endpoint makes one that is told of those types, of all where none is named.
func (o outbox) endpoint(types ...webhook.Type) (made webhook.Endpoint) {
	GinkgoHelper()
	in := webhook.NewEndpoint{URL: "https://example.test/hook"}
	if len(types) > 0 {
		in.EventTypes = &types
	}
	o.do(func(tx *store.Tx) (err error) {
		made, err = webhook.CreateEndpoint(tx, in)
		return err
	})
	return made
}

// edit changes an endpoint.
func (o outbox) edit(id string, change func(*webhook.Endpoint)) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) error {
		_, err := webhook.UpdateEndpoint(tx, id, change)
		return err
	})
}

func enable(e *webhook.Endpoint)  { e.Enabled = true }
func disable(e *webhook.Endpoint) { e.Enabled = false }

// find reads an endpoint.
func (o outbox) find(id string) (e webhook.Endpoint) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) (err error) {
		e, err = webhook.FindEndpoint(tx, id)
		return err
	})
	return e
}

// body writes what a message of an announcement says.
func body(_ *store.Tx, m webhook.Message, a webhook.Announcement) (string, error) {
	return `{"id": "` + m.ID + `", "of": "` + a.ID + `"}`, nil
}

// happens announces that something was done to resources, in one transaction.
func (o outbox) happens(t webhook.Type, ids ...string) {
	GinkgoHelper()
	var all []webhook.Announcement
	for _, id := range ids {
		all = append(all, webhook.Announcement{Type: t, ID: id})
	}
	o.do(func(tx *store.Tx) error { return webhook.Queue(tx, all, body) })
}

// log is the deliveries that a filter lets through, oldest first.
func (o outbox) log(filter webhook.Filter) (all []webhook.Delivery) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) error {
		page, _, err := webhook.ListDeliveries(tx, filter, store.Page{Limit: 1000})
		for _, d := range page {
			all = append([]webhook.Delivery{d}, all...)
		}
		return err
	})
	return all
}

// claim takes what has been due longest at an endpoint.
func (o outbox) claim(endpoint string, now time.Time) (s webhook.Sending, found bool) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) (err error) {
		s, found, err = webhook.Claim(tx, endpoint, now)
		return err
	})
	return s, found
}

// answered puts an answer on record that came at an instant.
func (o outbox) answered(s webhook.Sending, at time.Time, status int, retryAfter time.Duration) (disabled bool) {
	GinkgoHelper()
	answer := webhook.Answer{Attempt: webhook.Attempt{At: at.Truncate(time.Microsecond)}, RetryAfter: retryAfter}
	if status != 0 {
		answer.Status = &status
	}
	if status < 200 || status > 299 {
		answer.Error = ref("answered badly")
	}
	o.do(func(tx *store.Tx) error {
		recorded, err := webhook.Record(tx, s, answer)
		disabled = recorded.Disabled
		return err
	})
	return disabled
}

func ref[T any](v T) *T { return &v }

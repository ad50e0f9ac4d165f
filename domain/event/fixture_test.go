package event_test

import (
	"context"
	"strings"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var (
	noon = domaintest.Noon
	call = domaintest.Call
)

// fixture is an account with a recorder, and customer cus_1 with the alias acme.
type fixture struct {
	store    *store.Store
	ctx      context.Context
	recorder *event.Recorder
}

func newFixture() fixture {
	GinkgoHelper()
	return newFixtureOn(storetest.Shared())
}

func newFixtureOn(st *store.Store) fixture {
	GinkgoHelper()
	r := domaintest.RecordingOn(st)
	return fixture{r.Store, r.Ctx, r.Recorder}
}

// send decodes a body and records its events.
func (d fixture) send(events ...string) event.Outcome {
	GinkgoHelper()
	outcome, err := d.recorder.Record(d.ctx, decoded(events...))
	Expect(err).NotTo(HaveOccurred())
	return outcome
}

// decoded reads events as those of a request.
func decoded(events ...string) []event.Event {
	GinkgoHelper()
	all, err := event.Decode(strings.NewReader(`{"events": [` + strings.Join(events, ", ") + `]}`))
	Expect(err).NotTo(HaveOccurred())
	return all
}

// count is how many events of the account are stored.
func (d fixture) count() int {
	GinkgoHelper()
	return int(d.value("SELECT count(*) FROM events WHERE account_id = ?", store.AccountID(d.ctx)))
}

// value is the one value of a query in the account.
func (d fixture) value(query string, args ...any) (value int64) {
	GinkgoHelper()
	Expect(d.store.View(d.ctx, func(tx *store.Tx) error { return tx.Raw(query, args...).Row().Scan(&value) })).To(Succeed())
	return value
}

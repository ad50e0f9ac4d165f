package backfill_test

import (
	"context"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/backfill"
	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
	"tollkeeper/store/tempfile"
)

func TestBackfill(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backfill")
}

// noon is the instant of the clock of the specs.
var noon = time.Date(2025, 7, 20, 12, 0, 0, 0, time.UTC)

// fixture is an account with a recorder. It counts the events of the alias acme.
type fixture struct {
	store    *store.Store
	ctx      context.Context
	recorder *event.Recorder
}

func newFixture() fixture {
	GinkgoHelper()
	st := storetest.Shared()
	d := fixture{st, storetest.Account(st, "test"), event.NewRecorder(st)}
	d.clock(noon)
	return d
}

func (d fixture) clock(at time.Time) {
	GinkgoHelper()
	storetest.SetClock(d.store, d.ctx, at)
}

// try runs an operation in a transaction.
func try[T any](d fixture, do func(tx *store.Tx) (T, error)) (result T, err error) {
	err = d.store.Update(d.ctx, func(tx *store.Tx) (err error) {
		result, err = do(tx)
		return err
	})
	return result, err
}

// must is try for what succeeds.
func must[T any](d fixture, do func(tx *store.Tx) (T, error)) T {
	GinkgoHelper()
	result, err := try(d, do)
	Expect(err).NotTo(HaveOccurred())
	return result
}

// july opens a backfill that replaces the first nine days of July.
func (d fixture) july(change func(*backfill.NewBackfill)) (backfill.Backfill, error) {
	wanted := backfill.NewBackfill{
		TimeframeStart: time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC),
		TimeframeEnd:   time.Date(2025, 7, 10, 0, 0, 0, 0, time.UTC),
		Replaces:       true,
	}
	if change != nil {
		change(&wanted)
	}
	return try(d, func(tx *store.Tx) (backfill.Backfill, error) { return backfill.Create(tx, wanted) })
}

// opened is july for what succeeds, with an event of 3 July for each key.
func (d fixture) opened(keys ...string) backfill.Backfill {
	GinkgoHelper()
	b, err := d.july(nil)
	Expect(err).NotTo(HaveOccurred())
	recorder := d.recorder.Into(must(d, func(tx *store.Tx) (event.Backfill, error) { return backfill.Open(tx, b.ID) }))
	d.send(recorder, keys...)
	return b
}

func (d fixture) send(recorder *event.Recorder, keys ...string) {
	GinkgoHelper()
	var events []string
	for _, key := range keys {
		events = append(events, `{"idempotency_key": "`+key+`", "event_name": "call", "external_customer_id": "acme", "timestamp": "2025-07-03T00:00:00Z"}`)
	}
	received, err := event.Receive(strings.NewReader(`{"events": [`+strings.Join(events, ", ")+`]}`), tempfile.New("", 0))
	Expect(err).NotTo(HaveOccurred())
	outcome, err := recorder.RecordBody(d.ctx, received, true)
	Expect(err).NotTo(HaveOccurred())
	Expect(outcome.Ingested).To(Equal(keys))
}

// count is how many events of July count.
func (d fixture) count() string {
	GinkgoHelper()
	query, err := metric.Parse("SELECT COUNT(*) FROM events")
	Expect(err).NotTo(HaveOccurred())
	var readings []usage.Reading
	Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
		readings, err = usage.Measure(tx, usage.Request{
			Query: query, Subjects: []string{"e:acme"},
			Cuts: []time.Time{time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 8, 1, 0, 0, 0, 0, time.UTC)},
		})
		return err
	})).To(Succeed())
	return readings[0].Total.String()
}

func (d fixture) status(id string) backfill.Status {
	GinkgoHelper()
	return must(d, func(tx *store.Tx) (backfill.Backfill, error) { return backfill.Find(tx, id) }).Status
}

func (d fixture) close(id string) (backfill.Backfill, error) {
	return try(d, func(tx *store.Tx) (backfill.Backfill, error) { return backfill.Close(tx, id) })
}

func (d fixture) revert(id string) (backfill.Backfill, error) {
	return try(d, func(tx *store.Tx) (backfill.Backfill, error) { return backfill.Revert(tx, id) })
}

package usage_test

import (
	"context"
	"strings"
	"time"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
	"tollkeeper/store/tempfile"

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

// send takes events in as a request.
func (d fixture) send(events ...string) event.Outcome {
	GinkgoHelper()
	received, err := event.Receive(strings.NewReader(`{"events": [`+strings.Join(events, ", ")+`]}`), tempfile.New("", 0))
	Expect(err).NotTo(HaveOccurred())
	defer received.Close()
	outcome, err := d.recorder.RecordBody(d.ctx, received, true)
	Expect(err).NotTo(HaveOccurred())
	return outcome
}

// count is how many events of acme the metric counts.
func (d fixture) count() string {
	GinkgoHelper()
	return d.ask("SELECT COUNT(*) FROM events WHERE event_name = 'api_call'", "e:acme", "c:cus_1")
}

// ask measures a metric over the days round noon.
func (d fixture) ask(sql string, subjects ...string) string {
	GinkgoHelper()
	readings := d.measure(usage.Request{
		Query: query(sql), Subjects: subjects, Cuts: []time.Time{noon.AddDate(0, 0, -30), noon.AddDate(0, 0, 30)},
	})
	Expect(readings).To(HaveLen(1))
	return readings[0].Total.String()
}

func (d fixture) measure(req usage.Request) (readings []usage.Reading) {
	GinkgoHelper()
	Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
		readings, err = usage.Measure(tx, req)
		return err
	})).To(Succeed())
	return readings
}

func query(sql string) *metric.Query {
	GinkgoHelper()
	q, err := metric.Parse(sql)
	Expect(err).NotTo(HaveOccurred(), sql)
	return q
}

package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"tollkeeper/domain/billing"
	"tollkeeper/server"
	"tollkeeper/server/webhooks"
	"tollkeeper/store/storetest"
)

// process is a server of its own on a database, whose log and metrics a spec reads.
type process struct {
	*server.Server
	log *gbytes.Buffer
}

// process starts one, and runs background work in it.
func (a *api) process(run func(ctx context.Context, s *server.Server)) process {
	GinkgoHelper()
	log := gbytes.NewBuffer()
	p := process{server.New(server.Config{Store: a.store, Workers: 2, Logger: slog.New(slog.NewTextHandler(log, nil)), WebhookNetworks: loopback, ProbesEvery: time.Nanosecond}), log}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx, p.Server)
	}()
	DeferCleanup(func() {
		stop()
		<-ended
	})
	return p
}

// stacks counts the stacks in the log.
func (p process) stacks() int { return strings.Count(string(p.log.Contents()), "stack=") }

// metrics is what /metrics shows.
func (p process) metrics() string {
	answer := httptest.NewRecorder()
	p.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return answer.Body.String()
}

// spoilMetric makes the metric of the fixture one that does not parse.
func (s fixture) spoilMetric() {
	GinkgoHelper()
	s.owner("UPDATE metrics SET sql = 'SELECT NOTHING' WHERE id = '" + s.metric + "'")
}

var _ = Describe("outage C: a panic in background work of one account", func() {
	// fixtures are one whose work panics, and an innocent one that comes after it.
	var broken, innocent fixture
	live := func() {
		one := startAlone()
		for _, s := range []*fixture{&broken, &innocent} {
			a := one.account("live")
			*s = fixture{a, a.item("Calls"), "", new(int)}
			s.metric = s.post("/v1/metrics", object{"name": "Calls", "description": nil, "item_id": s.item, "sql": "SELECT SUM(n) FROM events"}).expect(201).text("id")
		}
	}
	stopped := func() {
		one := startAlone()
		broken, innocent = one.newFixture("2025-03-10T09:00:00Z"), one.account("test").newFixture("2025-03-10T09:00:00Z")
	}

	It("parks the unit that it ends, which is tried again until it is mended", func() {
		live()
		subs := map[fixture]string{}
		for _, s := range []fixture{broken, innocent} {
			subs[s] = s.subscribe(s.buyer(nil), object{"start_date": "2025-01-01", "end_date": "2025-03-01", "auto_issuance": false}, s.calls("1.00")).text("id")
			s.put("/v1/subscriptions/"+subs[s], object{"auto_issuance": true}).expect(200)
		}
		broken.spoilMetric()
		p := innocent.process(func(ctx context.Context, s *server.Server) { _ = s.Worker().Run(ctx) })
		issued := ContainElement(HavePrefix("2025-02-01 paid"))
		Eventually(func() []string { return innocent.bills(subs[innocent]) }, onBusyMachine).Should(issued)
		Eventually(p.metrics, onBusyMachine).Should(MatchRegexp(`tollkeeper_panics_total{work="(issue|open) invoices"} [2-9]`))
		Expect(p.stacks()).To(Equal(1), "the next try is logged without")
		broken.owner("UPDATE metrics SET sql = 'SELECT SUM(n) FROM events' WHERE id = '" + broken.metric + "'")
		Eventually(func() []string { return broken.bills(subs[broken]) }, onBusyMachine).Should(issued)
	})

	It("is named in the answer to the advance of its test clock, also with several workers", func() {
		one := serveOn(storetest.New(), 2).account("test")
		broken, innocent = one.newFixture("2025-03-10T09:00:00Z"), one.account("test").newFixture("2025-03-10T09:00:00Z")
		subs := map[fixture]string{}
		for _, s := range []fixture{broken, innocent} {
			subs[s] = s.subscribe(s.buyer(nil), nil, s.calls("1.00")).text("id")
		}
		broken.spoilMetric()
		broken.post("/v1/test_clock/advance", object{"now": "2025-05-10T09:00:00Z"}).expect(200).
			parks(object{"now": "2025-05-10T09:00:00+00:00", "parked[0].subscription_id": subs[broken]})
		innocent.clock("2025-05-10T09:00:00Z")
		Expect(innocent.bills(subs[innocent])).To(ContainElement(HavePrefix("2025-04-01 paid")))
	})

	It("ends the evaluation of its alerts", func() {
		stopped()
		for _, s := range []fixture{broken, innocent} {
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.calls("1.00")).text("id")
			s.post("/v1/alerts/subscription_id/"+sub, object{"type": "usage_exceeded", "metric_id": s.metric, "thresholds": thresholds("10")}).expect(201)
			s.use(buyer, "2025-03-10T09:00:00Z", "10")
		}
		broken.spoilMetric()
		p := innocent.process(func(ctx context.Context, s *server.Server) { s.Worker().EvaluateAlerts(ctx) })
		Eventually(alertFixture{fixture: innocent}.fired, onBusyMachine).Should(HaveLen(1))
		Eventually(p.metrics, onBusyMachine).Should(MatchRegexp(`tollkeeper_panics_total{work="look at subscriptions"} [1-9]`))
		Expect(p.stacks()).To(Equal(1))
	})

	It("ends the aggregation of its usage, and what follows from that", func() {
		stopped()
		subs := map[fixture]string{}
		for _, s := range []fixture{broken, innocent} {
			buyer := s.buyer(nil)
			subs[s] = s.subscribe(buyer, object{"invoicing_threshold": "5.00"}, s.calls("1.00")).text("id")
			s.use(buyer, "2025-03-10T09:00:00Z", "10")
		}
		broken.spoilMetric()
		p := innocent.process(func(ctx context.Context, s *server.Server) { s.Worker().AggregateUsage(ctx) })
		Eventually(func() []string { return innocent.bills(subs[innocent]) }, onBusyMachine).Should(ContainElement("2025-03-10 issued 10.00"))
		Eventually(p.metrics, onBusyMachine).Should(MatchRegexp(`tollkeeper_panics_total{work="(invoice partially|aggregate usage)"} [1-9]`))
	})

	It("ends the verification of its books, which are found unreadable", func() {
		stopped()
		for _, s := range []fixture{broken, innocent} {
			buyer := s.buyer(nil)
			s.subscribe(buyer, nil, s.calls("1.00"))
			s.use(buyer, "2025-03-10T09:00:00Z", "10")
			s.clock("2025-05-10T09:00:00Z")
		}
		broken.spoilMetric()
		p := innocent.process(func(context.Context, *server.Server) {})
		Expect(p.Worker().VerifyBooks(context.Background(), billing.Sample{})).To(BeTrue())
		Expect(p.metrics()).To(And(ContainSubstring(`tollkeeper_panics_total{work="verify the books"} 1`), ContainSubstring(`tollkeeper_verified{what="findings"} 1`)))
		Expect(p.metrics()).To(MatchRegexp(`tollkeeper_verified{what="invoices"} [1-9]`), "of the innocent account")
		Expect(p.stacks()).To(Equal(1))
	})

	It("ends the deliveries to one endpoint for a while", func() {
		one := startAlone()
		receivers := map[*api]*receiver{}
		var fail atomic.Int64
		for _, a := range []*api{one, one.account("test")} {
			receivers[a] = receive(nil)
			a.post("/v1/webhook_endpoints", object{"url": receivers[a].url}).expect(201)
			a.post("/v1/items", object{"name": "Widget"}).expect(201)
			(&webhookFixture{api: a}).happens(1)
		}
		fail.Store(1)
		now := func() time.Time { // in the first claim; others ask for the time too, in any order
			if bytes.Contains(debug.Stack(), []byte("Deliverer).serve(")) && fail.Add(-1) == 0 {
				panic("spec")
			}
			return time.Now()
		}
		p := one.process(func(ctx context.Context, s *server.Server) { s.Deliverer(webhooks.Options{Now: now}).Run(ctx) })
		Eventually(func() (told int) {
			for _, r := range receivers {
				told += min(1, len(r.requests()))
			}
			return told
		}, onBusyMachine).Should(BeNumerically(">=", 1))
		Eventually(p.metrics, onBusyMachine).Should(ContainSubstring(`tollkeeper_panics_total{work="deliver webhooks"} 1`))
		Expect(p.stacks()).To(Equal(1))
	})

	It("ends each unit by itself, and leaves it alone for a while", func() {
		p := startAlone().process(func(context.Context, *server.Server) {})
		done := 0
		count := func() error { done++; return nil }
		Expect(p.RunUnit("work", "one", func() error { panic(errors.New("spec")) })).To(BeFalse())
		Expect(p.RunUnit("work", "one", count)).To(BeFalse(), "not yet")
		Expect(p.RunUnit("work", "two", count)).To(BeTrue())
		Expect(p.RunUnit("other work", "one", count)).To(BeTrue())
		Expect(done).To(Equal(2))
		Eventually(func() bool { return p.RunUnit("work", "one", count) }, onBusyMachine, "100ms").Should(BeTrue())
		Expect(p.metrics()).To(ContainSubstring(`tollkeeper_panics_total{work="work"} 1`))
		Expect(p.stacks()).To(Equal(1))
	})
})

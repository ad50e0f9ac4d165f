package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/backfill"
	"tollkeeper/server"
	"tollkeeper/store"
)

var _ = Describe("Due work of accounts on real time", func() {
	// held is a fixture with an invoice that is due but must not be issued yet.
	held := func(a *api) (s fixture, sub string) {
		GinkgoHelper()
		s = fixture{a, a.item("Calls"), "", new(int)}
		sub = s.subscribe(s.buyer(nil), object{"start_date": "2025-01-01", "end_date": "2025-03-01", "auto_issuance": false}, s.fee("10")).text("id")
		Expect(s.bills(sub)).To(Equal([]string{"2025-01-01 draft 10.00", "2025-02-01 draft 10.00"}))
		return s, sub
	}

	It("is done without being asked, by any number of servers, and each unit once", func() {
		one := startAlone()
		live, liveSub := held(one.account("live"))
		test, testSub := held(one)
		ctx, stop := context.WithCancel(context.Background())
		DeferCleanup(stop)
		for range 2 {
			s := server.New(server.Config{Store: one.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil))})
			stopped := make(chan error, 1)
			go func() { stopped <- s.Worker().Run(ctx) }()
			DeferCleanup(func() {
				stop()
				Eventually(stopped, onBusyMachine).Should(Receive(BeNil()))
			})
		}
		for s, sub := range map[fixture]string{live: liveSub, test: testSub} {
			s.put("/v1/subscriptions/"+sub, object{"auto_issuance": true}).expect(200)
			Eventually(func() []string { return s.bills(sub) }, onBusyMachine).
				Should(Equal([]string{"2025-01-01 issued 10.00", "2025-02-01 issued 10.00"}))
			numbers := s.invoices(sub).each("data", "invoice_number")
			Expect(numbers[1]).To(HaveSuffix("-00001"))
			Expect(numbers[0]).To(HaveSuffix("-00002"))
		}
	})

	It("leaves accounts alone whose clock stands", func() {
		a := startAlone()
		s := a.newFixture("2020-01-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("10")).text("id")
		live, liveSub := held(a.account("live"))
		ctx, stop := context.WithCancel(context.Background())
		DeferCleanup(stop)
		go func() { _ = server.New(server.Config{Store: a.store}).Worker().Run(ctx) }()
		live.put("/v1/subscriptions/"+liveSub, object{"auto_issuance": true}).expect(200)
		Eventually(func() []string { return live.bills(liveSub) }, onBusyMachine).Should(ContainElement("2025-02-01 issued 10.00")) // the loop has run
		Expect(s.bills(sub)).To(Equal([]string{"2020-01-01 issued 10.00", "2020-02-01 draft 10.00"}))
	})

	It("begins with what was left of requests, also where the clock stands", func() {
		d := startAlone().newUsageFixture(object{"start_date": "2025-06-01"})
		closed, reverted := d.open(nil), d.closed(object{"timeframe_start": "2025-06-01T00:00:00Z", "timeframe_end": "2025-06-20T00:00:00Z"}, "2025-06-11 9")
		d.send(closed, d.event("2025-07-03 5")).expect(200)
		d.tx(func(tx *store.Tx) error { // as a server that ends before it comes to the rest
			_, err := backfill.Close(tx, closed)
			if err == nil {
				_, err = backfill.Revert(tx, reverted)
			}
			return err
		})
		ctx, stop := context.WithCancel(context.Background())
		DeferCleanup(stop)
		go func() { _ = server.New(server.Config{Store: d.store}).Worker().Run(ctx) }()
		d.reaches(closed, "reflected")
		d.reaches(reverted, "reverted")
		Expect(d.total("2025-06")).To(Equal("33.00"))
		Expect(d.total("2025-07")).To(Equal("25.00"))
	})

	It("closes backfills in time", func() {
		one := startAlone()
		d := usageFixture{fixture: fixture{one.account("live"), "", "", new(int)}}
		id := d.open(object{"close_time": time.Now().Add(1500 * time.Millisecond).UTC().Format(time.RFC3339Nano)})
		Expect(d.fetch(id).at("status")).To(Equal("pending"))
		ctx, stop := context.WithCancel(context.Background())
		DeferCleanup(stop)
		go func() { _ = server.New(server.Config{Store: d.store}).Worker().Run(ctx) }()
		d.reaches(id, "reflected")
	})
})

var _ = Describe("Due work by several workers", func() {
	It("makes the same invoices, under the same numbers, for each customer", func() {
		bills := func(workers int) (texts []string) {
			GinkgoHelper()
			s := newFixture("2025-03-01T00:00:00Z")
			s.url = serveOn(shared.store, workers).url
			plan := s.plan(nil, s.fee("31.00"), s.calls("0.50")).text("id")
			buyers := []string{}
			for k := range 6 {
				buyer := s.buyer(nil)
				for range 2 { // whose numbers tell which was first
					s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201)
				}
				s.use(buyer, "2025-03-01T00:00:00Z", fmt.Sprint(10+k))
				buyers = append(buyers, buyer)
			}
			s.clock("2025-06-02T00:00:00Z")
			for _, buyer := range buyers {
				texts = append(texts, canonical([]string{string(s.get("/v1/invoices?" + everyStatus + "&limit=100&customer_id=" + buyer).text)}))
			}
			return texts
		}
		one := bills(1)
		Expect(strings.Count(one[0], `"status":"issued"`)).To(Equal(8))
		Expect(bills(4)).To(Equal(one))
	})
})

package server_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
	"tollkeeper/store"
)

// breakSubscription makes the database refuse invoices of a subscription dated after a day.
func (s fixture) breakSubscription(id, after string) {
	GinkgoHelper()
	s.owner(fmt.Sprintf("ALTER TABLE invoices ADD CONSTRAINT broken CHECK (subscription_id <> '%s' OR invoice_date <= '%s') NOT VALID", id, after))
}

// outcome writes what is told of the invoices of a subscription, newest first, but for ids.
func (s fixture) outcome(subscription string) (texts []string) {
	GinkgoHelper()
	page := s.invoices(subscription)
	for n := range page.list("data") {
		v := page.entry("data", n)
		texts = append(texts, fmt.Sprint(v.at("invoice_date"), v.at("status"), v.at("total"), v.at("amount_due"), v.at("issued_at"),
			v.at("created_at"), v.text("invoice_number")[6:], v.at("due_date"), lines(v)))
	}
	return texts
}

// advance moves the clock and returns what is parked.
func (s fixture) advance(now string) value {
	GinkgoHelper()
	return s.post("/v1/test_clock/advance", object{"now": now}).expect(200)
}

// parks fails the spec unless one unit is parked, and that has those values.
func (v value) parks(places object) {
	GinkgoHelper()
	Expect(v.list("parked")).To(HaveLen(1))
	v.shows(places)
}

var _ = Describe("A unit of due work that fails", func() {
	paidFor := []string{"2025-01-01 issued 10.00", "2025-02-01 issued 10.00", "2025-03-01 issued 10.00", "2025-04-01 issued 10.00", "2025-05-01 draft 10.00"}

	It("holds up only its subscription, on the way and across a clock change and a month end", func() {
		var outcomes [2][][]string
		for k, fails := range []bool{false, true} {
			s := startAlone().newFixture("2025-01-31T00:00:00Z")
			subs := []string{}
			for range 3 {
				buyer := s.buyer(object{"timezone": "America/New_York"})
				s.use(buyer, "2025-01-31T00:00:00Z", "7")
				subs = append(subs, s.subscribe(buyer, object{"align_billing_with_subscription_start_date": true}, s.fee("10"), s.calls("1")).text("id"))
			}
			if fails {
				s.breakSubscription(subs[1], "2025-03-15")
				now := s.advance("2025-03-20T00:00:00Z")
				now.parks(object{"now": "2025-03-20T00:00:00+00:00", "parked[0].kind": "open invoices", "parked[0].subscription_id": subs[1]})
				Expect(now.text("parked[0].due_at")).To(HavePrefix("2025-02-28T"))
				Expect(fmt.Sprint(s.advance("2025-06-20T00:00:00Z").at("parked[0].attempts"))).NotTo(Equal("1"))
				Expect(s.bills(subs[1])).To(HaveLen(2), "its later units wait")
				Expect(s.bills(subs[0])).To(HaveLen(6))
				s.mendInvoices()
			}
			s.clock("2025-06-20T00:00:00Z")
			for _, sub := range subs {
				outcomes[k] = append(outcomes[k], s.outcome(sub))
			}
		}
		Expect(outcomes[0][1]).To(HaveLen(6))
		Expect(outcomes[1]).To(Equal(outcomes[0]), "as if nothing had failed")
	})

	It("holds up its customer where the subscriptions share credits, and no other", func() {
		var outcomes [2][][]string
		for k, fails := range []bool{false, true} {
			s := startAlone().newFixture("2025-01-01T00:00:00Z")
			subs, buyers := []string{}, []string{s.buyer(nil), s.buyer(nil)}
			for _, buyer := range buyers {
				s.credits(buyer, object{"amount": 1000, "per_unit_cost_basis": "0.05"})
				for range 2 {
					subs = append(subs, s.subscribe(buyer, nil, s.fee("10"), s.each(nil)).text("id"))
				}
				s.use(buyer, "2025-01-01T00:00:00Z", "10")
			}
			if fails {
				s.breakSubscription(subs[0], "2025-02-15")
				s.advance("2025-03-20T00:00:00Z").parks(object{"parked[0].customer_id": buyers[0], "parked[0].subscription_id": nil})
				Expect(len(s.bills(subs[1]))).To(BeNumerically("<", len(s.bills(subs[3]))))
				s.mendInvoices()
			}
			s.clock("2025-03-20T00:00:00Z")
			for _, sub := range subs {
				outcomes[k] = append(outcomes[k], s.outcome(sub))
			}
			for _, buyer := range buyers {
				outcomes[k] = append(outcomes[k], s.ledger(buyer, "credits"))
			}
		}
		Expect(outcomes[1]).To(Equal(outcomes[0]), "as if nothing had failed")
	})

	It("leaves no hole in the numbers of the customer's invoices, and no number twice, where another subscription goes on", func() {
		s := startAlone().newFixture("2025-01-01T00:00:00Z")
		buyer := s.buyer(nil)
		subs := []string{s.subscribe(buyer, nil, s.fee("10")).text("id"), s.subscribe(buyer, nil, s.fee("20")).text("id")}
		numbers := func() (all []string) {
			GinkgoHelper()
			for _, sub := range subs {
				page := s.invoices(sub)
				for k := range page.list("data") {
					if v := page.entry("data", k); v.at("status") != "draft" {
						all = append(all, v.text("invoice_number")[6:])
					}
				}
			}
			return all
		}
		s.owner("ALTER TABLE invoices ADD CONSTRAINT broken CHECK (subscription_id <> '" + subs[0] + "' OR status = 'draft' OR invoice_date <= '2025-01-15') NOT VALID")
		s.advance("2025-04-20T00:00:00Z").parks(object{"parked[0].kind": "issue invoices", "parked[0].subscription_id": subs[0], "parked[0].customer_id": buyer})
		Expect(numbers()).To(ConsistOf("-00001", "-00002", "-00003", "-00004", "-00005"))
		s.advance("2025-05-20T00:00:00Z") // the unit fails again, and gives the number back that it took
		Expect(numbers()).To(ConsistOf("-00001", "-00002", "-00003", "-00004", "-00005", "-00006"))
		s.mendInvoices()
		s.clock("2025-05-20T00:00:00Z")
		Expect(numbers()).To(ConsistOf("-00001", "-00002", "-00003", "-00004", "-00005", "-00006", "-00007", "-00008", "-00009", "-00010"))
		s.clock("2025-06-02T00:00:00Z")
		Expect(numbers()).To(HaveLen(12))
	})

	It("that is an alert stops no invoice", func() {
		s := startAlone().newFixture("2025-01-01T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, s.fee("10"), s.calls("0")).text("id")
		s.post("/v1/alerts/subscription_id/"+sub, object{"type": "usage_exceeded", "metric_id": s.metric, "thresholds": thresholds("10")}).expect(201)
		s.owner("ALTER TABLE alert_firings ADD CONSTRAINT broken CHECK (false) NOT VALID")
		s.use(buyer, "2025-01-01T00:00:00Z", "10")
		s.advance("2025-04-20T00:00:00Z").parks(object{"parked[0].kind": "look at subscriptions", "parked[0].subscription_id": sub})
		Expect(s.bills(sub)).To(Equal(paidFor))
	})

	It("that is a search holds up its lane alone", func() {
		s := startAlone().newFixture("2025-01-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("10")).text("id")
		s.owner("ALTER TABLE alert_progress RENAME COLUMN seen TO unseen")
		s.advance("2025-04-20T00:00:00Z").parks(object{"parked[0].kind": "look at subscriptions", "parked[0].subscription_id": nil, "parked[0].customer_id": nil})
		Expect(s.bills(sub)).To(Equal(paidFor))
	})

	Describe("on several servers", func() {
		// failing are a live account with an invoice that cannot be issued and one that can, and another account
		// with one.
		failing := func() (broken, innocent fixture, subs []string, other string) {
			GinkgoHelper()
			one := startAlone()
			opened := func(a *api) fixture { return fixture{a, a.item("Calls"), "", new(int)} }
			broken, innocent = opened(one.account("live")), opened(one.account("live"))
			held := func(s fixture) string {
				GinkgoHelper()
				id := s.subscribe(s.buyer(nil), object{"start_date": "2025-01-01", "end_date": "2025-03-01", "auto_issuance": false}, s.fee("10")).text("id")
				return id
			}
			subs, other = []string{held(broken), held(broken)}, held(innocent)
			broken.owner("ALTER TABLE invoices ADD CONSTRAINT broken CHECK (subscription_id <> '" + subs[0] + "' OR status = 'draft') NOT VALID")
			for s, ids := range map[fixture][]string{broken: subs, innocent: {other}} {
				for _, id := range ids {
					s.put("/v1/subscriptions/"+id, object{"auto_issuance": true}).expect(200)
				}
			}
			return broken, innocent, subs, other
		}
		issued := []string{"2025-01-01 issued 10.00", "2025-02-01 issued 10.00"}
		run := func(ctx context.Context, s *server.Server) { _ = s.Worker().Run(ctx) }
		attempts := func(s fixture) (n int) {
			GinkgoHelper()
			s.tx(func(tx *store.Tx) error {
				return tx.Raw("SELECT coalesce(max(attempts), 0) FROM parked_units").Scan(&n).Error
			})
			return n
		}

		It("is tried again by any of them, and is done once when it is mended", func() {
			broken, innocent, subs, other := failing()
			first, second := broken.process(run), broken.process(run)
			Eventually(func() []string { return innocent.bills(other) }, onBusyMachine).Should(Equal(issued))
			Eventually(func() []string { return broken.bills(subs[1]) }, onBusyMachine).Should(Equal(issued))
			Eventually(func() int { return attempts(broken) }, onBusyMachine).Should(BeNumerically(">=", 2))
			Expect(broken.bills(subs[0])).NotTo(ContainElement(ContainSubstring("issued")))
			Eventually(first.metrics, onBusyMachine).Should(ContainSubstring(`tollkeeper_due_parked{kind="issue invoices"} 1`))
			Expect(first.metrics() + second.metrics()).To(MatchRegexp(`tollkeeper_due_failures_total{kind="issue invoices"} [1-9]`))
			Expect(first.metrics()).To(ContainSubstring(`tollkeeper_due_lag_seconds{kind="issue invoices"} `))
			Expect(string(first.log.Contents()) + string(second.log.Contents())).To(ContainSubstring("issue invoices of " + store.AccountID(broken.ctx) + " failed and is parked"))
			broken.mendInvoices()
			Eventually(func() []string { return broken.bills(subs[0]) }, onBusyMachine).Should(Equal(issued))
			Eventually(func() int { return attempts(broken) }, onBusyMachine).Should(BeZero())
			Eventually(first.metrics, onBusyMachine).Should(ContainSubstring(`tollkeeper_due_parked{kind="issue invoices"} 0`))
		})

		It("stays parked when they are restarted", func() {
			broken, _, subs, _ := failing()
			ctx, stop := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				run(ctx, broken.server)
			}()
			Eventually(func() int { return attempts(broken) }, onBusyMachine).Should(BeNumerically(">=", 1))
			stop()
			<-ended
			broken.owner("UPDATE parked_units SET next_try_at = now() + interval '1 day'")
			before := attempts(broken)
			broken.mendInvoices()
			broken.process(run)
			Eventually(func() []string { return broken.bills(subs[1]) }, onBusyMachine).Should(Equal(issued), "the loop has run")
			Expect(broken.bills(subs[0])).NotTo(ContainElement(ContainSubstring("issued")))
			Expect(attempts(broken)).To(Equal(before))
			broken.owner("UPDATE parked_units SET next_try_at = now()")
			Eventually(func() []string { return broken.bills(subs[0]) }, onBusyMachine).Should(Equal(issued))
		})

		It("is tried again where the clock stands, which stays where it is", func() {
			s := startAlone().newFixture("2025-01-01T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("10")).text("id")
			s.breakSubscription(sub, "2025-03-15")
			Expect(s.advance("2025-04-20T00:00:00Z").list("parked")).To(HaveLen(1))
			s.process(run)
			s.mendInvoices()
			Eventually(func() []string { return s.bills(sub) }, onBusyMachine).Should(Equal(paidFor))
			Eventually(func() int { return attempts(s) }, onBusyMachine).Should(BeZero())
			Expect(s.get("/v1/test_clock").expect(200).at("now")).To(Equal("2025-04-20T00:00:00+00:00"))
		})
	})
})

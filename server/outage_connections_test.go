package server_test

import (
	"net/http"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("outage B: connections to the database", func() {
	It("finishes 64 advances of test clocks at once, and serves another account meanwhile", func(ctx SpecContext) {
		const accounts = 64
		all := make([]*api, accounts)
		for k := range all {
			all[k] = startIn(shared.account("test"))
		}
		innocent := shared.account("test")

		var running sync.WaitGroup
		ended := make(chan int, accounts)
		for _, a := range all {
			running.Go(func() {
				defer GinkgoRecover()
				a.clock("2025-07-01T00:00:00Z")
				ended <- 1
			})
		}
		served := 0
		for len(ended) < accounts && ctx.Err() == nil {
			answer := innocent.get("/v1/customers")
			if answer.status == http.StatusServiceUnavailable { // it waited for as long as a request may
				Expect(answer.header.Get("Retry-After")).To(Equal("1"))
				continue
			}
			answer.expect(http.StatusOK)
			served++
		}
		running.Wait()
		Expect(ended).To(HaveLen(accounts))
		Expect(served).To(BeNumerically(">", 0))
		for _, a := range all {
			Expect(a.get("/v1/test_clock").expect(http.StatusOK).at("now")).To(Equal("2025-07-01T00:00:00+00:00"))
		}
	}, SpecTimeout(10*time.Minute))

	It("answers 503 with Retry-After to a request that waits too long for a connection", func() {
		a := startAlone()
		innocent := a.account("test")
		finish := make(chan struct{})
		var transactions, begun sync.WaitGroup
		for range a.store.MostAtOnce(store.Requests) { // as many as the account may have
			begun.Add(1)
			transactions.Go(func() {
				defer GinkgoRecover()
				a.tx(func(*store.Tx) error {
					begun.Done()
					<-finish
					return nil
				})
			})
		}
		begun.Wait()
		busy := a.get("/v1/customers")
		busy.refuse(http.StatusServiceUnavailable, "500-internal-server-error", "busy")
		Expect(busy.header.Get("Retry-After")).To(Equal("1"))
		Expect(a.store.Ping(a.ctx)).To(Succeed(), "the database answers")
		innocent.get("/v1/customers").expect(http.StatusOK)
		close(finish)
		transactions.Wait()
		a.get("/v1/customers").expect(http.StatusOK)
	})
})

// startIn gives the account a customer with a monthly fee, so that its clock has work to do.
func startIn(a *api) *api {
	GinkgoHelper()
	a.clock("2025-03-10T09:00:00Z")
	item := a.post("/v1/items", object{"name": "Seat"}).expect(http.StatusCreated).text("id")
	plan := a.post("/v1/plans", object{"name": "Pro", "currency": "USD", "prices": list{object{"price": object{
		"name": "Fee", "item_id": item, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "10.00"},
	}}}}).expect(http.StatusCreated).text("id")
	buyer := a.post("/v1/customers", object{"name": "Acme", "email": "a@b.test"}).expect(http.StatusCreated).text("id")
	a.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(http.StatusCreated)
	return a
}

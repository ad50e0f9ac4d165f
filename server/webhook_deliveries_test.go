package server_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/webhooks"
	"tollkeeper/store"
)

var _ = Describe("Deliveries", func() {
	var p *webhookFixture
	BeforeEach(func() { p = newWebhookFixture() })

	It("reach every endpoint that wants the type, signed with its secret", func() {
		all, some, others := receive(nil), receive(nil), receive(nil)
		secret := p.endpoint(all, nil).text("secret")
		p.endpoint(some, object{"event_types": list{"customer.created"}})
		p.endpoint(others, object{"event_types": list{"customer.edited"}})
		p.happens(1)
		p.pass(0)
		Expect(others.requests()).To(BeEmpty())
		Expect(some.requests()).To(HaveLen(1))
		got := all.requests()
		Expect(got).To(HaveLen(1))
		Expect(got[0].body).To(Equal(some.requests()[0].body))
		Expect(got[0].header.Get("Content-Type")).To(Equal("application/json"))
		at := got[0].header.Get("X-Orb-Timestamp")
		sent, err := time.Parse("2006-01-02T15:04:05.999999999", at)
		Expect(err).NotTo(HaveOccurred())
		Expect(sent).To(BeTemporally("~", time.Now(), time.Minute))
		Expect(got[0].header.Values("X-Orb-Signature")).To(Equal([]string{webhooks.Signature(secret, at, got[0].body)}))
	})

	It("W-2: try again on the schedule, with the same body under the same id, signed anew", func() {
		r := receive(func(got request) http.HandlerFunc {
			if got.number <= 2 {
				return status(500)
			}
			return status(200)
		})
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(1)
		p.pass(0)
		pending := p.log(endpoint).in("data[0]")
		Expect(pending.at("status")).To(Equal("pending"))
		Expect(waited(pending, 0)).To(BeNumerically("~", 63*time.Second, 3*time.Second))
		p.pass(59 * time.Second)
		Expect(r.requests()).To(HaveLen(1), "a minute has not passed")
		p.pass(7 * time.Second)
		Expect(r.requests()).To(HaveLen(2))
		Expect(waited(p.log(endpoint).in("data[0]"), 1)).To(BeNumerically("~", 315*time.Second, 15*time.Second))
		p.pass(330 * time.Second)
		got := r.requests()
		Expect(got).To(HaveLen(3))
		timestamps := map[string]bool{}
		for _, one := range got {
			Expect(one.body).To(Equal(got[0].body))
			timestamps[one.header.Get("X-Orb-Timestamp")] = true
		}
		Expect(timestamps).To(HaveLen(3))
		log := p.log(endpoint)
		Expect(log.list("data")).To(HaveLen(1))
		Expect(log.at("data[0].status")).To(Equal("delivered"))
		Expect(log.at("data[0].next_attempt_at")).To(BeNil())
		Expect(log.each("data[0].attempts", "response_status")).To(HaveExactElements(number("500"), number("500"), number("200")))
		Expect(log.each("data[0].attempts", "error")).To(HaveExactElements("answered 500", "answered 500", nil))
		Expect(log.at("data[0].payload")).To(Equal(bodyOf(got[0]).json))
		Expect(log.at("data[0].event_id")).To(Equal(log.at("data[0].payload.id")))
		p.pass(100 * time.Hour)
		Expect(r.requests()).To(HaveLen(3), "it is delivered")
	})

	It("give up after the seventh attempt, and are sent again by hand", func() {
		r := receive(always(503))
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(1)
		p.pass(0)
		for _, wait := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour, 48 * time.Hour} {
			p.pass(wait + wait/10)
		}
		Expect(r.requests()).To(HaveLen(7))
		failed := p.log(endpoint).in("data[0]")
		Expect(failed.at("status")).To(Equal("failed"))
		Expect(failed.at("next_attempt_at")).To(BeNil())
		r.answer = nil
		again := p.post("/v1/webhook_deliveries/"+failed.text("id")+"/resend", nil).expect(200)
		Expect(again.at("status")).To(Equal("pending"))
		p.pass(0)
		Expect(p.get("/v1/webhook_deliveries/" + failed.text("id")).expect(200).at("status")).To(Equal("delivered"))
		Expect(r.requests()[7].body).To(Equal(r.requests()[0].body))
	})

	It("keep to the waits that the account sets", func() {
		r := receive(always(500))
		p.endpoint(r, nil)
		p.setting("webhook_retries", "10s")
		p.happens(1)
		p.pass(0)
		p.pass(11 * time.Second)
		p.pass(time.Hour)
		Expect(r.requests()).To(HaveLen(2))
	})

	DescribeTable("wait as long as the receiver asks, if that is longer",
		func(code int, after func() string, wait time.Duration) {
			r := receive(func(request) http.HandlerFunc {
				return func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Retry-After", after())
					w.WriteHeader(code)
				}
			})
			endpoint := p.endpoint(r, nil).text("id")
			p.happens(1)
			p.pass(0)
			Expect(waited(p.log(endpoint).in("data[0]"), 0)).To(BeNumerically("~", wait, 6*time.Second))
		},
		Entry("seconds", 429, func() string { return "600" }, 10*time.Minute),
		Entry("a date", 503, func() string { return time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat) }, 10*time.Minute),
		Entry("a shorter time", 429, func() string { return "5" }, time.Minute),
		Entry("longer than a day", 503, func() string { return "999999" }, 24*time.Hour),
		Entry("nonsense", 503, func() string { return "soon" }, time.Minute),
		Entry("with another status", 500, func() string { return "600" }, time.Minute),
	)

	It("end an endpoint that answers 410", func() {
		r := receive(always(410))
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(1)
		p.pass(0)
		Expect(p.get("/v1/webhook_endpoints/" + endpoint).expect(200).at("enabled")).To(BeFalse())
		Expect(p.log(endpoint).at("data[0].status")).To(Equal("failed"))
		p.happens(1)
		p.pass(100 * time.Hour)
		Expect(r.requests()).To(HaveLen(1))
		Expect(p.log(endpoint).list("data")).To(HaveLen(1), "nothing is kept for it")
		p.post("/v1/webhook_deliveries/"+p.log(endpoint).text("data[0].id")+"/resend", nil).refuse(400, "400-constraint-violation", "disabled")
		p.post("/v1/webhook_endpoints/"+endpoint+"/test", nil).refuse(400, "400-constraint-violation", "disabled")
	})

	It("end an endpoint that answers more than 99 % of a hundred deliveries with a 5XX", func() {
		var broken atomic.Bool
		r := receive(func(request) http.HandlerFunc {
			if broken.Load() {
				return status(502)
			}
			return status(404)
		})
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(2)
		p.pass(0)
		broken.Store(true)
		p.happens(198)
		p.pass(0)
		enabled := func() any {
			GinkgoHelper()
			return p.get("/v1/webhook_endpoints/" + endpoint).expect(200).at("enabled")
		}
		Expect(enabled()).To(BeTrue(), "198 of 200 are 99 %")
		p.happens(1)
		p.pass(0)
		Expect(enabled()).To(BeFalse())
	})

	It("do not end an endpoint for fewer than a hundred deliveries, however often they are tried", func() {
		r := receive(always(500))
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(99)
		p.pass(0)
		p.pass(66 * time.Second)
		Expect(r.requests()).To(HaveLen(198))
		Expect(p.get("/v1/webhook_endpoints/" + endpoint).expect(200).at("enabled")).To(BeTrue())
		p.happens(1)
		p.pass(0)
		Expect(p.get("/v1/webhook_endpoints/" + endpoint).expect(200).at("enabled")).To(BeFalse())
	})

	It("W-3: give a receiver five seconds, and keep no other waiting", func() {
		released := make(chan struct{})
		slow := receive(func(request) http.HandlerFunc {
			return func(_ http.ResponseWriter, in *http.Request) {
				select {
				case <-in.Context().Done(): // given up
				case <-released:
				}
			}
		})
		defer close(released)
		quick := receive(nil)
		endpoint := p.endpoint(slow, nil).text("id")
		p.endpoint(quick, nil)
		p.happens(20) // more than go to the slow one at once
		began := time.Now()
		Expect(p.deliveries.Begin(p.ctx)).To(Succeed())
		Eventually(quick.requests).WithTimeout(4 * time.Second).Should(HaveLen(20))
		Expect(time.Since(began)).To(BeNumerically("<", 5*time.Second), "while the slow one still has time")
		Eventually(func() any {
			return p.get("/v1/webhook_deliveries?limit=100&webhook_endpoint_id=" + endpoint).expect(200).at("data[19].attempts")
		}).WithTimeout(8 * time.Second).WithPolling(100 * time.Millisecond).Should(HaveLen(1))
		first := p.log(endpoint).in("data[19]")
		Expect(first.at("attempts[0].error")).To(Equal("no answer within 5s"))
		Expect(first.at("attempts[0].response_status")).To(BeNil())
		Expect(first.at("status")).To(Equal("pending"))
	})

	It("go out in the order of their messages, a few at a time", func() {
		r := receive(nil)
		p.endpoint(r, nil)
		var made []any
		for n := range 30 {
			body := object{"name": fmt.Sprint(n), "email": "bills@acme.test"}
			made = append(made, p.post("/v1/customers", body).expect(201).at("id"))
		}
		p.pass(0)
		var got []any
		for _, one := range r.requests() {
			got = append(got, bodyOf(one).at("customer.id"))
		}
		Expect(got).To(HaveLen(30))
		for k, id := range got {
			Expect(made[max(0, k-8):min(30, k+9)]).To(ContainElement(id))
		}
	})

	It("follow no redirect", func() {
		inner := receive(nil)
		outer := receive(func(request) http.HandlerFunc {
			return func(w http.ResponseWriter, in *http.Request) {
				http.Redirect(w, in, inner.url, http.StatusTemporaryRedirect)
			}
		})
		endpoint := p.endpoint(outer, nil).text("id")
		p.happens(1)
		p.pass(0)
		Expect(inner.requests()).To(BeEmpty())
		Expect(p.log(endpoint).at("data[0].attempts[0].response_status")).To(Equal(number("307")))
		Expect(p.log(endpoint).at("data[0].status")).To(Equal("pending"))
	})

	It("are signed with the secret of the moment, also older ones", func() {
		r := receive(always(500))
		endpoint := p.endpoint(r, nil)
		p.happens(1)
		p.pass(0)
		rotated := p.post("/v1/webhook_endpoints/"+endpoint.text("id")+"/rotate_secret", nil).expect(200).text("secret")
		Expect(rotated).NotTo(Equal(endpoint.text("secret")))
		p.pass(66 * time.Second)
		for k, secret := range []string{endpoint.text("secret"), rotated} {
			got := r.requests()[k]
			Expect(got.header.Values("X-Orb-Signature")).To(Equal([]string{webhooks.Signature(secret, got.header.Get("X-Orb-Timestamp"), got.body)}))
		}
	})

	It("wait while the endpoint is disabled", func() {
		r := receive(always(500))
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(1)
		p.pass(0)
		p.put("/v1/webhook_endpoints/"+endpoint, object{"enabled": false}).expect(200)
		p.pass(time.Hour)
		Expect(r.requests()).To(HaveLen(1))
		p.put("/v1/webhook_endpoints/"+endpoint, object{"enabled": true}).expect(200)
		p.pass(0)
		Expect(r.requests()).To(HaveLen(2))
	})

	It("are made once, however many servers there are", func() {
		r := receive(nil)
		p.endpoint(r, nil)
		p.happens(40)
		others := []*webhooks.Deliverer{p.deliveries, p.server.Deliverer(webhooks.Options{}), p.server.Deliverer(webhooks.Options{})}
		for _, d := range others {
			Expect(d.Begin(p.ctx)).To(Succeed())
		}
		for _, d := range others {
			Expect(d.Finish(p.ctx)).To(Succeed())
		}
		Expect(r.requests()).To(HaveLen(40))
	})

	It("are recorded, and sent once, where no connection becomes free in the time that one is waited for", func() {
		var holding, ended sync.WaitGroup
		release := make(chan struct{})
		r := receive(func(request) http.HandlerFunc {
			for range p.store.MostAtOnce(store.Requests) { // all that the account may have
				holding.Add(1)
				ended.Go(func() {
					defer GinkgoRecover()
					Expect(p.store.View(p.ctx, func(*store.Tx) error {
						holding.Done()
						<-release
						return nil
					})).To(Succeed())
				})
			}
			holding.Wait()
			time.AfterFunc(11*time.Second, func() { close(release) }) // one is waited for for ten
			return status(200)
		})
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(1)
		p.pass(0)
		ended.Wait()
		Expect(p.log(endpoint).at("data[0].status")).To(Equal("delivered"))
		p.pass(2 * time.Minute)
		Expect(r.requests()).To(HaveLen(1))
	})

	It("are taken over from a server that died", func() {
		r := receive(nil)
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(1)
		p.claim(endpoint)
		p.pass(0)
		Expect(r.requests()).To(BeEmpty(), "another server is at it")
		p.pass(2 * time.Minute)
		Expect(r.requests()).To(HaveLen(1))
		Expect(p.log(endpoint).at("data[0].status")).To(Equal("delivered"))
	})

	It("reach a receiver that fails half the time at least once each, within the schedule", func() {
		r := receive(func(got request) http.HandlerFunc {
			if got.number%2 == 1 {
				return status(500)
			}
			return status(200)
		})
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(60)
		p.pass(0)
		for _, wait := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour} {
			p.pass(wait + wait/10)
		}
		log := p.log(endpoint)
		Expect(log.each("data", "status")).To(And(HaveLen(60), HaveEach("delivered")))
		taken := map[any]bool{}
		for _, one := range r.requests() {
			taken[bodyOf(one).at("id")] = taken[bodyOf(one).at("id")] || one.number%2 == 0
		}
		Expect(taken).To(HaveLen(60))
		Expect(taken).NotTo(ContainElement(false))
		for k := range 60 {
			attempts := log.in(fmt.Sprintf("data[%d]", k)).list("attempts")
			Expect(value{"", attempts[len(attempts)-1]}.at("error")).To(BeNil())
		}
	})

	It("are listed by no status that there is not", func() {
		p.get("/v1/webhook_deliveries?status=lost").invalid("status: must be one of pending, delivered, failed")
		Expect(p.get("/v1/webhook_deliveries?status=").expect(200).list("data")).To(BeEmpty())
	})

	It("are forgotten with their messages when they are old", func() {
		r := receive(nil)
		endpoint := p.endpoint(r, nil).text("id")
		p.happens(1)
		p.pass(29 * 24 * time.Hour)
		p.deliveries.Forget(context.Background(), p.now())
		Expect(p.log(endpoint).list("data")).To(HaveLen(1))
		p.pass(2 * 24 * time.Hour)
		p.deliveries.Forget(context.Background(), p.now())
		Expect(p.log(endpoint).list("data")).To(BeEmpty())
		Expect(p.told()).To(BeEmpty())
	})
})

// waited is how long the next attempt at a delivery waits after one that was made.
func waited(delivery value, attempt int) time.Duration {
	GinkgoHelper()
	return instant(delivery.text("next_attempt_at")).Sub(instant(delivery.text(fmt.Sprintf("attempts[%d].attempted_at", attempt))))
}

func bodyOf(r request) value {
	GinkgoHelper()
	return decoded("a delivery", r.body)
}

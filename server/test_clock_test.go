package server_test

import (
	"fmt"
	"net/http"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("The test clock", func() {
	const refused = "400-constraint-violation"
	advance := func(a *api, now string) *answer { return a.post("/v1/test_clock/advance", object{"now": now}) }

	It("CK-1: stands where it is put, and goes only forward once it stands", func() {
		a := start()
		Expect(a.get("/v1/test_clock").expect(200).at("frozen")).To(BeFalse())
		Expect(advance(a, "2020-01-01T00:00:00Z").expect(200).json).To(Equal(object{"now": "2020-01-01T00:00:00+00:00", "frozen": true, "parked": list{}}))
		made := a.post("/v1/customers", object{"name": "Acme", "email": "a@b.test"}).expect(201)
		Expect(made.at("created_at")).To(Equal("2020-01-01T00:00:00+00:00"))
		advance(a, "2019-12-31T00:00:00Z").refuse(400, refused, "forward")
		Expect(a.get("/v1/test_clock").expect(200).at("now")).To(Equal("2020-01-01T00:00:00+00:00"))
		advance(a, "2020-01-01T00:00:00Z").expect(200)
	})

	It("CK-2: may not be put back once there is a customer", func() {
		s := start()
		s.post("/v1/customers", object{"name": "Acme", "email": "a@b.test"}).expect(201)
		advance(s, "2020-01-01T00:00:00Z").refuse(400, refused, "forward")
		Expect(s.get("/v1/test_clock").expect(200).at("frozen")).To(BeFalse())
		advance(s, "2099-01-01T00:00:00Z").expect(200)
	})

	It("may not be put back once there is an event", func() {
		a := start()
		now := a.get("/v1/test_clock").expect(200).text("now")
		a.post("/v1/ingest", object{"events": list{object{
			"idempotency_key": "e1", "event_name": "call", "external_customer_id": "acme", "timestamp": now, "properties": object{},
		}}}).expect(200)
		advance(a, "2020-01-01T00:00:00Z").refuse(400, refused, "forward")
	})

	It("CK-3: does not exist for a live account", func() {
		a := shared.account("live")
		a.get("/v1/test_clock").refuse(400, "404-feature-not-available")
		advance(a, "2099-01-01T00:00:00Z").refuse(400, "404-feature-not-available")
	})

	DescribeTable("refuses what is no instant",
		func(body any, violation string) { start().post("/v1/test_clock/advance", body).invalid(violation) },
		Entry("a bare date", object{"now": "2025-01-01"}, "now: "),
		Entry("a day that is none", object{"now": "2025-02-30T00:00:00Z"}, "now: "),
		Entry("nothing", object{}, "now: is required"),
		Entry("another member", object{"now": "2025-01-01T00:00:00Z", "to": 1}, "to: is not a field"),
	)

	It("reads an instant without offset as UTC, and cuts digits beyond the microsecond", func() {
		a := start()
		Expect(advance(a, "2099-01-01T00:00:00.1234567").expect(200).at("now")).To(Equal("2099-01-01T00:00:00.123456+00:00"))
	})

	It("is moved by one request at a time", func() {
		a := start()
		release, free, err := a.store.Lock(a.ctx, "test clock "+store.AccountID(a.ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(free).To(BeTrue())
		advance(a, "2099-01-01T00:00:00Z").refuse(http.StatusConflict, "409-resource-conflict")
		other := a.account("test")
		advance(other, "2099-01-01T00:00:00Z").expect(200)
		release()
		advance(a, "2099-01-01T00:00:00Z").expect(200)
	})

	It("passes a unit of work that fails, and goes on from there when it is mended", func() {
		s := startAlone().newFixture("2025-01-01T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, s.fee("10")).text("id")
		s.breakInvoices("2025-03-15") // of which the first is opened on the first of March
		held := advance(s.api, "2025-06-01T00:00:00Z").expect(200)
		held.shows(object{"now": "2025-06-01T00:00:00+00:00", "parked[0].kind": "open invoices", "parked[0].subscription_id": sub})
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-01-01 issued 10.00", "2025-02-01 issued 10.00", "2025-03-01 draft 10.00",
		}))
		s.mendInvoices()
		Expect(advance(s.api, "2025-06-01T00:00:00Z").expect(200).list("parked")).To(BeEmpty())
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-01-01 issued 10.00", "2025-02-01 issued 10.00", "2025-03-01 issued 10.00", "2025-04-01 issued 10.00",
			"2025-05-01 issued 10.00", "2025-06-01 issued 10.00", "2025-07-01 draft 10.00",
		}))
	})

	It("does not pass work on a subscription that another transaction holds", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("10")).text("id")
		held, done := make(chan struct{}), make(chan error, 1)
		proceed := make(chan struct{})
		go func() {
			done <- s.store.Update(s.ctx, func(tx *store.Tx) error {
				err := tx.Exec("SELECT FROM subscriptions WHERE account_id = ? AND id = ? FOR UPDATE", tx.AccountID, sub).Error
				close(held)
				<-proceed
				return err
			})
		}()
		<-held
		var advanced *answer
		var clock sync.WaitGroup
		clock.Go(func() {
			defer GinkgoRecover()
			advanced = advance(s.api, "2025-03-01T00:00:00Z")
		})
		Consistently(func() any { return s.get("/v1/test_clock").expect(200).at("now") }, "200ms").
			Should(BeElementOf("2025-01-01T00:00:00+00:00", "2025-02-01T00:00:00+00:00"))
		close(proceed)
		Expect(<-done).To(Succeed())
		clock.Wait()
		advanced.expect(200)
		Expect(s.bills(sub)).To(HaveLen(4))
	})

	It("brings about the same in one big step as in many small ones", func() {
		var outcomes [2][]string
		for k, steps := range [][]string{
			{"2025-06-20T00:00:00Z"},
			{"2025-01-31T23:00:00Z", "2025-02-01T00:00:00Z", "2025-02-01T11:59:59Z", "2025-02-01T12:00:00Z", "2025-02-14T08:00:00Z",
				"2025-03-01T00:00:00Z", "2025-04-15T07:30:00Z", "2025-05-30T00:00:00Z", "2025-06-20T00:00:00Z"},
		} {
			s := newFixture("2025-01-15T00:00:00Z")
			for _, zone := range []string{"UTC", "America/New_York", "Asia/Kolkata"} {
				buyer := s.buyer(object{"timezone": zone})
				s.use(buyer, "2025-01-15T00:00:00Z", "7")
				s.subscribe(buyer, nil, s.fee("10"), s.calls("1"))
				s.subscribe(buyer, object{"start_date": "2025-02-03", "align_billing_with_subscription_start_date": true, "end_date": "2025-05-20"},
					s.calls("2"), with(s.fee("90"), object{"cadence": "quarterly"}))
			}
			for _, step := range steps {
				s.clock(step)
			}
			page := s.get("/v1/invoices?limit=100&" + everyStatus).expect(200)
			for n := range page.list("data") {
				v := page.entry("data", n)
				outcomes[k] = append(outcomes[k], fmt.Sprint(v.at("invoice_date"), v.at("status"), v.at("total"), v.at("issued_at"),
					v.at("created_at"), v.text("invoice_number")[6:], v.at("due_date"), lines(v)))
			}
		}
		Expect(outcomes[0]).To(HaveLen(36))
		Expect(outcomes[1]).To(Equal(outcomes[0]))
	})
})

// breakInvoices makes the database refuse invoices dated after a day.
func (s fixture) breakInvoices(after string) {
	GinkgoHelper()
	s.owner("ALTER TABLE invoices ADD CONSTRAINT broken CHECK (invoice_date <= '" + after + "') NOT VALID")
}

func (s fixture) mendInvoices() {
	GinkgoHelper()
	s.owner("ALTER TABLE invoices DROP CONSTRAINT broken")
}

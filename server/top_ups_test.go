package server_test

import (
	"encoding/json"
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Top-ups", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var buyer, path string
	open := func(now string, change object) {
		GinkgoHelper()
		s = newFixture(now)
		buyer = s.buyer(with(object{"currency": "USD", "external_customer_id": "ada"}, change))
		path = "/v1/customers/" + buyer + "/credits/top_ups"
	}
	BeforeEach(func() { open("2025-03-10T09:00:00Z", nil) })

	// asked is the body of TU-1.
	asked := func(change object) object {
		return with(object{
			"currency": "credits", "threshold": "20", "amount": "100", "per_unit_cost_basis": "0.10",
			"invoice_settings": object{"auto_collection": false, "net_terms": 0},
		}, change)
	}
	paying := object{"invoice_settings": object{"auto_collection": false, "net_terms": 0, "require_successful_payment": true}}
	// agree makes a top-up and returns it.
	agree := func(change object) value {
		GinkgoHelper()
		return s.post(path, asked(change)).expect(201)
	}
	// meter gives the customer 25 credits, and a price of one for each call.
	meter := func() {
		GinkgoHelper()
		s.credits(buyer, object{"amount": 25})
		s.subscribe(buyer, nil, with(s.calls("1"), object{"currency": "credits", "conversion_rate": 1}))
	}
	use := func(n string) {
		GinkgoHelper()
		s.use(buyer, "2025-03-10T08:00:00Z", n)
	}
	// balance is what the last entry of the ledger says.
	balance := func() string {
		GinkgoHelper()
		last := s.get("/v1/customers/" + buyer + "/credits/ledger?limit=1").expect(200)
		return fmt.Sprint(last.at("data[0].ending_balance"))
	}
	// sold are the invoices of credits, oldest first.
	sold := func() (texts []string) {
		GinkgoHelper()
		all := s.get("/v1/invoices?is_recurring=false&limit=100&status[]=issued&status[]=paid&status[]=void&customer_id=" + buyer).expect(200)
		for k := len(all.list("data")) - 1; k >= 0; k-- {
			v := all.entry("data", k)
			texts = append(texts, fmt.Sprint(v.text("invoice_date"), " ", v.at("status"), " ", v.at("total")))
		}
		return texts
	}
	listed := func() list { return s.get(path).expect(200).list("data") }

	It("TU-1: add credits, and invoice them, when the balance reaches the threshold", func() {
		agree(nil)
		Expect(balance()).To(Equal("100"), "nothing is at or below the threshold")
		open("2025-03-10T09:00:00Z", nil)
		meter()
		agree(nil)
		use("4")
		Expect(balance()).To(Equal("21"))
		Expect(sold()).To(BeEmpty())
		use("1")
		Expect(balance()).To(Equal("120"))
		Expect(sold()).To(Equal([]string{"2025-03-10T09:00:00+00:00 issued 10.00"}))
		block := s.get("/v1/customers/"+buyer+"/credits").expect(200).entry("data", 0)
		block.shows(object{
			"credit_block_source": "top_up", "status": "active", "balance": json.Number("100"), "per_unit_cost_basis": "0.10",
			"effective_date": "2025-03-10T00:00:00+00:00", "expiry_date": nil, "credit_allocation": nil,
		})
	})

	It("TU-2: add credits until more than the threshold are left", func() {
		meter()
		agree(nil)
		use("160")
		Expect(balance()).To(Equal("65"))
		Expect(sold()).To(Equal([]string{"2025-03-10T09:00:00+00:00 issued 10.00", "2025-03-10T09:00:00+00:00 issued 10.00"}))
	})

	It("TU-3: wait for the payment if they are to", func() {
		meter()
		agree(paying)
		use("10")
		Expect(balance()).To(Equal("15"))
		blocks := s.get("/v1/customers/" + buyer + "/credits").expect(200)
		Expect(blocks.each("data", "status")).To(Equal(list{"pending_payment", "active"}))
		use("5")
		Expect(balance()).To(Equal("10"))
		Expect(sold()).To(HaveLen(1))
		bill := s.get("/v1/invoices?is_recurring=false&status[]=issued&customer_id=" + buyer).expect(200).text("data[0].id")
		s.post("/v1/invoices/"+bill+"/mark_paid", object{"payment_received_date": "2025-03-10"}).expect(200)
		Expect(balance()).To(Equal("110"))
		Expect(sold()).To(HaveLen(1))
	})

	It("TU-4: end when their invoice is voided", func() {
		meter()
		agree(paying)
		use("10")
		Expect(balance()).To(Equal("15"))
		bill := s.get("/v1/invoices?is_recurring=false&status[]=issued&customer_id=" + buyer).expect(200).text("data[0].id")
		s.post("/v1/invoices/"+bill+"/void", nil).expect(200)
		Expect(balance()).To(Equal("15"))
		Expect(listed()).To(BeEmpty())
		use("5")
		Expect(balance()).To(Equal("10"))
		Expect(sold()).To(Equal([]string{"2025-03-10T09:00:00+00:00 void 10.00"}))
	})

	It("TU-5: take the place of the one before in the same currency", func() {
		agree(nil)
		agree(object{"currency": "USD"})
		second := agree(object{"threshold": "50"})
		Expect(second.json).To(Equal(object{
			"id": second.at("id"), "currency": "credits", "threshold": "50", "amount": "100", "per_unit_cost_basis": "0.10",
			"expires_after": nil, "expires_after_unit": nil,
			"invoice_settings": object{"auto_collection": false, "net_terms": json.Number("0"), "memo": nil, "require_successful_payment": false},
		}))
		Expect(s.get(path).expect(200).each("data", "threshold")).To(Equal(list{"50", "20"}))
	})

	It("TU-6: became active at most ten days ago", func() {
		s.post(path, asked(object{"active_from": "2025-02-27T09:00:00Z"})).invalid("active_from: must be at most 10 days ago")
		agree(object{"active_from": "2025-02-28T09:00:00Z"})
	})

	It("are active from a day on", func() {
		meter()
		agree(object{"active_from": "2025-03-12"})
		use("10")
		Expect(balance()).To(Equal("15"))
		s.clock("2025-03-12T00:00:00Z")
		Expect(sold()).To(Equal([]string{"2025-03-12T00:00:00+00:00 issued 10.00"}))
		Expect(balance()).To(Equal("115"))
	})

	DescribeTable("TU-7: expire so long after the day they were bought, at local midnight",
		func(timezone, now string, after int, unit, expiry string) {
			open(now, object{"timezone": timezone})
			agree(object{"expires_after": after, "expires_after_unit": unit})
			Expect(s.get("/v1/customers/" + buyer + "/credits").expect(200).at("data[0].expiry_date")).To(Equal(expiry))
		},
		Entry("a month, in a shorter one", "UTC", "2025-01-31T15:00:00Z", 1, "month", "2025-02-28T00:00:00+00:00"),
		Entry("a month with a change of the clock", "America/New_York", "2025-02-28T15:00:00Z", 1, "month", "2025-03-28T04:00:00+00:00"),
		Entry("days", "America/New_York", "2025-03-09T03:00:00Z", 2, "day", "2025-03-10T04:00:00+00:00"),
	)

	It("cost nothing where they are for nothing", func() {
		agree(object{"per_unit_cost_basis": "0.00"})
		Expect(balance()).To(Equal("100"))
		Expect(sold()).To(BeEmpty())
	})

	It("top up what expired or was taken by hand, as time goes by", func() {
		agree(object{"expires_after": 1, "expires_after_unit": "day"})
		s.clock("2025-03-11T00:00:00Z")
		Expect(sold()).To(HaveLen(2))
		s.entry(buyer, object{"entry_type": "decrement", "amount": 85})
		Expect(balance()).To(Equal("115"))
		Expect(sold()).To(HaveLen(3))
	})

	It("are never doubled by those who look at the balance at once", func() {
		meter()
		agree(nil)
		use("10")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				defer GinkgoRecover()
				s.get("/v1/customers/" + buyer + "/credits").expect(200)
			})
		}
		all.Wait()
		Expect(balance()).To(Equal("115"))
		Expect(sold()).To(HaveLen(1))
	})

	It("are deleted with what is not paid for", func() {
		id := agree(paying).text("id")
		Expect(sold()).To(Equal([]string{"2025-03-10T09:00:00+00:00 issued 10.00"}))
		s.delete(path + "/" + id).expect(204)
		Expect(listed()).To(BeEmpty())
		Expect(sold()).To(Equal([]string{"2025-03-10T09:00:00+00:00 void 10.00"}))
		Expect(balance()).To(Equal("0"))
		s.delete(path+"/"+id).refuse(404, "404-resource-not-found", "TopUp", id)
	})

	DescribeTable("end with a customer that is deleted: as time goes by, nothing more is bought",
		func(change object) {
			s.credits(buyer, object{"amount": 50, "expiry_date": "2025-04-01"})
			agree(change)
			s.delete("/v1/customers/" + buyer).expect(204)
			s.clock("2025-04-02T00:00:00Z")
			Expect(s.get("/v1/invoices?" + everyStatus).expect(200).list("data")).To(BeEmpty())
		},
		Entry("when credits expire", nil),
		Entry("when it was to begin", object{"active_from": "2025-03-12", "threshold": "50"}),
	)

	It("are reached by the customer's alias", func() {
		const byAlias = "/v1/customers/external_customer_id/ada/credits/top_ups"
		id := s.post(byAlias, asked(nil)).expect(201).text("id")
		Expect(s.get(byAlias).expect(200).each("data", "id")).To(Equal(list{id}))
		s.delete(byAlias + "/" + id).expect(204)
		s.post("/v1/customers/external_customer_id/nope/credits/top_ups", asked(nil)).refuse(404, "404-resource-not-found", "Customer", "nope")
		s.post("/v1/customers/nope/credits/top_ups", asked(nil)).refuse(404, "404-resource-not-found", "Customer", "nope")
	})

	It("are made once of a request that is repeated", func() {
		key := header{"Idempotency-Key", "k"}
		first := s.post(path, asked(nil), key).expect(201)
		Expect(s.post(path, asked(nil), key).expect(201).json).To(Equal(first.json))
		Expect(balance()).To(Equal("100"))
	})

	DescribeTable("are refused at the place that is wrong",
		func(change object, violations ...string) {
			s.post(path, asked(change)).invalid(violations...)
			Expect(listed()).To(BeEmpty())
		},
		Entry("adding nothing", object{"amount": "0"}, "amount: must be more than 0"),
		Entry("adding a number", object{"amount": 5}, "amount: "),
		Entry("adding parts of a cent", object{"amount": "0.005", "currency": "USD"}, "amount: "),
		Entry("below nothing", object{"threshold": "-1"}, "threshold: must not be negative"),
		Entry("for less than nothing", object{"per_unit_cost_basis": "-1"}, "per_unit_cost_basis: must not be negative"),
		Entry("in a unit that is none", object{"currency": "tokens"}, "currency: "),
		Entry("expiring after what nobody knows", object{"expires_after": 1}, "expires_after, expires_after_unit: "),
		Entry("expiring at once", object{"expires_after": 0, "expires_after_unit": "day"}, "expires_after: "),
		Entry("without invoice settings", object{"invoice_settings": absent}, "invoice_settings: is required"),
		Entry("with settings that lack one", object{"invoice_settings": object{"net_terms": 0}}, "invoice_settings.auto_collection: is required"),
	)

	It("are refused in another currency than the customer's, or for sale to one without", func() {
		s.post(path, asked(object{"currency": "EUR"})).refuse(400, refused, "currency")
		poor := "/v1/customers/" + s.buyer(nil) + "/credits/top_ups"
		s.post(poor, asked(nil)).refuse(400, refused, "currency")
		s.post(poor, asked(object{"per_unit_cost_basis": "0"})).expect(201)
	})
})

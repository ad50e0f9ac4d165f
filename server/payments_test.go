package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Payments", func() {
	const refused = "400-constraint-violation"
	var s fixture
	BeforeEach(func() {
		s = newFixture("2025-02-28T00:00:00Z")
		s.setting("payment_gateway", "test")
	})
	// payer is a customer whose invoices are charged, by that method.
	payer := func(method string, change object) string {
		GinkgoHelper()
		return s.buyer(with(object{"payment_provider": "stripe_charge", "payment_provider_id": method}, change))
	}
	// dated makes an invoice that issues itself at that instant.
	dated := func(customer, at string, change object) string {
		GinkgoHelper()
		return s.post("/v1/invoices", s.oneOff(customer, with(object{"invoice_date": at, "will_auto_issue": true}, change))).expect(201).text("id")
	}
	attempts := func(id string) []string {
		GinkgoHelper()
		texts := []string{}
		bill := s.invoice(id)
		for k := range bill.list("payment_attempts") {
			a := bill.entry("payment_attempts", k)
			outcome := " failed"
			if a.at("succeeded") == true {
				outcome = " succeeded"
			}
			texts = append(texts, a.text("created_at")[5:16]+outcome)
		}
		return texts
	}

	It("I-9: are tried again after 1, 4 and 9 days, and then no more", func() {
		id := dated(payer("decline", nil), "2025-03-01T12:00:00Z", object{"due_date": "2025-03-01T12:00:00Z"})
		s.clock("2025-03-01T11:59:59Z")
		s.invoice(id).shows(object{
			"status": "draft", "auto_collection.enabled": true, "auto_collection.num_attempts": json.Number("0"),
			"auto_collection.next_attempt_at": nil, "payment_started_at": nil,
		})
		s.clock("2025-03-01T12:00:00Z")
		s.invoice(id).shows(object{
			"status": "issued", "auto_collection.num_attempts": json.Number("1"),
			"auto_collection.previously_attempted_at": "2025-03-01T12:00:00+00:00",
			"auto_collection.next_attempt_at":         "2025-03-02T12:00:00+00:00",
			"payment_started_at":                      "2025-03-01T12:00:00+00:00", "payment_failed_at": "2025-03-01T12:00:00+00:00",
		})
		s.clock("2025-06-01T00:00:00Z")
		Expect(attempts(id)).To(Equal([]string{"03-01T12:00 failed", "03-02T12:00 failed", "03-05T12:00 failed", "03-10T12:00 failed"}))
		bill := s.invoice(id)
		bill.shows(object{
			"status": "issued", "auto_collection.num_attempts": json.Number("4"), "auto_collection.next_attempt_at": nil,
			"auto_collection.previously_attempted_at": "2025-03-10T12:00:00+00:00", "payment_failed_at": "2025-03-10T12:00:00+00:00",
			"amount_due": "59.97",
		})
		bill.entry("payment_attempts", 0).shows(object{
			"amount": "59.97", "succeeded": false, "payment_provider": nil, "payment_provider_id": nil, "receipt_pdf": nil,
		})
	})

	It("are asked for on the due date, and pay the invoice", func() {
		id := dated(payer("card", nil), "2025-03-01", object{"net_terms": 7})
		s.clock("2025-03-07T23:59:59Z")
		s.invoice(id).shows(object{"status": "issued", "auto_collection.next_attempt_at": "2025-03-08T00:00:00+00:00"})
		s.clock("2025-03-09T00:00:00Z")
		s.invoice(id).shows(object{
			"status": "paid", "paid_at": "2025-03-08T00:00:00+00:00", "amount_due": "59.97", "auto_collection.num_attempts": json.Number("1"),
			"auto_collection.next_attempt_at": nil, "payment_started_at": "2025-03-08T00:00:00+00:00", "payment_failed_at": nil,
		})
		Expect(attempts(id)).To(Equal([]string{"03-08T00:00 succeeded"}))
	})

	It("are tried again at the same time of the customer's day, also across a change of clocks", func() {
		berlin := payer("decline", object{"timezone": "Europe/Berlin"})
		id := dated(berlin, "2025-03-27T09:00:00Z", object{"due_date": "2025-03-27T09:00:00Z"})
		s.clock("2025-05-01T00:00:00Z")
		Expect(attempts(id)).To(Equal([]string{"03-27T09:00 failed", "03-28T09:00 failed", "03-31T08:00 failed", "04-05T08:00 failed"}))
	})

	It("succeed as soon as the customer pays another way", func() {
		buyer := payer("decline", nil)
		id := dated(buyer, "2025-03-01", nil)
		s.clock("2025-03-03T00:00:00Z")
		s.put("/v1/customers/"+buyer, object{"payment_provider": "stripe_charge", "payment_provider_id": "card"}).expect(200)
		s.clock("2025-06-01T00:00:00Z")
		Expect(attempts(id)).To(Equal([]string{"03-01T00:00 failed", "03-02T00:00 failed", "03-05T00:00 succeeded"}))
		s.invoice(id).shows(object{"status": "paid", "payment_failed_at": "2025-03-02T00:00:00+00:00"})
	})

	It("follow the account's days", func() {
		s.setting("payment_retry_days", "2")
		id := dated(payer("decline", nil), "2025-03-01", nil)
		s.clock("2025-06-01T00:00:00Z")
		Expect(attempts(id)).To(Equal([]string{"03-01T00:00 failed", "03-03T00:00 failed"}))
		s.setting("payment_retry_days", "")
		other := dated(payer("decline", nil), "2025-06-02", nil)
		s.clock("2025-07-01T00:00:00Z")
		Expect(attempts(other)).To(HaveLen(1))
	})

	DescribeTable("stop when the invoice needs none any more",
		func(settle func(id string)) {
			id := dated(payer("decline", nil), "2025-03-01", nil)
			s.clock("2025-03-01T12:00:00Z")
			settle(id)
			Expect(s.invoice(id).at("auto_collection.next_attempt_at")).To(BeNil())
			s.clock("2025-06-01T00:00:00Z")
			Expect(attempts(id)[0]).To(Equal("03-01T00:00 failed"))
			Expect(s.invoice(id).at("auto_collection.num_attempts")).To(Equal(json.Number("1")))
		},
		Entry("it is marked paid", func(id string) { s.pay(id) }),
		Entry("it is void", func(id string) { s.post("/v1/invoices/"+id+"/void", nil).expect(200) }),
		Entry("it is paid on request", func(id string) {
			s.post("/v1/invoices/"+id+"/pay", object{"shared_payment_token_id": "card"}).expect(200)
		}),
		Entry("nothing is due any more", func(id string) {
			line := s.invoice(id).at("line_items[0].id")
			s.post("/v1/credit_notes", object{"line_items": list{credited(line, "59.97")}}).expect(201)
		}),
	)

	It("are of what is due after credit notes", func() {
		id := dated(payer("card", nil), "2025-03-01", object{"net_terms": 7})
		s.clock("2025-03-02T00:00:00Z")
		s.post("/v1/credit_notes", object{"line_items": list{credited(s.invoice(id).at("line_items[0].id"), "9.97")}}).expect(201)
		s.clock("2025-03-08T00:00:00Z")
		Expect(s.invoice(id).at("payment_attempts[0].amount")).To(Equal("50.00"))
	})

	It("are not asked for where the invoice or the account does not say so", func() {
		off := dated(payer("card", nil), "2025-03-01", object{"auto_collection": false})
		manual := s.buyer(object{"auto_collection": true})
		s.clock("2025-03-01T00:00:00Z")
		s.setting("payment_gateway", "manual")
		unset := dated(manual, "2025-03-02", nil)
		s.clock("2025-06-01T00:00:00Z")
		s.invoice(off).shows(object{"status": "issued", "auto_collection.enabled": false, "auto_collection.next_attempt_at": nil})
		s.invoice(unset).shows(object{
			"status": "issued", "auto_collection.enabled": true, "auto_collection.num_attempts": json.Number("0"), "auto_collection.next_attempt_at": nil,
		})
	})

	It("end when the account goes without a gateway", func() {
		id := dated(payer("decline", nil), "2025-03-01", nil)
		s.clock("2025-03-01T00:00:00Z")
		s.setting("payment_gateway", "manual")
		s.clock("2025-06-01T00:00:00Z")
		Expect(attempts(id)).To(HaveLen(1))
		Expect(s.invoice(id).at("auto_collection.next_attempt_at")).To(BeNil())
	})

	Describe("POST /v1/invoices/{invoice_id}/pay", func() {
		pay := func(id, token string) *answer {
			return s.post("/v1/invoices/"+id+"/pay", object{"shared_payment_token_id": token})
		}
		It("charges at once, and leaves the schedule alone unless it succeeds", func() {
			id := dated(payer("decline", nil), "2025-03-01", nil)
			s.clock("2025-03-01T12:00:00Z")
			pay(id, "decline").expect(200).shows(object{
				"status": "issued", "auto_collection.num_attempts": json.Number("1"), "auto_collection.next_attempt_at": "2025-03-02T00:00:00+00:00",
				"payment_failed_at": "2025-03-01T12:00:00+00:00",
			})
			s.clock("2025-03-02T06:00:00Z")
			pay(id, "card").expect(200).shows(object{"status": "paid", "paid_at": "2025-03-02T06:00:00+00:00"})
			Expect(attempts(id)).To(Equal([]string{"03-01T00:00 failed", "03-01T12:00 failed", "03-02T00:00 failed", "03-02T06:00 succeeded"}))
		})
		It("charges once, however often the request is sent", func() {
			id := dated(s.buyer(nil), "2025-02-28", nil)
			key := header{"Idempotency-Key", "k1"}
			body := object{"shared_payment_token_id": "decline"}
			first := s.post("/v1/invoices/"+id+"/pay", body, key).expect(200)
			Expect(s.post("/v1/invoices/"+id+"/pay", body, key).expect(200).json).To(Equal(first.json))
			Expect(attempts(id)).To(HaveLen(1))
		})
		It("is not offered by an account without a gateway", func() {
			id := dated(s.buyer(nil), "2025-02-28", nil)
			s.setting("payment_gateway", "manual")
			pay(id, "card").refuse(400, "404-feature-not-available", "gateway")
			Expect(s.invoice(id).at("status")).To(Equal("issued"))
		})
		It("refuses what is wrong in itself, and misses an invoice that does not exist", func() {
			id := dated(s.buyer(nil), "2025-02-28", nil)
			s.post("/v1/invoices/"+id+"/pay", object{}).invalid("shared_payment_token_id: is required")
			pay("nope", "card").refuse(404, "404-resource-not-found", "Invoice", "nope")
			s.post("/v1/invoices/"+dated(s.buyer(nil), "2025-03-05", nil)+"/pay", object{"shared_payment_token_id": "card"}).refuse(400, refused, "draft")
		})
	})

	Describe("of too little to be charged", func() {
		cents := func(customer, amount string) value {
			GinkgoHelper()
			return s.invoice(dated(customer, "2025-02-28", object{"line_items": list{s.widgets("1", amount)}}))
		}
		It("I-6: wait for the next invoice, where there is a payment provider", func() {
			buyer := payer("card", object{"auto_collection": false})
			small := cents(buyer, "0.32")
			small.shows(object{"status": "paid", "total": "0.32", "amount_due": "0.00"})
			small.entry("customer_balance_transactions", 0).shows(object{
				"action": "small_invoice_carryover", "type": "decrement", "amount": "0.32", "ending_balance": "-0.32",
			})
			Expect(s.balance(buyer)).To(Equal("-0.32"))
			cents(buyer, "10").shows(object{"status": "issued", "total": "10.00", "amount_due": "10.32"})
			Expect(s.balance(buyer)).To(Equal("0.00"))
		})
		It("add up until they are enough", func() {
			buyer := payer("card", object{"auto_collection": false})
			cents(buyer, "0.30").shows(object{"status": "paid", "amount_due": "0.00"})
			cents(buyer, "0.19").shows(object{"status": "paid", "amount_due": "0.00"})
			Expect(s.balance(buyer)).To(Equal("-0.49"))
			cents(buyer, "0.01").shows(object{"status": "issued", "amount_due": "0.50"})
		})
		It("are what is due, not the total", func() {
			buyer := payer("card", object{"auto_collection": false, "currency": "USD"})
			s.moveBalance(buyer, "9.80")
			cents(buyer, "10").shows(object{"status": "paid", "total": "10.00", "amount_due": "0.00"})
			Expect(s.balance(buyer)).To(Equal("-0.20"))
		})
		It("are asked for from a customer without one, or as the account says", func() {
			cents(s.buyer(nil), "0.32").shows(object{"status": "issued", "amount_due": "0.32"})
			s.setting("smallest_charge", "0.30")
			cents(payer("card", object{"auto_collection": false}), "0.32").shows(object{"status": "issued", "amount_due": "0.32"})
		})
	})
})

package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Changing an invoice", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T05:00:00Z")
		buyer = s.buyer(object{"timezone": "America/New_York"})
	})
	draft := func() string {
		GinkgoHelper()
		sub := s.subscribe(buyer, nil, s.fee("28")).text("id")
		bill := s.invoices(sub).entry("data", 0)
		Expect(bill.at("status")).To(Equal("draft"))
		return bill.text("id")
	}
	issued := func() string {
		GinkgoHelper()
		return s.bill(buyer, "28").text("id")
	}

	Describe("POST /v1/invoices/{invoice_id}/mark_paid", func() {
		It("makes an issued invoice a paid one, as of a day of the customer's", func() {
			id := issued()
			s.clock("2025-03-03T05:00:00Z")
			paid := s.post("/v1/invoices/"+id+"/mark_paid", object{
				"payment_received_date": "2025-03-02", "external_id": "wire 1", "notes": "By hand",
			}).expect(200)
			paid.shows(object{"status": "paid", "paid_at": "2025-03-02T05:00:00+00:00", "amount_due": "28.00", "voided_at": nil})
			Expect(s.invoice(id).json).To(Equal(paid.json))
		})
		It("answers a repeated request alike", func() {
			id := issued()
			key := header{"Idempotency-Key", "k1"}
			body := object{"payment_received_date": "2025-03-01"}
			first := s.post("/v1/invoices/"+id+"/mark_paid", body, key).expect(200)
			Expect(s.post("/v1/invoices/"+id+"/mark_paid", body, key).expect(200).json).To(Equal(first.json))
		})
		It("refuses what is wrong in itself", func() {
			id := issued()
			for violation, body := range map[string]object{
				"payment_received_date: is required":    {},
				"payment_received_date: must be a date": {"payment_received_date": "2025-03-01T00:00:00Z"},
				"payment_received_date: ":               {"payment_received_date": "2025-02-29"},
				"paid: ":                                {"payment_received_date": "2025-03-01", "paid": true},
			} {
				s.post("/v1/invoices/"+id+"/mark_paid", body).invalid(violation)
			}
			s.post("/v1/invoices/nope/mark_paid", object{"payment_received_date": "2025-03-01"}).refuse(404, "404-resource-not-found", "Invoice", "nope")
		})
	})

	Describe("POST /v1/invoices/{invoice_id}/void", func() {
		It("misses an invoice that does not exist", func() {
			s.post("/v1/invoices/nope/void", nil).refuse(404, "404-resource-not-found", "Invoice", "nope")
		})
		It("is for good, and leaves the lines to be read", func() {
			id := issued()
			before := s.invoice(id)
			void := s.post("/v1/invoices/"+id+"/void", nil).expect(200)
			Expect(void.at("line_items")).To(Equal(before.at("line_items")))
			Expect(void.at("invoice_number")).To(Equal(before.at("invoice_number")))
			s.clock("2025-06-01T00:00:00Z")
			later := s.invoice(id)
			for _, link := range []string{"hosted_invoice_url", "invoice_pdf"} { // the first ones have ended: new ones are given
				Expect(later.text(link)).NotTo(Equal(void.text(link)))
				later.json.(object)[link] = void.at(link)
			}
			Expect(later.json).To(Equal(void.json))
		})
	})

	It("I-10: is refused where it makes no sense, and then changes nothing", func() {
		sub := s.subscribe(buyer, nil, s.fee("28"))
		open, paid, void := issued(), issued(), issued()
		s.pay(paid)
		s.post("/v1/invoices/"+void+"/void", nil).expect(200)
		ids := map[string]string{
			"draft": s.invoices(sub.text("id")).entry("data", 0).text("id"), "issued": open, "paid": paid, "void": void,
		}
		moves := map[string]struct {
			body object
			from []string
		}{
			"mark_paid": {object{"payment_received_date": "2025-03-01"}, []string{"draft", "paid", "void"}},
			"void":      {nil, []string{"draft", "paid", "void"}},
			"pay":       {object{"shared_payment_token_id": "tok"}, []string{"draft", "paid", "void"}},
			"issue":     {nil, []string{"issued", "paid", "void"}},
		}
		for move, m := range moves {
			for _, status := range m.from {
				before := s.invoice(ids[status])
				Expect(before.at("status")).To(Equal(status))
				var body any
				if m.body != nil {
					body = m.body
				}
				s.post("/v1/invoices/"+ids[status]+"/"+move, body).refuse(400, refused, status)
				Expect(s.invoice(ids[status]).json).To(Equal(before.json), "%s of a %s invoice", move, status)
			}
		}
	})

	Describe("PUT /v1/invoices/{invoice_id}", func() {
		put := func(id string, body object) *answer { return s.put("/v1/invoices/"+id, body) }

		It("changes metadata in every state", func() {
			sub := s.subscribe(buyer, nil, s.fee("28"))
			void := issued()
			s.post("/v1/invoices/"+void+"/void", nil).expect(200)
			for _, id := range []string{s.invoices(sub.text("id")).entry("data", 0).text("id"), issued(), s.pay(issued()).text("id"), void} {
				before := s.invoice(id)
				Expect(put(id, object{"metadata": object{"a": "1", "b": "2"}}).expect(200).at("metadata")).To(Equal(object{"a": "1", "b": "2"}))
				Expect(put(id, object{"metadata": object{"a": nil}}).expect(200).at("metadata")).To(Equal(object{"b": "2"}))
				Expect(put(id, object{}).expect(200).at("metadata")).To(Equal(object{"b": "2"}))
				Expect(put(id, object{"metadata": nil}).expect(200).json).To(Equal(before.json))
			}
		})
		It("gives a draft other terms, which it keeps when it is issued", func() {
			id := draft()
			put(id, object{"net_terms": 10, "auto_collection": true}).expect(200).shows(object{
				"auto_collection.enabled": true, "due_date": nil,
			})
			s.clock("2025-04-01T04:00:00Z")
			s.invoice(id).shows(object{
				"issued_at": "2025-04-01T04:00:00+00:00", "due_date": "2025-04-11T04:00:00+00:00", "auto_collection.enabled": true,
			})
		})
		It("gives a draft a due date instead of net terms, the last word counting", func() {
			id := draft()
			put(id, object{"net_terms": 10}).expect(200)
			put(id, object{"due_date": "2025-05-05"}).expect(200)
			s.clock("2025-04-01T04:00:00Z")
			Expect(s.invoice(id).at("due_date")).To(Equal("2025-05-05T04:00:00+00:00"))

			other := draft()
			put(other, object{"due_date": "2025-05-05T10:00:00Z"}).expect(200)
			put(other, object{"due_date": nil, "auto_collection": nil, "net_terms": nil}).expect(200)
			s.clock("2025-05-01T04:00:00Z")
			Expect(s.invoice(other).at("due_date")).To(Equal("2025-05-01T04:00:00+00:00"))
		})
		DescribeTable("refuses to change what was issued, and the date that a subscription gave",
			func(body object, words string) {
				id := issued()
				if words == "date of an invoice" {
					id = draft()
				}
				before := s.invoice(id)
				put(id, with(body, object{"metadata": object{"a": "1"}})).refuse(400, refused, words)
				Expect(s.invoice(id).json).To(Equal(before.json))
			},
			Entry("net terms", object{"net_terms": 3}, "only a draft"),
			Entry("a due date", object{"due_date": "2025-05-05"}, "only a draft"),
			Entry("auto collection", object{"auto_collection": true}, "only a draft"),
			Entry("the date of an issued one", object{"invoice_date": "2025-03-02"}, "only a draft"),
			Entry("the date of a draft", object{"invoice_date": "2025-03-02"}, "date of an invoice"),
		)
		It("refuses what is wrong in itself", func() {
			id := draft()
			for violation, body := range map[string]object{
				"net_terms: ":            {"net_terms": -1},
				"due_date: ":             {"due_date": "2025-02-30"},
				"due_date, net_terms: ":  {"due_date": "2025-05-05", "net_terms": 3},
				"invoice_date: ":         {"invoice_date": "soon"},
				"memo: is not a field":   {"memo": "Thanks"},
				"status: is not a field": {"status": "paid"},
			} {
				put(id, body).invalid(violation)
			}
			put("nope", object{}).refuse(404, "404-resource-not-found", "Invoice", "nope")
		})
	})

	It("freezes the customer's addresses and tax number with it", func() {
		tax := func(value string) object {
			return object{"country": "DE", "type": "eu_vat", "value": value}
		}
		id := s.buyer(object{"billing_address": object{"city": "Oslo"}, "shipping_address": object{"city": "Rome"}, "tax_id": tax("DE1")})
		sub := s.subscribe(id, nil, s.fee("28"))
		s.put("/v1/customers/"+id, object{"billing_address": object{"city": "Bonn"}, "shipping_address": nil, "tax_id": tax("DE2")}).expect(200)
		all := s.invoices(sub.text("id"))
		all.entry("data", 1).shows(object{
			"status": "issued", "billing_address.city": "Oslo", "shipping_address.city": "Rome", "customer_tax_id": tax("DE1"),
		})
		all.entry("data", 0).shows(object{
			"status": "draft", "billing_address.city": "Bonn", "shipping_address": nil, "customer_tax_id": tax("DE2"),
		})
	})
})

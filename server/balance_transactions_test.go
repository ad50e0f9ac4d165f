package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Customer balances", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var buyer, path string
	BeforeEach(func() {
		s = newFixture("2025-03-01T05:00:00Z")
		buyer = s.buyer(object{"currency": "USD", "timezone": "America/New_York"})
		path = "/v1/customers/" + buyer + "/balance_transactions"
	})

	Describe("POST /v1/customers/{customer_id}/balance_transactions", func() {
		It("moves the balance up and down", func() {
			up := s.post(path, object{"type": "increment", "amount": "12.5", "description": "Gift"}).expect(200)
			Expect(up.json).To(Equal(object{
				"id": up.at("id"), "type": "increment", "action": "manual_adjustment", "amount": "12.50", "starting_balance": "0.00",
				"ending_balance": "12.50", "created_at": "2025-03-01T05:00:00+00:00", "invoice": nil, "credit_note": nil, "description": "Gift",
			}))
			down := s.post(path, object{"type": "decrement", "amount": "20.00"}).expect(200)
			down.shows(object{"type": "decrement", "amount": "20.00", "starting_balance": "12.50", "ending_balance": "-7.50", "description": nil})
			Expect(s.balance(buyer)).To(Equal("-7.50"))
		})

		It("moves it once, however often the request is sent", func() {
			key := header{"Idempotency-Key", "k1"}
			body := object{"type": "increment", "amount": "5"}
			first := s.post(path, body, key).expect(200)
			Expect(s.post(path, body, key).expect(200).json).To(Equal(first.json))
			Expect(s.balance(buyer)).To(Equal("5.00"))
		})

		DescribeTable("refuses what is wrong in itself",
			func(change object, violation string) {
				s.post(path, with(object{"type": "increment", "amount": "5"}, change)).invalid(violation)
				Expect(s.get(path).expect(200).list("data")).To(BeEmpty())
			},
			Entry("nothing", object{"amount": "0.00"}, "amount: must be above 0"),
			Entry("less than nothing", object{"amount": "-1"}, "amount: must be above 0"),
			Entry("parts of a cent", object{"amount": "0.001"}, "amount: must have at most the 2 decimals of USD"),
			Entry("a number", object{"amount": 5}, "amount: "),
			Entry("no amount", object{"amount": absent}, "amount: is required"),
			Entry("no direction", object{"type": absent}, "type: is required"),
			Entry("another direction", object{"type": "sideways"}, "type: must be one of"),
			Entry("a member nobody knows", object{"action": "manual_adjustment"}, "action: "),
		)

		It("refuses a customer without a currency, and misses one that does not exist", func() {
			body := object{"type": "increment", "amount": "5"}
			s.post("/v1/customers/"+s.buyer(nil)+"/balance_transactions", body).refuse(400, refused, "currency")
			s.post("/v1/customers/nope/balance_transactions", body).refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("GET /v1/customers/{customer_id}/balance_transactions", func() {
		BeforeEach(func() {
			s.moveBalance(buyer, "1")
			s.clock("2025-03-02T04:59:59Z")
			s.moveBalance(buyer, "2")
			s.clock("2025-03-02T05:00:00Z")
			s.moveBalance(buyer, "-3")
			s.moveBalance(s.buyer(object{"currency": "USD"}), "9")
		})
		DescribeTable("lists what moved it, the newest first",
			func(query string, amounts ...any) {
				Expect(s.get(path+query).expect(200).each("data", "amount")).To(Equal(append(list{}, amounts...)))
			},
			Entry("all", "", "3.00", "2.00", "1.00"),
			Entry("from a day of the customer's on", "?operation_time[gte]=2025-03-02", "3.00"),
			Entry("before a day of the customer's", "?operation_time[lt]=2025-03-02", "2.00", "1.00"),
			Entry("after an instant", "?operation_time[gt]=2025-03-01T05:00:00Z", "3.00", "2.00"),
			Entry("until an instant", "?operation_time[lte]=2025-03-02T04:59:59Z", "2.00", "1.00"),
		)
		It("pages", func() {
			first := s.get(path + "?limit=2").expect(200)
			last := s.get(path + "?limit=2&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
			Expect(append(first.each("data", "amount"), last.each("data", "amount")...)).To(Equal(list{"3.00", "2.00", "1.00"}))
		})
		It("shows nothing of a customer whom nothing concerned, and misses one that does not exist", func() {
			Expect(s.get("/v1/customers/" + s.buyer(nil) + "/balance_transactions").expect(200).list("data")).To(BeEmpty())
			s.get("/v1/customers/nope/balance_transactions").refuse(404, "404-resource-not-found", "Customer", "nope")
			s.get(path + "?operation_time[gt]=never").invalid("operation_time[gt]: ")
		})
	})

	Describe("at the issue of an invoice", func() {
		DescribeTable("are settled with it",
			func(balance, fee string, invoice object, after string) {
				s.moveBalance(buyer, balance)
				bill := s.bill(buyer, fee)
				bill.shows(invoice)
				Expect(bill.list("customer_balance_transactions")).To(HaveLen(1))
				bill.entry("customer_balance_transactions", 0).shows(object{"action": "applied_to_invoice", "invoice.id": bill.at("id")})
				Expect(s.balance(buyer)).To(Equal(after))
			},
			Entry("I-2: a positive one lowers what is due", "5.00", "10.00", object{
				"total": "10.00", "amount_due": "5.00", "status": "issued", "customer_balance_transactions[0].type": "decrement",
				"customer_balance_transactions[0].amount": "5.00", "customer_balance_transactions[0].starting_balance": "5.00",
				"customer_balance_transactions[0].ending_balance": "0.00",
			}, "0.00"),
			Entry("I-3: a negative one raises it", "-4.00", "10.00", object{
				"total": "10.00", "amount_due": "14.00", "status": "issued", "customer_balance_transactions[0].type": "increment",
				"customer_balance_transactions[0].amount": "4.00",
			}, "0.00"),
			Entry("I-4: a large one covers it", "25.00", "10.00", object{
				"total": "10.00", "amount_due": "0.00", "status": "paid", "paid_at": "2025-03-01T05:00:00+00:00",
				"customer_balance_transactions[0].amount": "10.00",
			}, "15.00"),
		)

		It("I-5: come back when it is void", func() {
			s.moveBalance(buyer, "5")
			bill := s.bill(buyer, "10")
			s.clock("2025-03-02T00:00:00Z")
			void := s.post("/v1/invoices/"+bill.text("id")+"/void", nil).expect(200)
			void.shows(object{"status": "void", "voided_at": "2025-03-02T00:00:00+00:00", "total": "10.00"})
			Expect(s.balance(buyer)).To(Equal("5.00"))
			s.get(path).expect(200).entry("data", 0).shows(object{
				"action": "return_from_voiding", "type": "increment", "amount": "5.00", "starting_balance": "0.00", "ending_balance": "5.00",
				"invoice.id": bill.at("id"),
			})
		})

		It("are owed again when an invoice that raised what is due is void", func() {
			s.moveBalance(buyer, "-4")
			bill := s.bill(buyer, "10")
			s.post("/v1/invoices/"+bill.text("id")+"/void", nil).expect(200)
			Expect(s.balance(buyer)).To(Equal("-4.00"))
		})

		It("are not moved by voiding an invoice that did not move them, and its credit notes are void too", func() {
			bill := s.bill(buyer, "10")
			note := s.post("/v1/credit_notes", object{"line_items": list{credited(bill.at("line_items[0].id"), "3")}}).expect(201)
			s.post("/v1/invoices/"+bill.text("id")+"/void", nil).expect(200)
			Expect(s.get(path).expect(200).list("data")).To(BeEmpty())
			Expect(s.get("/v1/credit_notes/" + note.text("id")).expect(200).at("voided_at")).To(Equal("2025-03-01T05:00:00+00:00"))
		})
	})
})

package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// moveBalance moves a customer's balance: "5" up, "-4" down.
func (s fixture) moveBalance(customer, by string) value {
	GinkgoHelper()
	body := object{"type": "increment", "amount": by}
	if by[0] == '-' {
		body = object{"type": "decrement", "amount": by[1:]}
	}
	return s.post("/v1/customers/"+customer+"/balance_transactions", body).expect(200)
}

// invoice reads one.
func (s fixture) invoice(id string) value {
	GinkgoHelper()
	return s.get("/v1/invoices/" + id).expect(200)
}

// pay marks an invoice paid.
func (s fixture) pay(id string) value {
	GinkgoHelper()
	return s.post("/v1/invoices/"+id+"/mark_paid", object{"payment_received_date": "2025-03-01"}).expect(200)
}

// bill subscribes the customer to fees and returns the invoice that is issued at once.
func (s fixture) bill(customer string, amounts ...string) value {
	GinkgoHelper()
	prices := []object{}
	for _, amount := range amounts {
		prices = append(prices, s.fee(amount))
	}
	created := s.subscribe(customer, nil, prices...)
	return s.invoice(created.text("changed_resources.created_invoices[0].id"))
}

// credited is a line of a credit note's request.
func credited(line any, amount string) object {
	return object{"invoice_line_item_id": line, "amount": amount}
}

var _ = Describe("Credit notes", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD", "external_customer_id": "acme"})
	})
	credit := func(change object, lines ...object) *answer {
		return s.post("/v1/credit_notes", with(object{"line_items": lines}, change))
	}

	Describe("POST /v1/credit_notes", func() {
		It("CN-1, CN-2, CN-3: lower what an issued invoice asks for, down to nothing, and give the rest to the balance", func() {
			s.moveBalance(buyer, "5")
			bill := s.bill(buyer, "10.00")
			id, line := bill.text("id"), bill.at("line_items[0].id")
			Expect(bill.at("amount_due")).To(Equal("5.00"))

			first := credit(object{"reason": "duplicate", "memo": "Sorry"}, credited(line, "3.00")).expect(201)
			Expect(first.text("credit_note_pdf")).To(HaveSuffix(".pdf"))
			Expect(first.json).To(Equal(object{
				"id": first.at("id"), "credit_note_number": bill.text("invoice_number") + "-CN-1", "invoice_id": id, "type": "adjustment",
				"customer": object{"id": buyer, "external_customer_id": "acme"}, "reason": "duplicate", "memo": "Sorry",
				"created_at": "2025-03-01T00:00:00+00:00", "voided_at": nil, "subtotal": "3.00", "total": "3.00", "discounts": list{},
				"minimum_amount_refunded": nil, "maximum_amount_adjustment": nil, "credit_note_pdf": first.text("credit_note_pdf"),
				"line_items": list{object{
					"id": first.at("line_items[0].id"), "name": "Fee", "item_id": s.item, "quantity": json.Number("1"), "subtotal": "3.00",
					"amount": "3.00", "tax_amounts": list{}, "discounts": list{},
					"start_time_inclusive": "2025-03-01T00:00:00+00:00", "end_time_exclusive": "2025-04-01T00:00:00+00:00",
				}},
			}))
			s.invoice(id).shows(object{"status": "issued", "total": "10.00", "amount_due": "2.00"})

			second := credit(nil, credited(line, "7.00")).expect(201)
			second.shows(object{"type": "adjustment", "reason": nil, "memo": nil, "credit_note_number": bill.text("invoice_number") + "-CN-2"})
			paid := s.invoice(id)
			paid.shows(object{
				"status": "paid", "total": "10.00", "amount_due": "0.00", "paid_at": "2025-03-01T00:00:00+00:00",
				"credit_notes": list{
					object{
						"id": first.at("id"), "credit_note_number": first.at("credit_note_number"), "type": "adjustment", "reason": "duplicate",
						"memo": "Sorry", "total": "3.00", "voided_at": nil,
					},
					object{
						"id": second.at("id"), "credit_note_number": second.at("credit_note_number"), "type": "adjustment", "reason": "",
						"memo": nil, "total": "7.00", "voided_at": nil,
					},
				},
			})
			Expect(s.balance(buyer)).To(Equal("5.00"))
			paid.entry("customer_balance_transactions", 1).shows(object{
				"action": "credit_note_applied", "type": "increment", "amount": "5.00", "invoice.id": id, "credit_note.id": second.at("id"),
			})

			credit(nil, credited(line, "0.01")).refuse(400, refused, "0.00 is left")
		})

		It("CN-4: refund what a paid invoice charged to the balance", func() {
			bill := s.bill(buyer, "80.00")
			s.pay(bill.text("id"))
			note := credit(object{"reason": "order_change"}, credited(bill.at("line_items[0].id"), "20.00")).expect(201)
			note.shows(object{"type": "refund", "total": "20.00", "reason": "order_change"})
			s.invoice(bill.text("id")).shows(object{"status": "paid", "amount_due": "80.00"})
			Expect(s.balance(buyer)).To(Equal("20.00"))
		})

		DescribeTable("stay what they are, after a change of the plan credited the rest of a fee, whatever else changes",
			func(paid bool, due, balance string) {
				s := newFixture("2025-06-01T00:00:00Z")
				buyer := s.buyer(nil)
				sub := s.subscribe(buyer, nil, s.fee("30.00")).text("id")
				bill := s.invoices(sub).entry("data", 1)
				if paid {
					s.post("/v1/invoices/"+bill.text("id")+"/mark_paid", object{"payment_received_date": "2025-06-01"}).expect(200)
				}
				s.clock("2025-06-16T00:00:00Z")
				s.move(sub, s.plan(nil, s.fee("60.00")).text("id"), nil).expect(200)
				s.post("/v1/credit_notes", object{
					"line_items": list{object{"invoice_line_item_id": bill.at("line_items[0].id"), "amount": "5.00"}},
				}).expect(201)
				s.post("/v1/subscriptions/"+sub+"/unschedule_pending_plan_changes", nil).expect(200)
				s.invoice(bill.text("id")).shows(object{"amount_due": due})
				Expect(s.balance(buyer)).To(Equal(balance))
				Expect(s.bills(sub)).To(HaveLen(3))
			},
			Entry("of an invoice that is not paid", false, "10.00", "0.00"),
			Entry("of one that is", true, "30.00", "5.00"),
		)

		It("CN-5: cover local days, both inclusive", func() {
			tokyo := s.buyer(object{"timezone": "Asia/Tokyo"})
			line := s.bill(tokyo, "10").at("line_items[0].id")
			days := object{"start_date": "2025-09-22", "end_date": "2025-09-22"}
			for _, note := range []value{
				credit(days, credited(line, "1")).expect(201),
				credit(nil, with(credited(line, "1"), days)).expect(201),
			} {
				note.shows(object{
					"line_items[0].start_time_inclusive": "2025-09-21T15:00:00+00:00", "line_items[0].end_time_exclusive": "2025-09-22T15:00:00+00:00",
				})
			}
		})

		It("cover days of 23 and 25 hours where the clocks change", func() {
			berlin := s.buyer(object{"timezone": "Europe/Berlin"})
			line := s.bill(berlin, "10").at("line_items[0].id")
			for day, ends := range map[string][2]string{
				"2025-03-30": {"2025-03-29T23:00:00+00:00", "2025-03-30T22:00:00+00:00"},
				"2025-10-26": {"2025-10-25T22:00:00+00:00", "2025-10-26T23:00:00+00:00"},
			} {
				note := credit(object{"start_date": day, "end_date": day}, credited(line, "1")).expect(201)
				note.shows(object{"line_items[0].start_time_inclusive": ends[0], "line_items[0].end_time_exclusive": ends[1]})
			}
		})

		DescribeTable("CN-6: take dates for the note, for every line, or for none",
			func(change, first, second object, violation string) {
				bill := s.bill(buyer, "10", "20")
				a, b := credited(bill.at("line_items[0].id"), "1"), credited(bill.at("line_items[1].id"), "1")
				credit(change, with(a, first), with(b, second)).invalid(violation)
				Expect(s.get("/v1/credit_notes").expect(200).list("data")).To(BeEmpty())
			},
			Entry("not for the note and a line", may, may, object{}, "start_date, end_date: "),
			Entry("not for one line of two", object{}, may, object{}, "line_items: "),
			Entry("not the start alone", object{"start_date": "2025-05-01"}, object{}, object{}, "start_date, end_date: must be given together"),
			Entry("not the end of a line alone", object{}, object{"end_date": "2025-05-01"}, may, "line_items[0].start_date, end_date: "),
			Entry("not an end before the start", object{"start_date": "2025-05-02", "end_date": "2025-05-01"}, object{}, object{}, "end_date: "),
			Entry("not a day that its month lacks", object{"start_date": "2025-02-29", "end_date": "2025-03-01"}, object{}, object{}, "start_date: "),
		)

		It("CN-7: are refused on drafts, void invoices and those of another", func() {
			sub := s.subscribe(buyer, nil, s.fee("10"))
			draft := s.invoices(sub.text("id")).entry("data", 0)
			Expect(draft.at("status")).To(Equal("draft"))
			credit(nil, credited(draft.at("line_items[0].id"), "1")).refuse(400, refused, "draft")

			issued := sub.entry("changed_resources.created_invoices", 0)
			s.post("/v1/invoices/"+issued.text("id")+"/void", nil).expect(200)
			credit(nil, credited(issued.at("line_items[0].id"), "1")).refuse(400, refused, "void")

			foreign := s.account("test").newFixture("2025-03-01T00:00:00Z")
			theirs := foreign.bill(foreign.buyer(nil), "10").text("line_items[0].id")
			credit(nil, credited(theirs, "1")).refuse(404, "404-resource-not-found", "InvoiceLineItem", theirs)
		})

		It("are of one invoice, and of several lines of it", func() {
			bill, other := s.bill(buyer, "10", "20"), s.bill(buyer, "30")
			lines := bill.each("line_items", "id")
			credit(nil, credited(lines[0], "1"), credited(other.at("line_items[0].id"), "1")).
				invalid("line_items[1].invoice_line_item_id: must be a line of the same invoice")
			credit(nil, credited(lines[0], "1"), credited("line_nope", "1")).refuse(404, "404-resource-not-found", "line_nope")
			credit(nil, credited(lines[0], "6"), credited(lines[0], "4.01")).refuse(400, refused, "4.00 is left")
			note := credit(nil, credited(lines[0], "6"), credited(lines[1], "20"), credited(lines[0], "4")).expect(201)
			Expect(note.at("total")).To(Equal("30.00"))
			Expect(note.each("line_items", "amount")).To(Equal(list{"6.00", "20.00", "4.00"}))
			s.invoice(bill.text("id")).shows(object{"status": "paid", "amount_due": "0.00"})
		})

		DescribeTable("refuse what is wrong in itself",
			func(change object, violation string) {
				line := s.bill(buyer, "10").at("line_items[0].id")
				body := with(object{"line_items": list{credited(line, "1")}}, change)
				if entry, ok := change["line"]; ok {
					delete(body, "line")
					body["line_items"] = list{with(credited(line, "1"), entry.(object))}
				}
				s.post("/v1/credit_notes", body).invalid(violation)
			},
			Entry("nothing", object{"line": object{"amount": "0"}}, "line_items[0].amount: must be above 0"),
			Entry("less than nothing", object{"line": object{"amount": "-1"}}, "line_items[0].amount: must be above 0"),
			Entry("parts of a cent", object{"line": object{"amount": "0.005"}}, "line_items[0].amount: must have at most the 2 decimals"),
			Entry("a number", object{"line": object{"amount": 1}}, "line_items[0].amount: "),
			Entry("no amount", object{"line": object{"amount": absent}}, "line_items[0].amount: is required"),
			Entry("a line nobody names", object{"line": object{"invoice_line_item_id": absent}}, "line_items[0].invoice_line_item_id: is required"),
			Entry("no lines", object{"line_items": list{}}, "line_items: "),
			Entry("a reason in other words", object{"reason": "Order change"}, "reason: must be one of"),
			Entry("a date-time for a date", object{"start_date": "2025-05-01T00:00:00Z", "end_date": "2025-05-01"}, "start_date: must be a date"),
			Entry("a member nobody knows", object{"total": "1"}, "total: "),
		)

		It("are made once, however often the request is sent", func() {
			line := s.bill(buyer, "10").at("line_items[0].id")
			key := header{"Idempotency-Key", "k1"}
			body := object{"line_items": list{credited(line, "6")}}
			first := s.post("/v1/credit_notes", body, key).expect(201)
			Expect(s.post("/v1/credit_notes", body, key).expect(201).json).To(Equal(first.json))
		})

		It("count what is due in the currency of the invoice", func() {
			yen := s.buyer(object{"currency": "JPY"})
			plan := s.plan(object{"currency": "JPY"}, with(s.fee("1000"), object{"currency": "JPY"})).text("id")
			sub := s.post("/v1/subscriptions", object{"customer_id": yen, "plan_id": plan}).expect(201)
			line := sub.at("changed_resources.created_invoices[0].line_items[0].id")
			credit(nil, credited(line, "0.5")).invalid("line_items[0].amount: must have at most the 0 decimals of JPY")
			Expect(credit(nil, credited(line, "300")).expect(201).at("total")).To(Equal("300"))
		})
	})

	Describe("GET /v1/credit_notes", func() {
		BeforeEach(func() {
			line := s.bill(buyer, "10").at("line_items[0].id")
			for day := range 3 {
				s.clock(fmt.Sprintf("2025-03-0%dT00:00:00Z", day+2))
				credit(nil, credited(line, fmt.Sprint(day+1))).expect(201)
			}
		})
		DescribeTable("lists them, the newest first",
			func(query string, totals ...any) {
				Expect(s.get("/v1/credit_notes"+query).expect(200).each("data", "total")).To(Equal(append(list{}, totals...)))
			},
			Entry("all", "", "3.00", "2.00", "1.00"),
			Entry("from an instant on", "?created_at[gte]=2025-03-03T00:00:00Z", "3.00", "2.00"),
			Entry("after an instant", "?created_at[gt]=2025-03-03T00:00:00Z", "3.00"),
			Entry("until an instant", "?created_at[lte]=2025-03-03T00:00:00Z", "2.00", "1.00"),
			Entry("before a day", "?created_at[lt]=2025-03-03", "1.00"),
			Entry("between two", "?created_at[gt]=2025-03-02&created_at[lt]=2025-03-04", "2.00"),
		)
		It("pages through them", func() {
			first := s.get("/v1/credit_notes?limit=2").expect(200)
			Expect(first.each("data", "total")).To(Equal(list{"3.00", "2.00"}))
			last := s.get("/v1/credit_notes?limit=2&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
			Expect(last.each("data", "total")).To(Equal(list{"1.00"}))
			Expect(last.at("pagination_metadata.next_cursor")).To(BeNil())
		})
		It("refuses what is wrong in itself, and shows none of another account", func() {
			s.get("/v1/credit_notes?created_at[gt]=never").invalid("created_at[gt]: ")
			s.get("/v1/credit_notes?limit=101").invalid("limit: ")
			s.get("/v1/credit_notes?cursor=x").invalid("cursor: ")
			Expect(s.account("test").get("/v1/credit_notes").expect(200).list("data")).To(BeEmpty())
		})
	})

	Describe("GET /v1/credit_notes/{credit_note_id}", func() {
		It("finds one by id, and only in its own account", func() {
			made := credit(nil, credited(s.bill(buyer, "10").at("line_items[0].id"), "1")).expect(201)
			path := "/v1/credit_notes/" + made.text("id")
			Expect(s.get(path).expect(200).json).To(Equal(made.json))
			s.get("/v1/credit_notes/nope").refuse(404, "404-resource-not-found", "CreditNote", "nope")
			s.account("test").get(path).refuse(404, "404-resource-not-found", "CreditNote")
		})
	})
})

var may = object{"start_date": "2025-05-01", "end_date": "2025-05-31"}

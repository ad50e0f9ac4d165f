package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("defect 11: what is documented", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(nil)
	})

	Describe("a discount of POST /v1/invoices", func() {
		// off makes an invoice of 3 widgets at 20.00 and 1 at 40.00 with a discount.
		off := func(discount object) *answer {
			return s.post("/v1/invoices", s.oneOff(buyer, object{
				"line_items": list{s.widgets("3", "20.00"), s.widgets("1", "40.00")}, "discount": discount, "will_auto_issue": true,
			}))
		}
		DescribeTable("takes every kind",
			func(discount object, total string, shown any) {
				made := off(discount).expect(201)
				made.shows(object{"subtotal": "100.00", "total": total})
				if shown == nil {
					Expect(made.at("discounts")).To(BeEmpty())
					return
				}
				base := object{"applies_to_price_ids": list{}, "filters": list{}, "reason": nil}
				Expect(made.at("discounts[0]")).To(Equal(with(base, shown.(object))))
				Expect(s.invoice(made.text("id")).json).To(Equal(made.json))
				s.explain(made, 0)
			},
			Entry("percentage", object{"discount_type": "percentage", "percentage_discount": number("0.1")}, "90.00",
				object{"discount_type": "percentage", "percentage_discount": number("0.1")}),
			Entry("amount", object{"discount_type": "amount", "amount_discount": "15"}, "85.00",
				object{"discount_type": "amount", "amount_discount": "15"}),
			Entry("usage, which is of single lines", object{"discount_type": "usage", "usage_discount": number("1")}, "40.00", nil),
			Entry("trial, of everything", object{"discount_type": "trial"}, "0.00",
				object{"discount_type": "trial", "trial_percentage_discount": number("1"), "trial_amount_discount": nil}),
			Entry("trial, of an amount", object{"discount_type": "trial", "trial_amount_discount": "33.33", "trial_percentage_discount": nil}, "66.67",
				object{"discount_type": "trial", "trial_percentage_discount": nil, "trial_amount_discount": "33.33"}),
			Entry("trial, of a percentage", object{"discount_type": "trial", "trial_percentage_discount": number("0.25")}, "75.00",
				object{"discount_type": "trial", "trial_percentage_discount": number("0.25"), "trial_amount_discount": nil}),
			Entry("tiered percentage", object{"discount_type": "tiered_percentage", "tiers": list{
				object{"lower_bound": number("0"), "upper_bound": number("50"), "percentage": number("0")},
				object{"lower_bound": number("50"), "upper_bound": nil, "percentage": number("0.2")},
			}}, "90.00", object{"discount_type": "tiered_percentage", "tiers": list{
				object{"lower_bound": number("0"), "upper_bound": number("50"), "percentage": number("0")},
				object{"lower_bound": number("50"), "upper_bound": nil, "percentage": number("0.2")},
			}}),
		)

		It("narrows to the lines of the prices that it names, which lines of the request are not", func() {
			price := s.post("/v1/prices", with(s.fee("5"), object{"currency": "USD"})).expect(201).text("id")
			half := object{"discount_type": "percentage", "percentage_discount": number("0.5")}
			off(with(half, object{"applies_to_price_ids": list{price}})).expect(201).shows(object{"total": "100.00"})
			off(with(half, object{"applies_to_price_ids": list{}})).expect(201).shows(object{"total": "50.00"})
			off(with(half, object{"applies_to_price_ids": nil})).expect(201).shows(object{"total": "50.00"})
		})

		It("refuses what its kind does not have, and what it lacks", func() {
			off(object{"discount_type": "usage"}).invalid("discount.usage_discount: is required")
			off(object{"discount_type": "tiered_percentage"}).invalid("discount.tiers: is required")
			off(object{"discount_type": "usage", "usage_discount": number("-1")}).invalid("discount.usage_discount: must not be negative")
			off(object{"discount_type": "trial", "trial_amount_discount": "-1"}).invalid("discount.trial_amount_discount: must not be negative")
			off(object{"discount_type": "trial", "trial_percentage_discount": number("1.1")}).invalid("discount.trial_percentage_discount: ")
			off(object{"discount_type": "trial", "trial_percentage_discount": number("1"), "trial_amount_discount": "1"}).
				invalid("discount.trial_amount_discount, trial_percentage_discount: at most one must be specified")
			off(object{"discount_type": "trial", "usage_discount": number("1"), "tiers": nil}).invalid("discount.usage_discount: must not be given with that discount_type")
			off(object{"discount_type": "trial", "applies_to_price_ids": list{"nope"}}).
				refuse(400, "400-constraint-violation", "discount.applies_to_price_ids[0]", "must be the id of a price")
		})
	})

	It("takes the older members of a subscription and of a plan change, null too, and uses none", func() {
		older := object{"credits_overage_rate": number("0.5"), "per_credit_overage_amount": number("2")}
		market := object{"external_marketplace": "aws", "external_marketplace_reporting_id": "r1", "aws_region": "us-east-1"}
		nothing := func(members object) object {
			cleared := object{}
			for member := range members {
				cleared[member] = nil
			}
			return cleared
		}
		plan := s.plan(object{}, s.fee("10")).text("id")
		s.post("/v1/subscriptions", with(with(object{"customer_id": buyer, "plan_id": plan}, older), market)).expect(201)
		sub := s.post("/v1/subscriptions", with(with(object{"customer_id": buyer, "plan_id": plan}, nothing(older)), nothing(market))).expect(201).text("id")
		s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "external_marketplace": "moon"}).invalid("external_marketplace: ")
		change := object{"plan_id": plan, "change_option": "immediate"}
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", with(change, older)).expect(200)
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", with(change, nothing(older))).expect(200)
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", with(change, market)).invalid("aws_region: is not a field of this request",
			"external_marketplace: is not a field of this request", "external_marketplace_reporting_id: is not a field of this request")
	})

	It("leaves what a customer and an item always have where null is sent", func() {
		before := s.put("/v1/customers/"+buyer, object{"auto_collection": true, "email_delivery": false}).expect(200)
		after := s.put("/v1/customers/"+buyer, object{"name": nil, "email": nil, "auto_collection": nil, "email_delivery": nil}).expect(200)
		Expect(after.json).To(Equal(before.json))
		after.shows(object{"name": "Acme", "email": "bills@acme.test", "auto_collection": true, "email_delivery": false})
		s.put("/v1/customers/"+buyer, object{"name": ""}).invalid("name: ")
		s.put("/v1/customers/"+buyer, object{"email": "nobody"}).invalid("email: ")
		s.put("/v1/items/"+s.item, object{"name": nil}).expect(200).shows(object{"name": "Calls"})
	})

	It("refuses a threshold that answers cannot show", func() {
		const tooFine = "invoicing_threshold: must have at most 2 digits after the point, as USD has"
		plan := s.plan(object{}, s.fee("10")).text("id")
		create := func(threshold string) *answer {
			return s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "invoicing_threshold": threshold})
		}
		const most = "999999999999999999999999999999"
		create("0.001").invalid(tooFine)
		create(most + ".999").invalid(tooFine)
		sub := create(most + ".990").expect(201)
		sub.shows(object{"invoicing_threshold": most + ".99"})
		at := "/v1/subscriptions/" + sub.text("id")
		s.put(at, object{"invoicing_threshold": most + ".995"}).invalid(tooFine)
		s.put(at, object{"invoicing_threshold": "20.5"}).expect(200).shows(object{"invoicing_threshold": "20.50"})
		s.post(at+"/schedule_plan_change", object{"plan_id": plan, "change_option": "immediate", "invoicing_threshold": "9.999"}).invalid(tooFine)
	})

	It("takes a payment on days from that of the invoice to today, where the customer is", func() {
		east := s.buyer(object{"timezone": "Pacific/Kiritimati"}) // 14 hours ahead: 1 March begins on 28 February, 10:00 UTC
		made := func(customer, date string) func(day string) *answer {
			id := s.post("/v1/invoices", s.oneOff(customer, object{"invoice_date": date, "will_auto_issue": true})).expect(201).text("id")
			return func(day string) *answer {
				return s.post("/v1/invoices/"+id+"/mark_paid", object{"payment_received_date": day})
			}
		}
		paid := made(buyer, "2025-02-27")
		paid("2025-02-26").invalid("payment_received_date: must not be before the invoice, which is of 2025-02-27")
		paid("2025-03-02").invalid("payment_received_date: must not be after today")
		paid("2025-02-27").expect(200).shows(object{"status": "paid", "paid_at": "2025-02-27T00:00:00+00:00"})
		made(buyer, "2025-02-27")("2025-03-01").expect(200)

		s.clock("2025-03-01T12:00:00Z") // it is 2 March there
		paid = made(east, "2025-03-02")
		paid("2025-03-01").invalid("payment_received_date: must not be before the invoice, which is of 2025-03-02")
		paid("2025-03-03").invalid("payment_received_date: must not be after today")
		paid("2025-03-02").expect(200)

		// The clocks of New York go forward on 9 March, and its day ends at 04:00 UTC then.
		west := s.buyer(object{"timezone": "America/New_York"})
		s.clock("2025-03-10T03:30:00Z")
		paid = made(west, "2025-03-09")
		paid("2025-03-10").invalid("payment_received_date: must not be after today")
		s.clock("2025-03-10T04:00:00Z")
		paid("2025-03-10").expect(200)
	})
})

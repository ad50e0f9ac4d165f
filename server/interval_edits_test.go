package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Editing intervals of a subscription", func() {
	const refused = "400-constraint-violation"

	It("credits a fee for the days after an end that is past, and charges them again where that is lifted", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, buyer, base := s.based(nil)
		s.collect(sub)
		s.clock("2025-03-21T00:00:00Z")
		Expect(changed(s.intervals(sub, edit(base, object{"end_date": "2025-03-11"})).expect(200))).To(Equal([]string{"refund 21.00"}))
		Expect(changed(s.intervals(sub, edit(base, object{"end_date": "2025-03-06"})).expect(200))).To(Equal([]string{"refund 5.00"}))
		Expect(s.balance(buyer)).To(Equal("26.00"))
		after := s.intervals(sub, edit(base, object{"end_date": nil})).expect(200)
		Expect(changed(after)).To(Equal([]string{"2025-03-06 paid 26.00", "2025-04-01 draft 31.00"}))
		Expect(after.entry("price_intervals", 0).at("fixed_fee_quantity_transitions")).To(Equal(list{}))
		Expect(changed(s.intervals(sub, edit(base, object{"end_date": "2025-03-06"})).expect(200))).To(Equal([]string{"refund 26.00"}))
		Expect(changed(s.intervals(sub, edit(base, object{"end_date": nil})).expect(200))).To(Equal([]string{"2025-03-06 paid 26.00", "2025-04-01 draft 31.00"}))
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.balance(buyer)).To(Equal("0.00"))
	})

	It("credits a decrease anew of the days that a fee goes on for", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, buyer, base := s.based(nil)
		s.collect(sub)
		s.clock("2025-03-26T00:00:00Z")
		none := object{"fixed_fee_quantity_transitions": list{object{"effective_date": "2025-03-15", "quantity": 0}}}
		Expect(changed(s.intervals(sub, edit(base, none)).expect(200))).To(Equal([]string{"refund 17.00"}))
		Expect(changed(s.intervals(sub, edit(base, object{"end_date": "2025-03-10"})).expect(200))).To(Equal([]string{"refund 5.00"}))
		after := s.intervals(sub, edit(base, object{"end_date": "2025-03-17"})).expect(200)
		Expect(changed(after)).To(Equal([]string{"2025-03-10 paid 7.00", "refund 2.00"}))
		Expect(s.balance(buyer)).To(Equal("17.00"), "14 days are charged")
	})

	It("takes an end of a day ahead back without a trace", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, _, base := s.based(nil)
		Expect(changed(s.intervals(sub, edit(base, object{"end_date": "2025-03-11"})).expect(200))).To(BeEmpty())
		s.clock("2025-03-10T00:00:00Z")
		Expect(changed(s.intervals(sub, edit(base, object{"end_date": nil})).expect(200))).To(Equal([]string{"2025-04-01 draft 31.00"}))
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 31.00", "2025-05-01 draft 31.00"}))
	})

	It("credits on the day of an end that is ahead", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, buyer, base := s.based(nil)
		s.collect(sub)
		s.intervals(sub, edit(base, object{"end_date": "2025-03-11"})).expect(200)
		s.clock("2025-03-10T23:59:59Z")
		Expect(s.balance(buyer)).To(Equal("0.00"))
		s.clock("2025-03-11T00:00:00Z")
		Expect(s.balance(buyer)).To(Equal("21.00"))
	})

	It("removes an interval that ends where it starts", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, _, base := s.based(nil, s.calls("1.00"))
		after := s.intervals(sub, edit(base, object{"end_date": "2025-03-01"})).expect(200)
		Expect(spans(after)).To(Equal([]string{"Calls 2025-03-01 to on"}))
		Expect(changed(after)).To(Equal([]string{"2025-03-01 void 31.00"}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-04-01 draft 0.00"}))
	})

	It("moves the start of a fee, and back", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub, buyer, base := s.based(nil)
		s.collect(sub)
		s.clock("2025-03-05T00:00:00Z")
		Expect(changed(s.intervals(sub, edit(base, object{"start_date": "2025-03-11"})).expect(200))).To(Equal([]string{"2025-03-11 draft 21.00", "refund 31.00"}))
		Expect(changed(s.intervals(sub, edit(base, object{"start_date": "2025-03-03"})).expect(200))).To(Equal([]string{"2025-03-03 paid 29.00"}))
		Expect(changed(s.intervals(sub, edit(base, object{"start_date": "2025-03-01"})).expect(200))).To(Equal([]string{"2025-03-01 paid 31.00", "refund 29.00"}))
		Expect(s.balance(buyer)).To(Equal("0.00"))
	})

	Describe("of usage", func() {
		var s fixture
		var sub, calls string
		begin := func() {
			s = newFixture("2025-03-01T00:00:00Z")
			var buyer string
			sub, buyer, _ = s.based(nil, s.calls("1.00"))
			calls = s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 1).text("id")
			s.use(buyer, "2025-03-01T00:00:00Z", "4")
			s.clock("2025-03-20T00:00:00Z")
			s.use(buyer, "2025-03-20T00:00:00Z", "3")
		}

		It("invoices it up to an end at once", func() {
			begin()
			after := s.intervals(sub, edit(calls, object{"end_date": "2025-03-16"})).expect(200)
			Expect(changed(after)).To(Equal([]string{"2025-03-16 issued 4.00"}))
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-03-16 issued 4.00", "2025-04-01 draft 31.00"}))
		})

		It("replaces what was issued and is not paid, and is refused where it is", func() {
			begin()
			s.clock("2025-04-02T00:00:00Z")
			Expect(s.bills(sub)).To(ContainElement("2025-04-01 issued 38.00"))
			s.intervals(sub, with(edit(calls, object{"end_date": "2025-03-16"}), object{"allow_invoice_credit_or_void": false})).
				refuse(400, refused, "allow_invoice_credit_or_void")
			after := s.intervals(sub, edit(calls, object{"end_date": "2025-03-16"})).expect(200)
			Expect(changed(after)).To(Equal([]string{"2025-03-16 issued 4.00", "2025-04-01 issued 31.00", "2025-04-01 void 38.00"}))
			s.collect(sub)
			s.intervals(sub, edit(calls, object{"end_date": "2025-03-10"})).refuse(400, refused, "is paid")
		})

		It("waits for the next invoice where it may", func() {
			begin()
			after := s.intervals(sub, with(edit(calls, object{"end_date": "2025-03-16"}), object{"can_defer_billing": true})).expect(200)
			Expect(after.each("price_intervals", "can_defer_billing")).To(Equal(list{false, true}))
			Expect(changed(after)).To(BeEmpty())
			s.clock("2025-04-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 35.00", "2025-05-01 draft 31.00"}))
			Expect(lines(s.invoices(sub).entry("data", 1))).To(Equal([]string{
				"Calls 2025-03-01 to 2025-03-16: 4.00", "Fee 2025-04-01 to 2025-05-01: 31.00",
			}))
		})

		It("waits no longer than the subscription lasts", func() {
			begin()
			s.intervals(sub, edit(calls, object{"end_date": "2025-03-21", "can_defer_billing": true})).expect(200)
			s.cancel(sub, asOf("2025-03-25")).expect(200)
			s.clock("2025-03-26T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-03-25 issued 7.00"}))
		})

		It("waits for nothing where the end is that of a month, or is said not to", func() {
			begin()
			s.intervals(sub, edit(calls, object{"end_date": "2025-04-01", "can_defer_billing": true})).expect(200)
			s.clock("2025-04-02T00:00:00Z")
			Expect(s.bills(sub)).To(ContainElement("2025-04-01 issued 38.00"))
			after := s.intervals(sub, edit(calls, object{"can_defer_billing": nil})).expect(200)
			Expect(after.each("price_intervals", "can_defer_billing")).To(Equal(list{false, false}))
		})

		It("takes other values for parameters, for what is used from then on", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			metric := s.api.metric("SELECT SUM(n) FROM events WHERE region = {{region}}")
			sub, buyer, _ := s.based(nil, with(s.calls("1.00"), object{"billable_metric_id": metric}))
			calls := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 1).text("id")
			s.use(buyer, "2025-03-01T00:00:00Z", `3, "region": "eu"`, `4, "region": "us"`)
			s.clock("2025-04-02T00:00:00Z")
			s.use(buyer, "2025-04-02T00:00:00Z", `5, "region": "eu"`)
			after := s.intervals(sub, edit(calls, object{"metric_parameter_overrides": object{"region": "eu"}})).expect(200)
			Expect(after.entry("price_intervals", 1).at("metric_parameter_overrides")).To(Equal(object{"region": "eu"}))
			Expect(changed(after)).To(BeEmpty())
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 31.00", "2025-05-01 draft 36.00"}))
			Expect(s.intervals(sub, edit(calls, object{"metric_parameter_overrides": nil})).expect(200).entry("price_intervals", 1).at("metric_parameter_overrides")).To(BeNil())
			s.intervals(sub, edit(calls, object{"metric_parameter_overrides": object{"place": "eu"}})).invalid("edit[0].metric_parameter_overrides.place: is no parameter")
		})
	})

	Describe("fixed_fee_quantity_transitions", func() {
		replace := func(interval string, changes ...object) object {
			all := list{}
			for _, change := range changes {
				all = append(all, change)
			}
			return edit(interval, object{"fixed_fee_quantity_transitions": all})
		}
		on := func(date string, quantity int) object { return object{"effective_date": date, "quantity": quantity} }

		It("take the place of those before, ahead and past", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, buyer, base := s.based(nil)
			s.collect(sub)
			s.clock("2025-03-21T00:00:00Z")
			Expect(changed(s.intervals(sub, replace(base, on("2025-03-11", 2), on("2025-03-26", 3))).expect(200))).To(Equal([]string{"2025-03-11 issued 21.00", "2025-03-26 draft 6.00"}))
			after := s.intervals(sub, replace(base, on("2025-03-16", 2))).expect(200)
			Expect(changed(after)).To(Equal([]string{"2025-03-16 issued 16.00", "2025-03-11 void 21.00"}))
			Expect(after.entry("price_intervals", 0).each("fixed_fee_quantity_transitions", "quantity")).To(Equal(list{number("2")}))
			s.collect(sub)
			Expect(changed(s.intervals(sub, replace(base)).expect(200))).To(Equal([]string{"refund 16.00"}))
			Expect(s.balance(buyer)).To(Equal("16.00"))
			Expect(s.bills(sub)).To(ContainElement("2025-04-01 draft 31.00"))
		})

		It("give back less, and then more again", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			buyer := s.buyer(nil)
			after := s.subscribe(buyer, nil, with(s.fee("31.00"), object{"fixed_price_quantity": 4}))
			sub, base := after.text("id"), after.entry("price_intervals", 0).text("id")
			s.collect(sub)
			s.clock("2025-03-21T00:00:00Z")
			Expect(changed(s.intervals(sub, replace(base, on("2025-03-11", 1))).expect(200))).To(Equal([]string{"refund 63.00"}))
			s.intervals(sub, replace(base, on("2025-03-11", 3))).expect(200) // in all 124, less 21
			Expect(s.balance(buyer)).To(Equal("21.00"))
			s.intervals(sub, replace(base)).expect(200)
			Expect(s.balance(buyer)).To(Equal("0.00"))
		})

		It("are of local days", func() {
			s := newFixture("2025-03-01T08:00:00Z")
			after := s.subscribe(s.buyer(object{"timezone": "America/Los_Angeles"}), nil, s.fee("31.00"))
			base := after.entry("price_intervals", 0).text("id")
			edited := s.intervals(after.text("id"), replace(base, on("2025-03-15T03:00:00Z", 2))).expect(200)
			Expect(edited.entry("price_intervals", 0).each("fixed_fee_quantity_transitions", "effective_date")).To(Equal(list{"2025-03-14T07:00:00+00:00"}))
			s.clock("2025-03-20T08:00:00Z")
			Expect(s.bills(after.text("id"))).To(Equal([]string{"2025-03-01 issued 31.00", "2025-03-14 issued 18.00", "2025-04-01 draft 62.00"}))
		})
	})

	Describe("billing_cycle_day", func() {
		It("is that of all prices in force together", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, _, base := s.based(nil, s.calls("1.00"))
			calls := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 1).text("id")
			s.intervals(sub, edit(base, object{"billing_cycle_day": 15})).invalid("edit[0].billing_cycle_day: must be that of all prices")
			after := s.intervals(sub, object{"edit": list{
				object{"price_interval_id": base, "billing_cycle_day": 31}, object{"price_interval_id": calls, "billing_cycle_day": 31},
			}}).expect(200)
			Expect(after.each("price_intervals", "billing_cycle_day")).To(Equal(list{number("31"), number("31")}))
			Expect(after.at("billing_cycle_day")).To(Equal(number("31")))
			s.clock("2025-05-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{
				"2025-03-01 issued 30.00", "2025-03-31 issued 31.00", "2025-04-30 issued 31.00", "2025-05-31 draft 31.00",
			}))
			s.intervals(sub, object{"edit": list{
				object{"price_interval_id": base, "billing_cycle_day": nil}, object{"price_interval_id": calls, "billing_cycle_day": nil},
			}}).expect(200)
			Expect(s.bills(sub)).To(Equal([]string{ // from the running cycle on
				"2025-03-01 issued 30.00", "2025-03-31 issued 31.00", "2025-04-30 issued 1.03", "2025-05-01 issued 31.00", "2025-06-01 draft 31.00",
			}))
		})

		It("may change from one interval to the next", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, _, base := s.based(nil)
			after := s.intervals(sub, object{
				"edit": list{object{"price_interval_id": base, "end_date": "2025-04-01"}},
				"add":  list{object{"price": floating(s.fee("31.00")), "start_date": "2025-04-10"}},
			}).expect(200)
			next := after.entry("price_intervals", 1).text("id")
			s.intervals(sub, edit(next, object{"billing_cycle_day": 10})).expect(200)
			s.clock("2025-05-10T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-10 issued 31.00", "2025-05-10 issued 31.00", "2025-06-10 draft 31.00"}))
		})
	})

	Describe("is refused", func() {
		DescribeTable("with",
			func(change object, beginnings ...string) {
				s := newFixture("2025-03-10T00:00:00Z")
				sub, _, base := s.based(object{"end_date": "2025-09-01"}, s.calls("1.00"))
				calls := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 1).text("id")
				if change["calls"] != nil {
					base, change = calls, with(change, object{"calls": absent})
				}
				s.intervals(sub, edit(base, change)).invalid(beginnings...)
			},
			Entry("a start before that of the subscription", object{"start_date": "2025-03-09"}, "edit[0].start_date: must not be before"),
			Entry("an end after its end", object{"end_date": "2025-10-01"}, "edit[0].end_date: must not be after"),
			Entry("an end before the start", object{"end_date": "2025-03-01"}, "edit[0].end_date: must not be before start_date"),
			Entry("a null start", object{"start_date": nil}, "edit[0].start_date: "),
			Entry("a day that no month has", object{"billing_cycle_day": 32}, "edit[0].billing_cycle_day: "),
			Entry("quantities of usage", object{"calls": 1, "fixed_fee_quantity_transitions": list{object{"effective_date": "2025-04-01", "quantity": 1}}},
				"edit[0].fixed_fee_quantity_transitions: can be given for fixed fees only"),
			Entry("parameters of a fee", object{"metric_parameter_overrides": object{"a": 1}}, "edit[0].metric_parameter_overrides: must be empty"),
		)

		It("of an interval that the subscription does not have", func() {
			s := newFixture("2025-03-10T00:00:00Z")
			sub, _, _ := s.based(nil)
			s.intervals(sub, edit("pint_x", nil)).refuse(400, refused, "edit[0].price_interval_id: must be a price interval of the subscription")
		})

		It("twice of one interval", func() {
			s := newFixture("2025-03-10T00:00:00Z")
			sub, _, base := s.based(nil)
			one := object{"price_interval_id": base, "end_date": "2025-04-01"}
			s.intervals(sub, object{"edit": list{one, one}}).invalid("edit[1].price_interval_id: must be edited once")
		})

		It("where a price would be in force twice", func() {
			s := newFixture("2025-03-10T00:00:00Z")
			sub, _, base := s.based(nil)
			price := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 0).text("price.id")
			s.intervals(sub, adding(object{"price_id": price, "start_date": "2025-04-01"})).invalid("add[0].start_date, end_date: must not overlap")
			after := s.intervals(sub, with(adding(object{"price_id": price, "start_date": "2025-04-01"}), edit(base, object{"end_date": "2025-04-01"}))).expect(200)
			Expect(spans(after)).To(Equal([]string{"Fee 2025-03-10 to 2025-04-01", "Fee 2025-04-01 to on"}))
		})

		It("of a subscription that has ended, or is none", func() {
			s := newFixture("2025-03-10T00:00:00Z")
			sub, _, base := s.based(nil)
			s.cancel(sub, nil).expect(200)
			s.intervals(sub, edit(base, nil)).refuse(400, refused, "has ended")
			s.intervals("sub_x", object{}).refuse(404, "404-resource-not-found", "Subscription", "sub_x")
		})

		It("as a whole, where one of its parts is wrong", func() {
			s := newFixture("2025-03-10T00:00:00Z")
			sub, _, base := s.based(nil)
			s.intervals(sub, with(adding(object{"price": floating(s.fee("1.00")), "start_date": "2025-04-01"}), edit(base, object{"end_date": "2025-03-01"}))).
				invalid("edit[0].end_date: must not be before start_date")
			Expect(spans(s.get("/v1/subscriptions/" + sub).expect(200))).To(Equal([]string{"Fee 2025-03-10 to on"}))
		})
	})
})

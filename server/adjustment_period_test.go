package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// The worked examples of price models 6.7.
var _ = Describe("An adjustment of a period", func() {
	monthly := object{"invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
	quarterly := with(object{"cadence": "quarterly"}, monthly)
	quarter := object{"cadence": "quarterly"}
	var s fixture
	var acme, sub string

	// all is an adjustment of all prices.
	all := func(kind, member string, value any, change object) object {
		body := object{"adjustment_type": kind, member: value, "applies_to_all": true}
		if kind == "minimum" {
			body["item_id"] = s.item
		}
		return object{"adjustment": with(body, change)}
	}
	minimum := func(amount string) object { return all("minimum", "minimum_amount", amount, nil) }
	maximum := func(amount string) object { return all("maximum", "maximum_amount", amount, nil) }
	discount := func(amount string) object { return all("amount_discount", "amount_discount", amount, nil) }
	half := func() object { return all("percentage_discount", "percentage_discount", json.Number("0.5"), nil) }

	// begin opens an account with a customer at an instant.
	begin := func(now string) {
		GinkgoHelper()
		s = newFixture(now)
		acme = s.buyer(object{"currency": "USD"})
	}
	// sell subscribes the customer to prices under adjustments.
	sell := func(change object, adjustments list, prices ...object) value {
		GinkgoHelper()
		made := s.subscribe(acme, with(object{"add_adjustments": adjustments}, change), prices...)
		sub = made.text("id")
		return made
	}
	// model leaves the rates of a price away.
	model := func(price object) object {
		delete(price, "unit_config")
		return price
	}
	second := func() object {
		return with(s.calls("1.00"), object{"name": "Keys", "billable_metric_id": s.api.metric("SELECT SUM(n) FROM events WHERE event_name = 'key'")})
	}
	// keys ingests usage of the second price.
	keys := func(at, n string) {
		GinkgoHelper()
		*s.sent++
		s.post("/v1/ingest", fmt.Sprintf(`{"events":[{"idempotency_key":"k%06d","event_name":"key","customer_id":%q,"timestamp":%q,"properties":{"n":%s}}]}`, *s.sent, acme, at, n)).expect(200)
	}
	// through uses so much in each month from January on, calls and keys, and goes to the month after.
	through := func(calls, others []string) {
		GinkgoHelper()
		for k, n := range calls {
			at := fmt.Sprintf("2025-%02d-10T00:00:00Z", k+1)
			s.clock(at)
			s.use(acme, at, n)
			if others != nil {
				keys(at, others[k])
			}
		}
		s.clock(fmt.Sprintf("2025-%02d-02T00:00:00Z", len(calls)+1))
	}
	// totals are those of the invoices that are issued, by date.
	totals := func() (found []string) {
		GinkgoHelper()
		for _, bill := range s.bills(sub) {
			var date, status, total string
			_, err := fmt.Sscan(bill, &date, &status, &total)
			Expect(err).NotTo(HaveOccurred())
			if status != "draft" && status != "void" {
				found = append(found, total)
			}
		}
		return found
	}
	three := []string{"400", "20", "30"}
	others := []string{"30", "10", "10"}

	DescribeTable("of several prices of a quarter that is invoiced monthly:",
		func(adjustment func() object, calls, keys []string, want ...string) {
			begin("2025-01-01T00:00:00Z")
			prices := []object{with(s.calls("1.00"), quarterly)}
			if keys != nil {
				prices = append(prices, with(second(), quarterly))
			}
			sell(object{"end_date": "2025-04-01"}, list{adjustment()}, prices...)
			through(calls, keys)
			Expect(totals()).To(Equal(want))
		},
		Entry("a minimum is settled at the end", func() object { return minimum("900.00") }, three, others, "430.00", "30.00", "440.00"),
		Entry("a maximum works from the start", func() object { return maximum("300.00") }, three, others, "300.00", "0.00", "0.00"),
		Entry("a discount of an amount, as far as usage allows", func() object { return discount("90.00") }, []string{"50", "60", "70"}, nil, "0.00", "20.00", "70.00"),
		Entry("units that are free", func() object { return all("usage_discount", "usage_discount", 110, nil) }, []string{"50", "75", "30"}, nil, "0.00", "15.00", "30.00"),
		Entry("a maximum of one price", func() object { return maximum("300.00") }, three, nil, "300.00", "0.00", "0.00"),
		Entry("a minimum of one price", func() object { return minimum("900.00") }, three, nil, "400.00", "20.00", "480.00"),
		Entry("tiers measure the period", func() object {
			return all("tiered_percentage_discount", "tiers", list{
				object{"lower_bound": 0, "upper_bound": 100, "percentage": json.Number("0")},
				object{"lower_bound": 100, "upper_bound": nil, "percentage": json.Number("0.5")},
			}, nil)
		}, []string{"60", "60", "30"}, []string{"20", "0", "0"}, "80.00", "40.00", "15.00"),
	)

	It("puts a percentage before a maximum of the period", func() {
		begin("2025-01-01T00:00:00Z")
		sell(object{"end_date": "2025-04-01"}, list{half(), maximum("100.00")}, with(s.calls("1.00"), quarterly))
		through([]string{"70", "200", "0"}, nil)
		Expect(totals()).To(Equal([]string{"35.00", "65.00", "0.00"}))
	})

	It("settles a minimum with a fee whose invoice comes at the end", func() {
		begin("2025-01-01T00:00:00Z")
		late := with(s.fee("50.00"), with(quarter, object{"name": "Late", "billed_in_advance": false}))
		sell(object{"end_date": "2025-04-01"}, list{minimum("900.00")}, with(s.calls("1.00"), quarterly), late)
		through(three, nil)
		Expect(totals()).To(Equal([]string{"400.00", "20.00", "480.00"}))
	})

	Describe("with a line that waits for the next document", func() {
		// ended lets the calls end on a day, and their last line wait.
		ended := func(made value, day string) {
			GinkgoHelper()
			for k := range made.list("price_intervals") {
				if i := made.entry("price_intervals", k); i.at("price.name") == "Calls" {
					s.intervals(sub, edit(i.text("id"), object{"end_date": day, "can_defer_billing": true})).expect(200)
				}
			}
		}
		It("settles a minimum on the last document, with that line on the next one", func() {
			begin("2025-01-01T00:00:00Z")
			made := sell(nil, list{minimum("900.00")}, with(s.calls("1.00"), quarterly), with(second(), quarterly))
			ended(made, "2025-02-15")
			through([]string{"400", "20", "0"}, others)
			Expect(totals()).To(Equal([]string{"430.00", "30.00", "440.00"}))
		})
		It("has that line in the minimum of the month in which it ended", func() {
			begin("2025-01-01T00:00:00Z")
			made := sell(nil, list{minimum("900.00")}, with(s.calls("1.00"), quarter), s.fee("10.00"))
			ended(made, "2025-01-15")
			through([]string{"40"}, nil)
			// The fee of January had all of its minimum, so the line adds nothing. February has its own.
			Expect(totals()).To(Equal([]string{"900.00", "900.00"}))
			Expect(lines(s.invoices(sub).entry("data", 1))).To(ContainElement("Calls 2025-01-01 to 2025-01-15: 0.00"))
		})
		It("settles it on a document of its own where there is no other", func() {
			begin("2025-01-01T00:00:00Z")
			made := sell(nil, list{minimum("310.00")}, s.calls("1.00"))
			ended(made, "2025-01-15")
			through([]string{"40"}, nil)
			Expect(s.bills(sub)).To(Equal([]string{"2025-02-01 issued 140.00"})) // 14 of 31 days
		})
	})

	It("gives back what a maximum took, first to a line below 0", func() {
		begin("2025-01-01T00:00:00Z")
		bulk := with(model(s.calls("1.00")), with(quarterly, object{"model_type": "bulk", "bulk_config": object{"tiers": list{
			object{"maximum_units": 15, "unit_amount": "10.00"}, object{"maximum_units": nil, "unit_amount": "5.00"},
		}}}))
		sell(object{"end_date": "2025-04-01"}, list{maximum("100.00")}, bulk)
		through([]string{"15", "1", "0"}, nil)
		Expect(totals()).To(Equal([]string{"100.00", "-20.00", "0.00"}))
	})

	Describe("on composite prices", func() {
		composite := func(change object) object {
			body := object{
				"name": "Support", "item_id": s.item, "cadence": "monthly", "model_type": "percent",
				"composite_price_filters": list{object{"field": "price_type", "operator": "includes", "values": list{"usage"}}},
			}
			if change["model_type"] == nil {
				body["percent_config"] = object{"percent": json.Number("0.1")}
			}
			return with(body, change)
		}
		DescribeTable("counts what each document adds:",
			func(usage, change object, want ...string) {
				begin("2025-01-01T00:00:00Z")
				sell(object{"end_date": "2025-04-01"}, nil, with(s.calls("1.00"), usage), composite(change))
				through([]string{"100", "100", "100"}, nil)
				Expect(totals()).To(Equal(want))
			},
			Entry("10% of a quarter that is invoiced monthly", quarterly, nil, "110.00", "110.00", "110.00"),
			Entry("a minimum of it", quarterly, object{
				"model_type": "minimum_composite", "minimum_composite_config": object{"minimum_amount": "150.00"},
			}, "150.00", "150.00", "150.00"),
			Entry("10% of three months, once", nil, quarter, "100.00", "100.00", "130.00"),
		)

		It("has the part of a partial invoice in its base", func() {
			begin("2025-01-01T00:00:00Z")
			sell(object{"end_date": "2025-02-01", "invoicing_threshold": "60.00"}, nil, s.calls("1.00"), composite(nil))
			s.clock("2025-01-10T00:00:00Z")
			s.use(acme, "2025-01-10T00:00:00Z", "60")
			s.clock("2025-01-10T00:00:00Z")
			s.clock("2025-01-20T00:00:00Z")
			s.use(acme, "2025-01-20T00:00:00Z", "40")
			s.clock("2025-02-02T00:00:00Z")
			Expect(totals()).To(Equal([]string{"60.00", "50.00"}))
		})
	})

	Describe("of a fee in advance", func() {
		DescribeTable("counts a change of its quantity as a part of June:",
			func(adjustment func() object, from, to int, want string) {
				begin("2025-06-01T00:00:00Z")
				made := sell(nil, list{adjustment()}, with(s.fee("10.00"), object{"fixed_price_quantity": from}))
				s.clock("2025-06-16T00:00:00Z")
				s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{
					"price_id": made.text("price_intervals[0].price.id"), "quantity": to, "change_option": "immediate",
				}).expect(200)
				var sum money.Decimal
				for _, total := range totals() {
					sum = sum.Add(money.Must(total))
				}
				for _, refund := range s.refunds(sub) {
					sum = sum.Sub(money.Must(refund))
				}
				Expect(sum.StringFixed(2)).To(Equal(want))
			},
			Entry("a maximum of 60.00", func() object { return maximum("60.00") }, 5, 20, "60.00"),
			Entry("a minimum of 100.00, down", func() object { return minimum("100.00") }, 5, 2, "100.00"),
			Entry("a minimum of 100.00, up", func() object { return minimum("100.00") }, 5, 8, "100.00"),
			Entry("a discount of 70.00", func() object { return discount("70.00") }, 5, 20, "55.00"),
		)

		Describe("that falls by more than its lines charged", func() {
			// to sets the quantity of a fee on a day.
			to := func(made value, name, day string, quantity int) {
				GinkgoHelper()
				s.clock(day + "T00:00:00Z")
				for k := range made.list("price_intervals") {
					if i := made.entry("price_intervals", k); i.at("price.name") == name {
						s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{
							"price_id": i.text("price.id"), "quantity": quantity, "change_option": "immediate",
						}).expect(200)
					}
				}
			}
			two := func() value {
				begin("2025-06-01T00:00:00Z")
				return sell(nil, list{discount("150.00")}, with(s.fee("100.00"), object{"name": "A"}), with(s.fee("100.00"), object{"name": "B"}))
			}
			It("credits the rest to the other line that shares the discount", func() {
				made := two()
				Expect(totals()).To(Equal([]string{"50.00"}))
				to(made, "A", "2025-06-21", 0)
				Expect(s.refunds(sub)).To(Equal([]string{"33.33"})) // a third of A, 25.00 of it on the line of A
				to(made, "B", "2025-06-26", 0)
				Expect(s.refunds(sub)).To(ConsistOf("33.33", "16.67")) // the lines have no more
			})
			It("credits no more than clients left of the other line", func() {
				made := two()
				bill := s.invoices(sub).entry("data", 1)
				for k := range bill.list("line_items") {
					if l := bill.entry("line_items", k); l.at("name") == "B" {
						s.post("/v1/credit_notes", object{"reason": "order_change", "line_items": list{
							object{"invoice_line_item_id": l.text("id"), "amount": "20.00"},
						}}).expect(201)
					}
				}
				to(made, "A", "2025-06-21", 0)
				Expect(s.refunds(sub)).To(ConsistOf("20.00", "30.00"))
			})
			It("takes it back as the quantity comes back", func() {
				made := two()
				to(made, "A", "2025-06-21", 0)
				to(made, "A", "2025-06-21", 1)
				Expect(s.refunds(sub)).To(Equal([]string{"33.33"}))
				Expect(totals()).To(Equal([]string{"50.00", "33.33"}))
			})
			It("leaves the rest to the next document of usage", func() {
				begin("2025-01-01T00:00:00Z")
				made := sell(object{"end_date": "2025-04-01"}, list{discount("150.00")}, with(s.calls("1.00"), quarterly),
					with(s.fee("100.00"), with(quarter, object{"name": "A"})))
				through([]string{"60"}, nil)
				Expect(totals()).To(Equal([]string{"0.00", "10.00"}))
				to(made, "A", "2025-02-10", 0)
				Expect(s.refunds(sub)).To(BeEmpty())
				s.clock("2025-03-10T00:00:00Z")
				s.use(acme, "2025-03-10T00:00:00Z", "20")
				s.clock("2025-04-02T00:00:00Z")
				Expect(totals()).To(Equal([]string{"0.00", "10.00", "-10.00", "0.00"}))
			})
		})

		DescribeTable("counts another fee that is added:",
			func(adjustment func() object, day, want string) {
				begin("2025-06-01T00:00:00Z")
				sell(nil, list{adjustment()}, with(s.fee("60.00"), object{"name": "A"}))
				s.clock(day + "T00:00:00Z")
				s.post("/v1/subscriptions/"+sub+"/price_intervals", adding(object{
					"start_date": day, "price": with(s.fee("20.00"), object{"name": "B", "currency": "USD"}),
				})).expect(200)
				Expect(totals()[len(totals())-1]).To(Equal(want))
			},
			Entry("on the same day, under a minimum", func() object { return minimum("100.00") }, "2025-06-01", "0.00"),
			Entry("amid June, under a minimum", func() object { return minimum("100.00") }, "2025-06-16", "0.00"),
			Entry("on the same day, under a maximum", func() object { return maximum("60.00") }, "2025-06-01", "0.00"),
			Entry("amid June, under a maximum", func() object { return maximum("60.00") }, "2025-06-16", "0.00"),
		)

		DescribeTable("is one with the usage of the month:",
			func(adjustment func() object, fee, used string, want ...string) {
				begin("2025-01-01T00:00:00Z")
				sell(object{"end_date": "2025-02-01"}, list{adjustment()}, s.fee(fee), s.calls("1.00"))
				through([]string{used}, nil)
				Expect(totals()).To(Equal(want))
			},
			Entry("a minimum that usage reaches", func() object { return minimum("1000.00") }, "100.00", "950", "100.00", "950.00"),
			Entry("a minimum that it does not reach", func() object { return minimum("1000.00") }, "100.00", "300", "100.00", "900.00"),
			Entry("a maximum", func() object { return maximum("500.00") }, "100.00", "950", "100.00", "400.00"),
		)

		It("is spread as the fee over the parts of its cycle", func() {
			begin("2025-01-01T00:00:00Z")
			yearly := with(s.fee("1000.00"), with(monthly, object{"cadence": "annual"}))
			sell(nil, list{minimum("2000.00")}, yearly)
			s.clock("2025-03-02T00:00:00Z")
			Expect(totals()).To(Equal([]string{"166.67", "166.66", "166.67"}))
			begin("2025-01-01T00:00:00Z")
			yearly["item_id"] = s.item
			sell(nil, list{discount("120.00")}, yearly)
			Expect(totals()).To(Equal([]string{"73.33"}))
		})

		It("has its f where a fee is charged once beside it", func() {
			begin("2025-06-11T00:00:00Z")
			once := with(s.fee("100.00"), object{"name": "Setup", "cadence": "one_time"})
			sell(nil, list{minimum("300.00")}, s.fee("30.00"), once)
			Expect(totals()).To(Equal([]string{"200.00"}))
			sell(nil, list{discount("10.00")}, s.fee("30.00"), once)
			Expect(totals()).To(Equal([]string{"113.33"}))
		})
	})

	Describe("that begins or ends inside of it", func() {
		tiered := func() object {
			return with(model(s.calls("1.00")), with(quarterly, object{"model_type": "tiered", "tiered_config": object{"tiers": list{
				object{"first_unit": 0, "last_unit": 100, "unit_amount": "0.40"}, object{"first_unit": 100, "last_unit": nil, "unit_amount": "0.25"},
			}}}))
		}
		DescribeTable("leaves what a percentage took off:",
			func(fraction string, months int, want ...string) {
				begin("2025-01-01T00:00:00Z")
				s.coupon(percent("LESS", fraction), object{"duration_in_months": months})
				sell(object{"end_date": "2025-04-01", "coupon_redemption_code": "LESS"}, nil, tiered())
				through([]string{"60", "60", "30"}, nil)
				Expect(totals()).To(Equal(want))
			},
			Entry("10% for two months", "0.1", 2, "21.60", "18.90", "7.50"),
			Entry("half for one month", "0.5", 1, "12.00", "21.00", "7.50"),
		)

		It("counts a minimum by its days, as one with that which follows", func() {
			begin("2025-01-01T00:00:00Z")
			first := with(minimum("310.00"), object{"end_date": "2025-01-11"})
			next := with(minimum("620.00"), object{"start_date": "2025-01-11"})
			sell(object{"end_date": "2025-02-01"}, list{first, next}, s.calls("1.00"))
			through([]string{"100"}, nil)
			Expect(totals()).To(Equal([]string{"520.00"})) // 10 of 31 days of 310.00, 21 of 620.00
		})

		Describe("and is a maximum that another one follows", func() {
			It("counts each by its days, as one", func() {
				begin("2025-01-01T00:00:00Z")
				first, next := with(maximum("310.00"), object{"end_date": "2025-01-11"}), with(maximum("620.00"), object{"start_date": "2025-01-11"})
				sell(object{"end_date": "2025-03-01"}, list{first, next}, s.calls("1.00"))
				through([]string{"1000", "1000"}, nil)
				Expect(totals()).To(Equal([]string{"520.00", "620.00"})) // 10 of 31 days of 310.00, 21 of 620.00
			})
			It("has a fee in advance of before in it", func() {
				begin("2025-01-01T00:00:00Z")
				first, next := with(maximum("310.00"), object{"end_date": "2025-01-11"}), with(maximum("620.00"), object{"start_date": "2025-01-11"})
				sell(object{"end_date": "2025-02-01"}, list{first, next}, s.calls("1.00"), s.fee("100.00"))
				through([]string{"1000"}, nil)
				Expect(totals()).To(Equal([]string{"100.00", "420.00"}))
			})
			It("works in full on all parts of a cycle", func() {
				begin("2025-01-01T00:00:00Z")
				first, next := with(maximum("180.00"), object{"end_date": "2025-02-15"}), with(maximum("360.00"), object{"start_date": "2025-02-15"})
				sell(object{"end_date": "2025-04-01"}, list{first, next}, with(s.calls("1.00"), quarterly))
				through(three, nil)
				Expect(totals()).To(Equal([]string{"270.00", "0.00", "0.00"})) // half of both
			})
			It("gives back what the first one took, where it is made later", func() {
				begin("2025-01-01T00:00:00Z")
				made := sell(object{"end_date": "2025-04-01"}, list{maximum("180.00")}, with(s.calls("1.00"), quarterly))
				through(three[:1], nil)
				s.intervals(sub, object{
					"edit_adjustments": list{object{"adjustment_interval_id": made.at("adjustment_intervals[0].id"), "end_date": "2025-02-15"}},
					"add_adjustments":  list{object{"adjustment": maximum("360.00")["adjustment"], "start_date": "2025-02-15"}},
				}).expect(200)
				s.use(acme, "2025-02-02T00:00:00Z", "20")
				s.clock("2025-03-10T00:00:00Z")
				s.use(acme, "2025-03-10T00:00:00Z", "30")
				s.clock("2025-04-02T00:00:00Z")
				Expect(totals()).To(Equal([]string{"180.00", "90.00", "0.00"})) // 270.00 in all
				costs := s.get("/v1/subscriptions/" + sub + "/costs?view_mode=cumulative&timeframe_start=2025-01-01T00:00:00Z&timeframe_end=2025-04-01T00:00:00Z").expect(200)
				Expect(costs.at(fmt.Sprintf("data[%d].total", len(costs.list("data"))-1))).To(Equal("270.00"))
			})
		})

		It("takes the amount of a coupon that came after the fee of its month off the usage of the month, below 0 too", func() {
			begin("2025-01-01T00:00:00Z")
			s.coupon(amount("FIFTY", "50.00"), object{"duration_in_months": 1})
			sell(object{"end_date": "2025-04-01"}, nil, s.fee("100.00"), s.calls("1.00"))
			s.clock("2025-01-15T00:00:00Z")
			s.redeem(sub, "FIFTY", object{"change_option": "immediate"}).expect(200)
			s.use(acme, "2025-01-15T00:00:00Z", "20")
			s.clock("2025-02-02T00:00:00Z")
			// January came to 120.00 and comes to 70.00. The fee of February is beside it.
			Expect(totals()).To(Equal([]string{"100.00", "70.00"}))
			Expect(lines(s.invoices(sub).entry("data", 1))).To(ConsistOf("Calls 2025-01-01 to 2025-02-01: -30.00", "Fee 2025-02-01 to 2025-03-01: 100.00"))
			s.clock("2025-03-02T00:00:00Z")
			Expect(totals()).To(Equal([]string{"100.00", "70.00", "100.00"})) // it has ended amid February
		})

		It("counts the amount of a coupon over both modes for the month that ends", func() {
			begin("2025-01-01T00:00:00Z")
			s.coupon(amount("TEN", "10.00"), object{"duration_in_months": 1})
			sell(object{"end_date": "2025-03-01", "coupon_redemption_code": "TEN"}, nil, s.fee("4.00"), s.calls("1.00"))
			through([]string{"100", "0"}, nil)
			Expect(totals()).To(Equal([]string{"0.00", "98.00", "0.00"}))
		})
	})

	It("is not charged again for the part that an earlier draft has, at the instant of a boundary", func() {
		begin("2025-01-01T00:00:00Z")
		s.setting("grace_period_seconds", 20*24*3600)
		s.credits(acme, object{"amount": 100, "currency": "USD"})
		sell(object{"invoicing_threshold": "50.00"}, nil, with(s.calls("1.00"), quarterly))
		s.clock("2025-01-10T00:00:00Z")
		s.use(acme, "2025-01-10T00:00:00Z", "130")
		s.clock("2025-02-01T00:00:00Z")
		for _, bill := range s.bills(sub) {
			Expect(bill).NotTo(ContainSubstring("130.00"))
		}
	})

	It("draws a shortfall on the last day of its period", func() {
		begin("2025-03-01T00:00:00Z")
		s.credits(acme, object{"amount": 50, "currency": "USD"})
		s.post("/v1/customers/"+acme+"/credits/top_ups", object{
			"currency": "USD", "threshold": "5.00", "amount": "20.00", "per_unit_cost_basis": "1.00",
			"invoice_settings": object{"auto_collection": false, "net_terms": 0},
		}).expect(201)
		sell(nil, list{minimum("90.00")}, s.calls("1.00"))
		bought := func() int {
			GinkgoHelper()
			return len(s.get("/v1/invoices?is_recurring=false&limit=100&customer_id=" + acme).expect(200).list("data"))
		}
		s.clock("2025-03-02T00:00:00Z")
		Expect(bought()).To(Equal(0))
		s.clock("2025-03-31T12:00:00Z")
		s.use(acme, "2025-03-31T11:00:00Z", "1")
		s.clock("2025-04-02T12:00:00Z")
		Expect(bought()).To(BeNumerically(">", 0))
	})

	Describe("one of whose documents is replaced", func() {
		var made value
		interval := func(name string) string {
			for k := range made.list("price_intervals") {
				if i := made.entry("price_intervals", k); i.at("price.name") == name {
					return i.text("id")
				}
			}
			return ""
		}
		// The keys of January end on the 10th after all, when the invoices of the quarter are issued.
		BeforeEach(func() {
			begin("2025-01-01T00:00:00Z")
			made = sell(nil, list{maximum("300.00")}, with(s.calls("1.00"), quarterly), with(second(), quarterly))
			s.intervals(sub, edit(interval("Keys"), object{"end_date": "2025-02-01"})).expect(200)
			s.clock("2025-01-20T00:00:00Z")
			s.use(acme, "2025-01-20T00:00:00Z", "150")
			keys("2025-01-20T00:00:00Z", "100")
			s.clock("2025-02-10T00:00:00Z")
			s.use(acme, "2025-02-10T00:00:00Z", "100")
			s.clock("2025-04-05T00:00:00Z")
			Expect(totals()).To(Equal([]string{"250.00", "50.00", "0.00"}))
		})
		It("has the later ones replaced too", func() {
			after := s.intervals(sub, edit(interval("Keys"), object{"end_date": "2025-01-10"})).expect(200)
			Expect(after.list("changed_resources.voided_invoices")).To(HaveLen(2))
			Expect(totals()).To(Equal([]string{"0.00", "150.00", "100.00", "0.00"}))
		})
		It("keeps those that are paid", func() {
			bills := s.invoices(sub)
			for k := range bills.list("data") {
				if v := bills.entry("data", k); v.at("total") == "50.00" {
					s.post("/v1/invoices/"+v.text("id")+"/mark_paid", object{"payment_received_date": "2025-04-05"}).expect(200)
				}
			}
			s.intervals(sub, edit(interval("Keys"), object{"end_date": "2025-01-10"})).expect(200)
			Expect(totals()).To(Equal([]string{"0.00", "150.00", "50.00", "0.00"}))
		})
	})

	It("keeps an invoice from being voided by hand after another of the period was issued", func() {
		begin("2025-01-01T00:00:00Z")
		sell(object{"end_date": "2025-03-01"}, list{minimum("1000.00")}, s.fee("100.00"), s.calls("1.00"))
		first := s.invoices(sub).entry("data", 1).text("id")
		through([]string{"300"}, nil)
		Expect(totals()).To(Equal([]string{"100.00", "1000.00"})) // of January 900.00, and the fee of February
		s.post("/v1/invoices/"+first+"/void", nil).refuse(400, "400-constraint-violation", "charges for a part of the same period")
		last := s.invoices(sub).entry("data", 1).text("id")
		s.post("/v1/invoices/"+last+"/void", nil).expect(200)
	})
})

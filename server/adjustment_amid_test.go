package server_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// Worked examples of adjustments that begin, end or change inside a billing cycle (price models 6.7.10, 6.7.12).
var _ = Describe("An adjustment that begins or ends inside a cycle", func() {
	var s fixture
	var acme, sub, price, adjustment string

	all := func(kind, member string, value any) object {
		body := object{"adjustment_type": kind, member: value, "applies_to_all": true}
		if kind == "minimum" {
			body["item_id"] = s.item
		}
		return object{"adjustment": body}
	}
	// sell subscribes a customer to two seats at 20.00 in advance and to other prices, from the first of January on.
	sell := func(change object, others ...object) {
		GinkgoHelper()
		seats := with(s.fee("20.00"), object{"name": "Seats", "fixed_price_quantity": 2})
		made := s.subscribe(acme, change, append([]object{seats}, others...)...)
		sub, price = made.text("id"), made.entry("price_intervals", 0).text("price.id")
		if intervals := made.list("adjustment_intervals"); len(intervals) > 0 {
			adjustment = made.entry("adjustment_intervals", 0).text("id")
		}
	}
	ends := func(date string) object {
		return object{"edit_adjustments": list{object{"adjustment_interval_id": adjustment, "end_date": date}}}
	}
	begins := func(date string, body object) object {
		return object{"add_adjustments": list{with(body, object{"start_date": date})}}
	}
	oneSeat := func() {
		GinkgoHelper()
		s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": price, "quantity": 1, "change_option": "immediate"}).expect(200)
	}
	// costs are those of January, the days added up.
	costs := func() string {
		GinkgoHelper()
		var sum money.Decimal
		days := s.get("/v1/subscriptions/" + sub + "/costs?view_mode=periodic&timeframe_start=2025-01-01&timeframe_end=2025-02-01").expect(200)
		for _, total := range days.each("data", "total") {
			sum = sum.Add(money.Must(total.(string)))
		}
		return sum.StringFixed(2)
	}
	// january are the lines for January.
	january := func() (found []string) {
		GinkgoHelper()
		for _, line := range s.linesOf(sub) {
			if strings.Contains(line, " 2025-01-01 to ") {
				found = append(found, line)
			}
		}
		return found
	}
	BeforeEach(func() {
		s = newFixture("2025-01-01T00:00:00Z")
		acme = s.buyer(object{"currency": "USD"})
	})

	Describe("a minimum of fees in advance, which the opening document settles,", func() {
		It("counts from its first day on", func() {
			sell(nil)
			s.clock("2025-01-13T00:00:00Z")
			after := s.intervals(sub, begins("2025-01-13", all("minimum", "minimum_amount", "900.00"))).expect(200)
			Expect(changed(after)).To(Equal([]string{"2025-01-01 issued 551.61", "2025-01-01 void 40.00"})) // 19 of 31 days
			s.clock("2025-02-02T00:00:00Z")
			Expect(costs()).To(Equal("551.61"))
		})

		It("counts to its last day, paid as it may be", func() {
			sell(object{"add_adjustments": list{all("minimum", "minimum_amount", "900.00")}})
			s.collect(sub)
			s.clock("2025-01-13T00:00:00Z")
			after := s.intervals(sub, ends("2025-01-13")).expect(200)
			Expect(changed(after)).To(ContainElements("2025-01-01 paid 348.39", "refund 900.00")) // 12 of 31 days
			s.clock("2025-02-02T00:00:00Z")
			Expect(costs()).To(Equal("348.39"))
		})

		It("is one with the one that follows it", func() {
			sell(object{"add_adjustments": list{all("minimum", "minimum_amount", "900.00")}})
			s.clock("2025-01-13T00:00:00Z")
			change := with(ends("2025-01-13"), begins("2025-01-13", all("minimum", "minimum_amount", "600.00")))
			Expect(changed(s.intervals(sub, change).expect(200))).To(Equal([]string{"2025-01-01 issued 716.13", "2025-01-01 void 900.00"}))
			s.clock("2025-02-02T00:00:00Z")
			Expect(costs()).To(Equal("716.13"))
		})

		It("lets what was billed be where usage settles it", func() {
			sell(nil, s.calls("1.00"))
			s.clock("2025-01-13T00:00:00Z")
			after := s.intervals(sub, begins("2025-01-13", all("minimum", "minimum_amount", "900.00"))).expect(200)
			Expect(changed(after)).To(BeEmpty())
			s.clock("2025-02-02T00:00:00Z")
			Expect(january()).To(ConsistOf("Seats 2025-01-01 to 2025-02-01: 40.00", "Calls 2025-01-01 to 2025-02-01: 511.61"))
			Expect(costs()).To(Equal("551.61"))
		})
	})

	// Two seats, one from the 16th on: 20.00 x 16/31 = 10.32 are given back before adjustments.
	Describe("a fee that became less", func() {
		It("gives back with the discounts that it was charged with, in costs too", func() {
			sell(object{"add_adjustments": list{all("percentage_discount", "percentage_discount", json.Number("0.5"))}})
			s.clock("2025-01-13T00:00:00Z")
			s.intervals(sub, ends("2025-01-13")).expect(200)
			s.clock("2025-01-16T00:00:00Z")
			oneSeat()
			Expect(costs()).To(Equal("14.84")) // 20.00 - 5.16
		})

		It("counts as it was given back where usage follows", func() {
			s.coupon(amount("A", "45.00"), nil)
			sell(nil, s.calls("1.00"))
			s.use(acme, "2025-01-01T00:00:00Z", "40")
			s.clock("2025-01-13T00:00:00Z")
			s.redeem(sub, "A", nil).expect(200)
			s.clock("2025-01-16T00:00:00Z")
			oneSeat()
			s.clock("2025-02-02T00:00:00Z")
			Expect(january()).To(ConsistOf("Seats 2025-01-01 to 2025-02-01: 40.00", "Calls 2025-01-01 to 2025-02-01: -5.00")) // 40.00 - 45.00
			Expect(costs()).To(Equal("24.68"))
		})

		It("counts under a minimum that it was charged under", func() {
			sell(object{"add_adjustments": list{all("minimum", "minimum_amount", "900.00")}}, s.calls("1.00"))
			s.use(acme, "2025-01-01T00:00:00Z", "40")
			s.clock("2025-01-13T00:00:00Z")
			s.intervals(sub, ends("2025-01-13")).expect(200)
			s.clock("2025-01-16T00:00:00Z")
			oneSeat()
			s.clock("2025-02-02T00:00:00Z")
			Expect(january()).To(ConsistOf("Seats 2025-01-01 to 2025-02-01: 40.00", "Calls 2025-01-01 to 2025-02-01: 318.71")) // 348.39 - 29.68
			Expect(costs()).To(Equal("348.39"))
		})
	})

	Describe("with a partial invoice, which has the adjustments of its date,", func() {
		half := func(change object) object {
			return object{
				"invoicing_threshold": "25.00",
				"add_adjustments":     list{with(all("percentage_discount", "percentage_discount", json.Number("0.5")), change)},
			}
		}
		for name, at := range map[string]string{"in the first instant": "2025-01-01T00:00:00Z", "later": "2025-01-10T00:00:00Z"} {
			It("discounts what was used before an end that lies ahead, "+name, func() {
				sell(half(object{"end_date": "2025-01-20"}), s.calls("1.00"))
				s.clock(at)
				s.use(acme, at, "60")
				s.clock(at)
				s.clock("2025-02-02T00:00:00Z")
				Expect(january()).To(ConsistOf("Seats 2025-01-01 to 2025-02-01: 20.00", "Calls 2025-01-01 to "+at[:10]+": 30.00", "Calls 2025-01-01 to 2025-02-01: 0.00"))
				Expect(costs()).To(Equal("50.00"))
			})
		}

		It("does not discount what was used before a beginning that lies ahead", func() {
			sell(half(object{"start_date": "2025-01-20"}), s.calls("1.00"))
			s.clock("2025-01-10T00:00:00Z")
			s.use(acme, "2025-01-10T00:00:00Z", "60")
			s.clock("2025-01-21T00:00:00Z")
			s.use(acme, "2025-01-21T00:00:00Z", "4")
			s.clock("2025-02-02T00:00:00Z")
			Expect(january()).To(ConsistOf("Seats 2025-01-01 to 2025-02-01: 40.00", "Calls 2025-01-01 to 2025-01-10: 60.00", "Calls 2025-01-01 to 2025-02-01: 2.00"))
			Expect(costs()).To(Equal("102.00"))
		})
	})

	Describe("after a partial invoice", func() {
		BeforeEach(func() {
			sell(object{"invoicing_threshold": "25.00"}, s.calls("1.00"))
			s.use(acme, "2025-01-01T00:00:00Z", "40")
			s.clock("2025-01-10T00:00:00Z")
		})

		It("leaves what that charged, in costs too", func() {
			s.clock("2025-01-13T00:00:00Z")
			s.intervals(sub, begins("2025-01-13", all("percentage_discount", "percentage_discount", json.Number("0.5")))).expect(200)
			s.use(acme, "2025-01-13T00:00:00Z", "6")
			s.clock("2025-02-02T00:00:00Z")
			Expect(january()).To(ConsistOf("Seats 2025-01-01 to 2025-02-01: 40.00", "Calls 2025-01-01 to 2025-01-01: 40.00", "Calls 2025-01-01 to 2025-02-01: 3.00"))
			Expect(costs()).To(Equal("83.00"))
		})

		It("lets units be free of what comes after", func() {
			s.clock("2025-01-13T00:00:00Z")
			free := object{"adjustment": object{"adjustment_type": "usage_discount", "usage_discount": 10, "price_type": "usage"}}
			s.intervals(sub, begins("2025-01-13", free)).expect(200)
			s.use(acme, "2025-01-13T00:00:00Z", "6")
			s.clock("2025-02-02T00:00:00Z")
			Expect(january()).To(ConsistOf("Seats 2025-01-01 to 2025-02-01: 40.00", "Calls 2025-01-01 to 2025-01-01: 40.00", "Calls 2025-01-01 to 2025-02-01: 0.00"))
			Expect(costs()).To(Equal("80.00"))
		})
	})
})

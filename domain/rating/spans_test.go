package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

var _ = Describe("Rate of a fixed fee whose quantity changes", func() {
	spans := func(of ...rating.Span) []rating.Span { return of }
	span := func(quantity string, days int) rating.Span {
		return rating.Span{Quantity: money.Must(quantity), Days: days}
	}

	DescribeTable("weighs each quantity by its days and divides once",
		func(config, model string, all []rating.Span, whole int, subtotal string) {
			m, err := rating.Decode(model, []byte(config))
			Expect(err).NotTo(HaveOccurred())
			days := 0
			for _, s := range all {
				days += s.Days
			}
			last := all[len(all)-1].Quantity
			c := rating.Rate(m, rating.Usage{Quantity: last, Fixed: true, Spans: all, Fraction: period.Fraction{Part: days, Whole: whole}})
			Expect(c.Quantity).To(Equal(last))
			Expect(money.Currency("USD").Round(c.Subtotal.WithoutTail()).String()).To(Equal(subtotal))
			var sum money.Decimal
			for _, p := range c.Parts {
				sum = sum.Add(p.Amount)
			}
			Expect(sum.String()).To(Equal(c.Subtotal.String()))
		},
		Entry("1, 2 and 3 seats from 1, 11 and 21 March", `{"unit_amount":"10.00"}`, "unit", spans(span("1", 10), span("2", 10), span("3", 11)), 31, "20.32"),
		Entry("of a part of the period", `{"unit_amount":"10.00"}`, "unit", spans(span("1", 10), span("2", 5)), 31, "6.45"),
		Entry("a quantity of a day that changed again on it counts nothing", `{"unit_amount":"10.00"}`, "unit", spans(span("1", 15), span("900", 0), span("2", 15)), 30, "15"),
		Entry("each at its own tiers", `{"tiers":[{"first_unit":0,"last_unit":6,"unit_amount":"20.00"},{"first_unit":6,"unit_amount":"5.00"}]}`, "tiered",
			spans(span("5", 15), span("10", 15)), 30, "120"),
	)
})

package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

var _ = Describe("tiered", func() {
	storage := `{"tiers": [
		{"first_unit": 0, "last_unit": 100, "unit_amount": "1.00"},
		{"first_unit": 100, "last_unit": 500, "unit_amount": "0.80"},
		{"first_unit": 500, "last_unit": null, "unit_amount": "0.50"}]}`
	counted := `{"tiers": [
		{"first_unit": 11, "unit_amount": "0.5"},
		{"first_unit": 1, "last_unit": 10, "unit_amount": "1"}]}`
	prorated := `{"prorated": true, "tiers": [
		{"first_unit": 0, "last_unit": 1, "unit_amount": "1"},
		{"first_unit": 1, "last_unit": 2, "unit_amount": "1"},
		{"first_unit": 2, "unit_amount": "1"}]}`

	DescribeTable("charges each unit at its own tier's rate",
		func(config string, u rating.Usage, subtotal string, want ...string) {
			c := rating.Rate(model("tiered", config), u)
			Expect(c.Subtotal.String()).To(Equal(subtotal))
			Expect(c.Quantity).To(Equal(u.Quantity))
			Expect(parts(c)).To(Equal(append([]string{}, want...)))
		},
		Entry("in all tiers", storage, total("620"), "480",
			`tier "0 - 100": 100 for 100`, `tier "100 - 500": 400 for 320`, `tier "500+": 120 for 60`),
		Entry("on a bound, which is still in the tier below", storage, total("500"), "420",
			`tier "0 - 100": 100 for 100`, `tier "100 - 500": 400 for 320`),
		Entry("just above a bound, a fraction of a unit", storage, total("100.25"), "100.2",
			`tier "0 - 100": 100 for 100`, `tier "100 - 500": 0.25 for 0.2`),
		Entry("in the first tier", storage, total("0.5"), "0.5",
			`tier "0 - 100": 0.5 for 0.5`),
		Entry("none, without parts", storage, total("0"), "0"),
		Entry("nothing below zero", storage, total("-40"), "0"),
		Entry("all of what was used in part of a period", storage, over("500", 1, 2), "420",
			`tier "0 - 100": 100 for 100`, `tier "100 - 500": 400 for 320`),
		Entry("a fixed fee by days", storage, fixed("500", 1, 2), "210",
			`tier "0 - 100": 100 for 50`, `tier "100 - 500": 400 for 160`),
		Entry("tiers written 1 to 10, 11 on, in any order, and no quantity falls between", counted, total("10.5"), "10.25",
			`tier "1 - 10": 10 for 10`, `tier "11+": 0.5 for 0.25`),
		Entry("in part of a period, parts that sum to the last digit", prorated, over("3", 1, 9), "0.33333333333333333333",
			`tier "0 - 1": 1 for 0.11111111111111111111`, `tier "1 - 2": 1 for 0.11111111111111111111`, `tier "2+": 1 for 0.11111111111111111111`),
		Entry("in part of a period, where later parts get the digits left over", prorated, over("3", 2, 3), "2",
			`tier "0 - 1": 1 for 0.66666666666666666666`, `tier "1 - 2": 1 for 0.66666666666666666667`, `tier "2+": 1 for 0.66666666666666666667`),
	)

	It("shows the tier of a part as it was configured", func() {
		c := rating.Rate(model("tiered", storage), total("620"))
		last := money.Must("100")
		Expect(c.Parts[0].Tier.FirstUnit.String()).To(Equal("0"))
		Expect(c.Parts[0].Tier.LastUnit.Equal(last)).To(BeTrue())
		Expect(c.Parts[0].Tier.UnitAmount).To(Equal("1.00"))
		Expect(c.Parts[2].Tier.LastUnit).To(BeNil())
	})
})

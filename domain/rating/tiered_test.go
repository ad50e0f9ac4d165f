package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

const (
	requests = `{"tiers": [
		{"first_unit": 0, "last_unit": 100, "unit_amount": "1.00"},
		{"first_unit": 100, "last_unit": 500, "unit_amount": "0.80"},
		{"first_unit": 500, "last_unit": null, "unit_amount": "0.50"}]}`
	requestsCounted = `{"tiers": [
		{"first_unit": 11, "unit_amount": "0.5"},
		{"first_unit": 1, "last_unit": 10, "unit_amount": "1"}]}`
	requestsProrated = `{"prorated": true, "tiers": [
		{"first_unit": 0, "last_unit": 1, "unit_amount": "1"},
		{"first_unit": 1, "last_unit": 2, "unit_amount": "1"},
		{"first_unit": 2, "unit_amount": "1"}]}`
)

var _ = golden("tiered",
	costs("each unit at its own tier's rate", requests, total("620"), "480",
		`tier "0 - 100": 100 for 100`, `tier "100 - 500": 400 for 320`, `tier "500+": 120 for 60`),
	atBound("on a bound, all in the tier below", requests, total("500"), "420",
		`tier "0 - 100": 100 for 100`, `tier "100 - 500": 400 for 320`),
	costs("just above a bound, a fraction of a unit", requests, total("100.25"), "100.2",
		`tier "0 - 100": 100 for 100`, `tier "100 - 500": 0.25 for 0.2`),
	costs("the first tier's rate below its end", requests, total("0.5"), "0.5",
		`tier "0 - 100": 0.5 for 0.5`),
	costs("nothing without usage, and no part", requests, total("0"), "0"),
	costs("nothing below zero", requests, total("-40"), "0"),
	costs("all of what was used in part of a period", requests, over("500", 1, 2), "420",
		`tier "0 - 100": 100 for 100`, `tier "100 - 500": 400 for 320`),
	costs("a fixed fee by days", requests, fixed("500", 1, 2), "210",
		`tier "0 - 100": 100 for 50`, `tier "100 - 500": 400 for 160`),
	costs("tiers written 1 to 10, 11 on, in any order, and no quantity falls between", requestsCounted, total("10.5"), "10.25",
		`tier "1 - 10": 10 for 10`, `tier "11+": 0.5 for 0.25`),
	costs("in part of a period, parts that sum to the last digit", requestsProrated, over("3", 1, 9), "0.33333333333333333333",
		`tier "0 - 1": 1 for 0.11111111111111111111`, `tier "1 - 2": 1 for 0.11111111111111111111`, `tier "2+": 1 for 0.11111111111111111111`),
	costs("in part of a period, the digits left over in later parts", requestsProrated, over("3", 2, 3), "2",
		`tier "0 - 1": 1 for 0.66666666666666666666`, `tier "1 - 2": 1 for 0.66666666666666666667`, `tier "2+": 1 for 0.66666666666666666667`),
)

var _ = Describe("a tiered price", func() {
	It("shows the tier of a part as it was configured", func() {
		c := rating.Rate(model("tiered", requests), total("620"))
		last := money.Must("100")
		Expect(c.Parts[0].Tier.FirstUnit.String()).To(Equal("0"))
		Expect(c.Parts[0].Tier.LastUnit.Equal(last)).To(BeTrue())
		Expect(c.Parts[0].Tier.UnitAmount).To(Equal("1.00"))
		Expect(c.Parts[2].Tier.LastUnit).To(BeNil())
	})
})

var _ = propertyOf("tiered", func(t *rapid.T) string {
	return fmt.Sprintf(`{"prorated": %v, "tiers": %s}`, rapid.Bool().Draw(t, "prorated"), drawTiers(t))
})

// drawTiers draws tiers that are bounded by last_unit, in any order.
func drawTiers(t *rapid.T) string {
	ends := append(drawBounds(t), "null")
	first := "0"
	var tiers []string
	for _, last := range ends {
		tiers = append(tiers, fmt.Sprintf(`{"first_unit": %s, "last_unit": %s, "unit_amount": %q}`, first, last, drawRate(t)))
		first = last
	}
	return inAnyOrder(t, tiers)
}

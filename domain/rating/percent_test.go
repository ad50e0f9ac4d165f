package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const (
	support = `{"percent": 0.04, "minimum_amount": "25", "maximum_amount": "150", "prorated": true}`
	success = `{"percent": 0.08, "minimum_amount": "5000", "maximum_amount": "50000"}`
)

var _ = golden("percent",
	costs("a share of other prices", support, within(6, 30, components("2000")), "80"),
	costs("at least the minimum by days, if prorated", support, within(6, 30, components("100")), "5"),
	costs("at most the maximum, which is whole in part of a period", support, within(6, 30, components("9000")), "150"),
	costs("the minimum where other prices cost nothing", success, components("0"), "5000"),
	costs("the minimum where a share is less", success, components("50000"), "5000"),
	costs("a share between the limits", success, components("100000"), "8000"),
	costs("the maximum where a share is more", success, components("1000000"), "50000"),
	atBound("a share of exactly the minimum", success, components("62500"), "5000"),
	atBound("a share of exactly the maximum", success, components("625000"), "50000"),
	costs("the full minimum in part of a period", success, within(15, 30, components("0")), "5000"),
	costs("the maximum where the limits cross", `{"percent": 0.5, "minimum_amount": "20", "maximum_amount": "10"}`, components("1"), "10"),
	costs("a share without limits", `{"percent": 1, "minimum_amount": null, "maximum_amount": null}`, components("0.07"), "0.07"),
	costs("nothing where other prices are below zero", `{"percent": 0.5}`, components("-100"), "0"),
	costs("to the 20th digit, where days do not divide evenly", support, within(1, 31, components("0")), "0.80645161290322580645"),
)

var _ = Describe("a percent price", func() {
	It("is of other prices, and says how limits changed its share", func() {
		m := model("percent", support)
		Expect(m.Needs()).To(Equal(rating.Needs{Composite: true}))
		Expect(working(rating.Rate(m, components("2000")))).To(Equal([]string{"share of other prices: 2000 at 0.04 for 80"}))
		Expect(working(rating.Rate(m, components("-100")))).To(Equal([]string{
			"share of other prices: -100 at 0.04 for -4", "up to the minimum: 0 for 29"}))
		Expect(working(rating.Rate(m, components("9000")))).To(Equal([]string{
			"share of other prices: 9000 at 0.04 for 360", "down to the maximum: 0 for -210"}))
	})

	It("has a quantity of 1, and 0 where nothing is charged", func() {
		m := model("percent", `{"percent": 0.5}`)
		Expect(rating.Rate(m, components("100")).Quantity.String()).To(Equal("1"))
		Expect(rating.Rate(m, components("0")).Quantity.String()).To(Equal("0"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("percent", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "percent"),
		Entry("with 0 percent", `{"percent": 0}`, "percent"),
		Entry("with more than all", `{"percent": 1.01}`, "percent"),
		Entry("with a negative share", `{"percent": -0.5}`, "percent"),
		Entry("with a text for a share", `{"percent": "0.5"}`, "percent"),
		Entry("with negative limits", `{"percent": 0.5, "minimum_amount": "-1", "maximum_amount": "-1"}`, "maximum_amount", "minimum_amount"),
		Entry("with numbers for limits", `{"percent": 0.5, "minimum_amount": 1, "maximum_amount": 2}`, "maximum_amount", "minimum_amount"),
		Entry("with a text for a flag", `{"percent": 0.5, "prorated": "true"}`, "prorated"),
	)
})

var _ = propertyOf("percent", func(t *rapid.T) string {
	config := fmt.Sprintf(`{"percent": 0.%03d, "prorated": %v`, rapid.IntRange(1, 999).Draw(t, "percent"), rapid.Bool().Draw(t, "prorated"))
	for _, limit := range []string{"minimum_amount", "maximum_amount"} {
		if rapid.Bool().Draw(t, limit) {
			config += fmt.Sprintf(`, %q: %q`, limit, drawRate(t))
		}
	}
	return config + "}"
})

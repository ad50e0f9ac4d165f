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
	spend       = `{"minimum_amount": "500"}`
	spendByDays = `{"minimum_amount": "500", "prorated": true}`
)

// components is the sum of other prices.
func components(sum string) rating.Usage { return rating.Usage{Components: money.Must(sum)} }

var _ = golden("minimum_composite",
	costs("what other prices lack of the minimum", spend, components("420"), "80"),
	atBound("nothing where they equal it", spend, components("500"), "0"),
	costs("a fraction of a cent, where they lack that", spend, components("499.9999"), "0.0001"),
	costs("nothing where they cost more", spend, components("501"), "0"),
	costs("all of it where they cost nothing", spend, components("0"), "500"),
	costs("more than all of it where they are negative", spend, components("-20"), "520"),
	costs("the full minimum in part of a period", spend, within(15, 30, components("320.10")), "179.9"),
	costs("what they lack of the minimum by days, if prorated", spendByDays, within(15, 30, components("200")), "50"),
	costs("nothing where they cost more than the minimum by days", spendByDays, within(15, 30, components("320.10")), "0"),
	costs("to the 20th digit, where days do not divide evenly", spendByDays, within(1, 31, components("16")), "0.12903225806451612903"),
)

var _ = Describe("a minimum_composite price", func() {
	It("is of other prices, and says what they cover", func() {
		m := model("minimum_composite", spendByDays)
		Expect(m.Needs()).To(Equal(rating.Needs{Composite: true}))

		c := rating.Rate(m, within(15, 30, components("200")))
		Expect(c.Quantity.String()).To(Equal("1"))
		Expect(working(c)).To(Equal([]string{"minimum: 1 at 500 for 250", "covered by other prices: 0 for -200"}))

		c = rating.Rate(m, within(15, 30, components("320.10")))
		Expect(c.Quantity.String()).To(Equal("0"), "where nothing is charged")
		Expect(working(c)).To(Equal([]string{"minimum: 1 at 500 for 250", "covered by other prices: 0 for -250"}))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("minimum_composite", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "minimum_amount"),
		Entry("with a negative minimum", `{"minimum_amount": "-1"}`, "minimum_amount"),
		Entry("with a number", `{"minimum_amount": 1}`, "minimum_amount"),
		Entry("with a text for a flag", `{"minimum_amount": "1", "prorated": "true"}`, "prorated"),
		Entry("with filters, which are of the price", `{"minimum_amount": "1", "composite_price_filters": []}`, "composite_price_filters"),
	)
})

var _ = propertyOf("minimum_composite", func(t *rapid.T) string {
	return fmt.Sprintf(`{"minimum_amount": %q, "prorated": %v}`, drawRate(t), rapid.Bool().Draw(t, "prorated"))
})

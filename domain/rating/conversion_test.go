package rating_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

// conversion reads what a price has; "" stands for null.
func conversion(rate, config string) (rating.Conversion, error) {
	var number *json.Number
	if rate != "" {
		n := json.Number(rate)
		number = &n
	}
	return rating.DecodeConversion(number, json.RawMessage(config))
}

var _ = Describe("Conversion", func() {
	unit := `{"conversion_rate_type": "unit", "unit_config": {"unit_amount": "0.10"}}`
	tiered := `{"conversion_rate_type": "tiered", "tiered_config": {"tiers": [
		{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"},
		{"first_unit": 50, "last_unit": null, "unit_amount": "0.08"}]}}`

	DescribeTable("turns overage of a custom unit into money",
		func(rate, config, amount, converted string, steps ...string) {
			c, err := conversion(rate, config)
			Expect(err).NotTo(HaveOccurred())
			got := c.Convert(money.Must(amount))
			Expect(got.Subtotal.String()).To(Equal(converted))
			Expect(got.Quantity.String()).To(Equal(amount))
			var sum money.Decimal
			texts := []string{}
			for _, p := range got.Parts {
				sum = sum.Add(p.Amount)
				texts = append(texts, fmt.Sprintf("%s at %s: %s", p.Quantity, p.Rate, p.Amount))
			}
			Expect(sum.String()).To(Equal(converted))
			Expect(texts).To(Equal(append([]string{}, steps...)))
		},
		Entry("at a rate", "0.10", "", "75.5", "7.55", "75.5 at 0.1: 7.55"),
		Entry("at a rate with an exponent", "1e-2", "null", "75.5", "0.755", "75.5 at 0.01: 0.755"),
		Entry("by the unit", "", unit, "75.5", "7.55", "75.5 at 0.10: 7.55"),
		Entry("at two rates that agree", "0.1", unit, "1", "0.1", "1 at 0.10: 0.1"),
		Entry("tier by tier", "", tiered, "75.5", "7.04", "50 at 0.10: 5", "25.5 at 0.08: 2.04"),
		Entry("on a bound", "", tiered, "50", "5", "50 at 0.10: 5"),
		Entry("nothing", "", tiered, "0", "0"),
		Entry("what is given back", "", tiered, "-75.5", "-7.04", "-50 at 0.10: -5", "-25.5 at 0.08: -2.04"),
		Entry("without rounding", "0.0000001", "", "0.001", "0.0000000001", "0.001 at 0.0000001: 0.0000000001"),
	)

	It("leaves real money as it is", func() {
		got := rating.Conversion{}.Convert(money.Must("12.34"))
		Expect(got.Subtotal.String()).To(Equal("12.34"))
		Expect(got.Parts).To(BeEmpty())
	})

	It("accepts a rate that is that of all tiers", func() {
		_, err := conversion("0.1", `{"conversion_rate_type": "tiered", "tiered_config": {"tiers": [
			{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"}, {"first_unit": 50, "unit_amount": "0.100"}]}}`)
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("names every wrong field by its path",
		func(rate, config string, fields ...string) {
			_, err := conversion(rate, config)
			Expect(wrongFields(err)).To(HaveExactElements(fields))
		},
		Entry("neither field", "", "", "conversion_rate"),
		Entry("neither field but null", "", "null", "conversion_rate"),
		Entry("a rate below 0", "-1", "", "conversion_rate"),
		Entry("a rate beyond all bounds", "1e400000", "", "conversion_rate"),
		Entry("another rate than that of the configuration", "0.2", unit, "conversion_rate"),
		Entry("another rate than that of a tier", "0.1", tiered, "conversion_rate"),
		Entry("no object", "", `[]`, "conversion_rate_config"),
		Entry("no type", "", `{"unit_config": {"unit_amount": "1"}}`, "conversion_rate_config.conversion_rate_type"),
		Entry("a type that is not offered", "", `{"conversion_rate_type": "bulk"}`, "conversion_rate_config.conversion_rate_type"),
		Entry("no configuration of its type", "", `{"conversion_rate_type": "unit"}`, "conversion_rate_config.unit_config"),
		Entry("that of the other type as well", "",
			`{"conversion_rate_type": "unit", "unit_config": {"unit_amount": "1"}, "tiered_config": {}}`, "conversion_rate_config.tiered_config"),
		Entry("a rate by the unit below 0", "",
			`{"conversion_rate_type": "unit", "unit_config": {"unit_amount": "-1"}}`, "conversion_rate_config.unit_config.unit_amount"),
		Entry("a flag to prorate", "",
			`{"conversion_rate_type": "unit", "unit_config": {"unit_amount": "1", "prorated": false}}`, "conversion_rate_config.unit_config.prorated"),
		Entry("no tiers", "", `{"conversion_rate_type": "tiered", "tiered_config": {"tiers": []}}`, "conversion_rate_config.tiered_config.tiers"),
		Entry("no last tier", "", `{"conversion_rate_type": "tiered", "tiered_config": {"tiers": [{"first_unit": 0, "last_unit": 1, "unit_amount": "1"}]}}`,
			"conversion_rate_config.tiered_config.tiers"),
		Entry("a wrong rate beside a wrong configuration", "-1", `{"conversion_rate_type": "unit", "unit_config": {}}`,
			"conversion_rate_config.unit_config.unit_amount", "conversion_rate"),
	)
})

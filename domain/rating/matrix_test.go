package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

var _ = Describe("matrix", func() {
	storage := `{"dimensions": ["region", "tier"], "default_unit_amount": "0.30", "matrix_values": [
		{"dimension_values": ["eu", "hot"], "unit_amount": "0.50"},
		{"dimension_values": ["eu", "cold"], "unit_amount": "0.10"},
		{"dimension_values": ["us", "hot"], "unit_amount": "0.45"}]}`
	region := `{"dimensions": ["region", null], "default_unit_amount": "0", "matrix_values": [
		{"dimension_values": ["us"], "unit_amount": "2"},
		{"dimension_values": [null, null], "unit_amount": "3"}]}`

	DescribeTable("charges each combination of values at its own rate",
		func(config string, u rating.Usage, quantity, subtotal string, want ...string) {
			c := rating.Rate(model("matrix", config), u)
			Expect(c.Quantity.String()).To(Equal(quantity))
			Expect(c.Subtotal.String()).To(Equal(subtotal))
			Expect(parts(c)).To(Equal(append([]string{}, want...)))
		},
		Entry("listed ones in the order of the list, then others",
			storage, cells("10 us cold", "80 us hot", "120 eu hot"), "210", "99",
			`matrix "eu / hot": 120 for 60`, `matrix "us / hot": 80 for 36`, `matrix "us / cold": 10 for 3`),
		Entry("a missing value at the default, as it is no wildcard",
			storage, cells("2.5 eu -"), "2.5", "0.75", `matrix "eu / none": 2.5 for 0.75`),
		Entry("unlisted ones by value, missing first",
			storage, cells("1 us ~", "1 - hot", "1 us -", "1 Us hot"), "4", "1.2",
			`matrix "none / hot": 1 for 0.3`, `matrix "Us / hot": 1 for 0.3`, `matrix "us / none": 1 for 0.3`, `matrix "us / ~": 1 for 0.3`),
		Entry("below zero, as a credit",
			storage, cells("-10 eu hot", "10 eu cold"), "0", "-4", `matrix "eu / hot": -10 for -5`, `matrix "eu / cold": 10 for 1`),
		Entry("one that occurred with quantity zero",
			storage, cells("0 eu hot"), "0", "0", `matrix "eu / hot": 0 for 0`),
		Entry("none", storage, cells(), "0", "0"),
		Entry("in one dimension, where missing may be listed",
			region, cells("5 eu", "1 -", "1 us"), "7", "5",
			`matrix "us": 1 for 2`, `matrix "none": 1 for 3`, `matrix "eu": 5 for 0`),
	)

	It("is split by its dimensions", func() {
		Expect(model("matrix", storage).Needs().Split).To(Equal([]string{"region", "tier"}))
		Expect(model("matrix", region).Needs().Split).To(Equal([]string{"region"}))
		Expect(model("unit", `{"unit_amount": "1"}`).Needs().Single()).To(BeTrue())
	})

	It("is not prorated", func() {
		u := cells("120 eu hot")
		u.Fraction = period.Fraction{Part: 1, Whole: 2}
		Expect(rating.Rate(model("matrix", storage), u).Subtotal.String()).To(Equal("60"))
	})

	It("leaves the usage it is given as it was", func() {
		u := cells("10 us cold", "80 us hot")
		rating.Rate(model("matrix", storage), u)
		Expect(*u.Cells[0].Values[1]).To(Equal("cold"))
	})

	It("shows the values of a part", func() {
		c := rating.Rate(model("matrix", storage), cells("2.5 eu -"))
		Expect(*c.Parts[0].Values[0]).To(Equal("eu"))
		Expect(c.Parts[0].Values[1]).To(BeNil())
	})
})

package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const (
	storage = `{"dimensions": ["region", "tier"], "default_unit_amount": "0.30", "matrix_values": [
		{"dimension_values": ["eu", "hot"], "unit_amount": "0.50"},
		{"dimension_values": ["eu", "cold"], "unit_amount": "0.10"},
		{"dimension_values": ["us", "hot"], "unit_amount": "0.45"}]}`
	byRegion = `{"dimensions": ["region", null], "default_unit_amount": "0", "matrix_values": [
		{"dimension_values": ["us"], "unit_amount": "2"},
		{"dimension_values": [null, null], "unit_amount": "3"}]}`
)

var _ = golden("matrix",
	costs("each combination at its own rate, listed ones in the order of the list, then others", storage,
		cells("10 us cold", "80 us hot", "120 eu hot"), "99",
		`matrix "eu / hot": 120 for 60`, `matrix "us / hot": 80 for 36`, `matrix "us / cold": 10 for 3`),
	costs("a missing value at the default, as it is no wildcard", storage, cells("2.5 eu -"), "0.75",
		`matrix "eu / none": 2.5 for 0.75`),
	costs("unlisted ones by value, missing first", storage, cells("1 us ~", "1 - hot", "1 us -", "1 Us hot"), "1.2",
		`matrix "none / hot": 1 for 0.3`, `matrix "Us / hot": 1 for 0.3`, `matrix "us / none": 1 for 0.3`, `matrix "us / ~": 1 for 0.3`),
	costs("below zero, as a credit", storage, cells("-10 eu hot", "10 eu cold"), "-4",
		`matrix "eu / hot": -10 for -5`, `matrix "eu / cold": 10 for 1`),
	atBound("nothing for a combination with a quantity of zero, which is shown", storage, cells("0 eu hot"), "0",
		`matrix "eu / hot": 0 for 0`),
	costs("nothing without usage", storage, cells(), "0"),
	costs("values of one dimension, of which missing may be listed", byRegion, cells("5 eu", "1 -", "1 us"), "5",
		`matrix "us": 1 for 2`, `matrix "none": 1 for 3`, `matrix "eu": 5 for 0`),
	costs("all of what was used in part of a period", storage, within(1, 2, cells("120 eu hot")), "60",
		`matrix "eu / hot": 120 for 60`),
)

var _ = Describe("a matrix price", func() {
	It("is split by its dimensions, and its line is of all cells", func() {
		m := model("matrix", storage)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"region", "tier"}}))
		Expect(model("matrix", byRegion).Needs().Split).To(Equal([]string{"region"}))
		Expect(rating.Rate(m, cells("2.5 eu -", "-10 eu hot")).Quantity.String()).To(Equal("-7.5"))
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

var _ = propertyOf("matrix", func(t *rapid.T) string {
	return "{" + drawMatrixFields(t) + "}"
})

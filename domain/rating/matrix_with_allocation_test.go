package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const storageWithAllocation = `{"allocation": "100", "dimensions": ["region", "tier"], "default_unit_amount": "0.30", "matrix_values": [
	{"dimension_values": ["eu", "hot"], "unit_amount": "0.50"},
	{"dimension_values": ["eu", "cold"], "unit_amount": "0.10"},
	{"dimension_values": ["us", "hot"], "unit_amount": "0.45"}]}`

var _ = golden("matrix_with_allocation",
	costs("half of each cell, where the allocation is half of what was used", storageWithAllocation, cells("80 us hot", "120 eu hot"), "48",
		`matrix "eu / hot": 120 scaled 60 for 30`,
		`matrix "us / hot": 80 scaled 40 for 18`),
	atBound("nothing for as much as was allocated", storageWithAllocation, cells("60 eu hot", "40 us hot"), "0",
		`matrix "eu / hot": 60 scaled 0 for 0`,
		`matrix "us / hot": 40 scaled 0 for 0`),
	costs("a fraction of a unit beyond it", storageWithAllocation, cells("125.5 eu cold"), "2.55",
		`matrix "eu / cold": 125.5 scaled 25.5 for 2.55`),
	costs("shares that do not end, which sum to the last digit", storageWithAllocation, cells("100 eu hot", "100 us hot", "100 us cold"), "83.33333333333333333333",
		`matrix "eu / hot": 100 scaled 66.66666666666666666666 for 33.33333333333333333333`,
		`matrix "us / hot": 100 scaled 66.66666666666666666667 for 30`,
		`matrix "us / cold": 100 scaled 66.66666666666666666667 for 20`),
	costs("unlisted values and missing ones at the default", storageWithAllocation, cells("100 - hot", "100 ap hot"), "30",
		`matrix "none / hot": 100 scaled 50 for 15`,
		`matrix "ap / hot": 100 scaled 50 for 15`),
	costs("nothing for a cell below zero, which takes nothing from others", storageWithAllocation, cells("-50 eu hot", "150 eu cold"), "5",
		`matrix "eu / hot": 0 scaled 0 for 0`,
		`matrix "eu / cold": 150 scaled 50 for 5`),
	costs("a full allocation in part of a period", storageWithAllocation, within(10, 30, cells("200 eu hot")), "50",
		`matrix "eu / hot": 200 scaled 100 for 50`),
	costs("nothing for cells of zero", storageWithAllocation, cells("0 eu hot"), "0",
		`matrix "eu / hot": 0 scaled 0 for 0`),
	costs("nothing without usage", storageWithAllocation, cells(), "0"),
)

var _ = Describe("a matrix_with_allocation price", func() {
	It("is split by its dimensions, and its line is of all cells", func() {
		m := model("matrix_with_allocation", storageWithAllocation)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"region", "tier"}}))
		Expect(rating.Rate(m, cells("80 us hot", "120 eu hot")).Quantity.String()).To(Equal("200"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("matrix_with_allocation", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "dimensions", "default_unit_amount", "matrix_values", "allocation"),
		Entry("without rows", `{"allocation": "1", "dimensions": ["a"], "default_unit_amount": "1", "matrix_values": []}`, "matrix_values"),
		Entry("with a negative allocation", `{"allocation": "-1", "dimensions": ["a"], "default_unit_amount": "1", "matrix_values": [
			{"dimension_values": ["x"], "unit_amount": "1"}]}`, "allocation"),
		Entry("with a row twice", `{"allocation": "1", "dimensions": ["a"], "default_unit_amount": "1", "matrix_values": [
			{"dimension_values": ["x"], "unit_amount": "1"}, {"dimension_values": ["x"], "unit_amount": "1"}]}`, "matrix_values[1].dimension_values"),
		Entry("with a negative rate", `{"allocation": "1", "dimensions": ["a"], "default_unit_amount": "1", "matrix_values": [
			{"dimension_values": ["x"], "unit_amount": "-1"}]}`, "matrix_values[0].unit_amount"),
	)
})

var _ = propertyOf("matrix_with_allocation", func(t *rapid.T) string {
	return fmt.Sprintf(`{"allocation": %q, %s}`, drawRate(t), drawMatrixFields(t))
})

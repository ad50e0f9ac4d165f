package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

const boxes = `{"package_size": 25, "tiers": [
	{"tier_lower_bound": "0", "per_unit": "4", "minimum_amount": "12"},
	{"tier_lower_bound": "100", "per_unit": "3", "minimum_amount": "40"}]}`

var _ = golden("tiered_package_with_minimum",
	costs("the minimum of the tier reached, where packages cost less", boxes, total("130"), "40",
		`tier "0 - 100": 100 for 16`, `tier "100+": 50 for 6`, `'null' "Minimum": 0 for 18`),
	costs("packages, where they cost more", boxes, total("400"), "52",
		`tier "0 - 100": 100 for 16`, `tier "100+": 300 for 36`),
	atBound("usage rounded up to a bound, which is in the tier below", boxes, total("99"), "16",
		`tier "0 - 100": 100 for 16`, `tier "100+": 0 for 0`),
	costs("a package above the bound, and its minimum, for a fraction of a unit", boxes, total("100.5"), "40",
		`tier "0 - 100": 100 for 16`, `tier "100+": 25 for 3`, `'null' "Minimum": 0 for 21`),
	costs("the first minimum", boxes, total("30"), "12",
		`tier "0 - 100": 50 for 8`, `tier "100+": 0 for 0`, `'null' "Minimum": 0 for 4`),
	costs("the first minimum without usage", boxes, total("0"), "12",
		`tier "0 - 100": 0 for 0`, `tier "100+": 0 for 0`, `'null' "Minimum": 0 for 12`),
	costs("the first minimum below zero", boxes, total("-130"), "12",
		`tier "0 - 100": 0 for 0`, `tier "100+": 0 for 0`, `'null' "Minimum": 0 for 12`),
	costs("all of it in part of a period", boxes, over("130", 1, 30), "40",
		`tier "0 - 100": 100 for 16`, `tier "100+": 50 for 6`, `'null' "Minimum": 0 for 18`),
	costs("a fixed fee by days, with its minimum", boxes, fixed("130", 15, 30), "20",
		`tier "0 - 100": 100 for 8`, `tier "100+": 50 for 3`, `'null' "Minimum": 0 for 9`),
	atBound("packages of a fraction of a unit",
		`{"package_size": 2.5, "tiers": [{"tier_lower_bound": "0", "per_unit": "4", "minimum_amount": "0"}, {"tier_lower_bound": "5", "per_unit": "3", "minimum_amount": "0"}]}`,
		total("7.5"), "11", `tier "0 - 5": 5 for 8`, `tier "5+": 2.5 for 3`),
)

var _ = Describe("a tiered_package_with_minimum price", func() {
	tiers := `[{"tier_lower_bound": "0", "per_unit": "4", "minimum_amount": "12"}, {"tier_lower_bound": "100", "per_unit": "3", "minimum_amount": "40"}]`

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("tiered_package_with_minimum", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "package_size", "tiers"),
		Entry("with a package of nothing", `{"package_size": 0, "tiers": `+tiers+`}`, "package_size"),
		Entry("with a package below zero", `{"package_size": -25, "tiers": `+tiers+`}`, "package_size"),
		Entry("with a text for a package size", `{"package_size": "25", "tiers": `+tiers+`}`, "package_size"),
		Entry("with a bound inside a package", `{"package_size": 30, "tiers": `+tiers+`}`, "tiers[1].tier_lower_bound"),
		Entry("with one tier", `{"package_size": 25, "tiers": [{"tier_lower_bound": "0", "per_unit": "4", "minimum_amount": "12"}]}`, "tiers"),
		Entry("with a tier without minimum",
			`{"package_size": 25, "tiers": [{"tier_lower_bound": "0", "per_unit": "4", "minimum_amount": null}, {"tier_lower_bound": "100", "per_unit": "3"}]}`,
			"tiers[0].minimum_amount", "tiers[1].minimum_amount"),
		Entry("with a flag it does not have", `{"package_size": 25, "prorate": true, "tiers": `+tiers+`}`, "prorate"),
	)
})

var _ = propertyOf("tiered_package_with_minimum", func(t *rapid.T) string {
	size := drawPackageSize(t)
	return fmt.Sprintf(`{"package_size": %s, "tiers": %s}`, size, drawTierTable(t, 2, size).owing(t, "per_unit"))
})

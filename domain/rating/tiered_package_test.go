package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const parcels = `{"package_size": "100", "tiers": [
	{"tier_lower_bound": "0", "per_unit": "10"},
	{"tier_lower_bound": "300", "per_unit": "8.00"}]}`

var _ = golden("tiered_package",
	costs("each package at the rate of its own tier", parcels, total("450"), "46",
		`tier "0 - 300": 300 for 30`, `tier "300+": 200 for 16`),
	atBound("a bound is still in the tier below", parcels, total("300"), "30", `tier "0 - 300": 300 for 30`),
	costs("a fraction of a unit begins the next tier's package", parcels, total("300.01"), "38",
		`tier "0 - 300": 300 for 30`, `tier "300+": 100 for 8`),
	atBound("a full package begins no other", parcels, total("200"), "20", `tier "0 - 300": 200 for 20`),
	costs("the least usage pays for a package", parcels, total("0.00000000000000000001"), "10", `tier "0 - 300": 100 for 10`),
	costs("nothing without usage, and no parts", parcels, total("0"), "0"),
	costs("nothing below zero", parcels, total("-450"), "0"),
	costs("packages of a fraction of a unit",
		`{"package_size": "0.5", "tiers": [{"tier_lower_bound": "1.5", "per_unit": "1"}, {"tier_lower_bound": "0", "per_unit": "3"}]}`,
		total("1.6"), "10", `tier "0 - 1.5": 1.5 for 9`, `tier "1.5+": 0.5 for 1`),
	costs("all of what was used in part of a period", parcels, over("450", 10, 30), "46",
		`tier "0 - 300": 300 for 30`, `tier "300+": 200 for 16`),
	costs("a fixed fee by days", parcels, fixed("450", 15, 30), "23",
		`tier "0 - 300": 300 for 15`, `tier "300+": 200 for 8`),
)

var _ = Describe("a tiered_package price", func() {
	It("shows the quantity as measured, and tiers as they were configured", func() {
		c := rating.Rate(model("tiered_package", parcels), total("450"))
		Expect(c.Quantity.String()).To(Equal("450"))
		Expect(c.Parts[0].Tier.FirstUnit.String()).To(Equal("0"))
		Expect(c.Parts[0].Tier.LastUnit.String()).To(Equal("300"))
		Expect(c.Parts[1].Tier.LastUnit).To(BeNil())
		Expect(c.Parts[1].Tier.UnitAmount).To(Equal("8.00"))
		Expect(c.Parts[1].Rate).To(Equal("8.00"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("tiered_package", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "package_size", "tiers"),
		Entry("with a package of nothing",
			`{"package_size": "0", "tiers": [{"tier_lower_bound": "0", "per_unit": "1"}, {"tier_lower_bound": "5", "per_unit": "1"}]}`, "package_size"),
		Entry("with a number for a package size",
			`{"package_size": 5, "tiers": [{"tier_lower_bound": "0", "per_unit": "1"}, {"tier_lower_bound": "5", "per_unit": "1"}]}`, "package_size"),
		Entry("without tiers", `{"package_size": "5", "tiers": []}`, "tiers"),
		Entry("with one tier", `{"package_size": "5", "tiers": [{"tier_lower_bound": "0", "per_unit": "1"}]}`, "tiers"),
		Entry("with empty tiers", `{"package_size": "5", "tiers": [{}, {}]}`,
			"tiers[0].tier_lower_bound", "tiers[0].per_unit", "tiers[1].tier_lower_bound", "tiers[1].per_unit"),
		Entry("with a bound inside a package",
			`{"package_size": "5", "tiers": [{"tier_lower_bound": "0", "per_unit": "1"}, {"tier_lower_bound": "7.5", "per_unit": "1"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a lowest bound above 0, wherever it stands",
			`{"package_size": "5", "tiers": [{"tier_lower_bound": "10", "per_unit": "1"}, {"tier_lower_bound": "5", "per_unit": "1"}]}`, "tiers[1].tier_lower_bound"),
		Entry("with a bound twice",
			`{"package_size": "5", "tiers": [{"tier_lower_bound": "5.0", "per_unit": "1"}, {"tier_lower_bound": "0", "per_unit": "1"}, {"tier_lower_bound": "5", "per_unit": "1"}]}`,
			"tiers[2].tier_lower_bound"),
		Entry("with a bound below 0",
			`{"package_size": "5", "tiers": [{"tier_lower_bound": "-5", "per_unit": "1"}, {"tier_lower_bound": "0", "per_unit": "1"}]}`, "tiers[0].tier_lower_bound"),
		Entry("with a bound that is null",
			`{"package_size": "5", "tiers": [{"tier_lower_bound": null, "per_unit": "1"}, {"tier_lower_bound": "5", "per_unit": "1"}]}`, "tiers[0].tier_lower_bound"),
		Entry("with a negative rate",
			`{"package_size": "5", "tiers": [{"tier_lower_bound": "0", "per_unit": "1"}, {"tier_lower_bound": "5", "per_unit": "-1"}]}`, "tiers[1].per_unit"),
		Entry("with an unknown key in a tier",
			`{"package_size": "5", "tiers": [{"tier_lower_bound": "0", "per_unit": "1"}, {"tier_lower_bound": "5", "per_unit": "1", "unit_amount": "1"}]}`, "tiers[1].unit_amount"),
	)
})

var _ = propertyOf("tiered_package", func(t *rapid.T) string {
	size := drawPackageSize(t)
	return fmt.Sprintf(`{"package_size": %q, "tiers": %s}`, size, drawTierTable(t, 2, size).rated(t, "per_unit"))
})

package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

const (
	committed = `{"tiers": [
		{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "30"},
		{"tier_lower_bound": "50", "unit_amount": "0.60", "minimum_amount": "70"}]}`
	committedByDays = `{"prorate": true, "tiers": [
		{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "30"},
		{"tier_lower_bound": "50", "unit_amount": "0.60", "minimum_amount": "70"}]}`
	freeTiersHidden = `{"hide_zero_amount_tiers": true, "tiers": [
		{"tier_lower_bound": "0", "unit_amount": "0", "minimum_amount": "30"},
		{"tier_lower_bound": "50", "unit_amount": "0.60", "minimum_amount": "70"},
		{"tier_lower_bound": "100", "unit_amount": "0", "minimum_amount": "500"}]}`
)

var _ = golden("tiered_with_minimum",
	costs("the minimum of the tier reached, where tiers cost less", committed, total("60"), "70",
		`tier "0 - 50": 50 for 50`, `tier "50+": 10 for 6`, `'null' "Minimum": 0 for 14`),
	costs("the tiers, where they cost more", committed, total("120"), "92",
		`tier "0 - 50": 50 for 50`, `tier "50+": 70 for 42`),
	atBound("a bound is still in the tier below, with its minimum", committed, total("50"), "50",
		`tier "0 - 50": 50 for 50`, `tier "50+": 0 for 0`),
	costs("a fraction of a unit above it reaches the next minimum", committed, total("50.5"), "70",
		`tier "0 - 50": 50 for 50`, `tier "50+": 0.5 for 0.3`, `'null' "Minimum": 0 for 19.7`),
	atBound("exactly the minimum", committed, total("30"), "30",
		`tier "0 - 50": 30 for 30`, `tier "50+": 0 for 0`),
	costs("the first minimum without usage", committed, total("0"), "30",
		`tier "0 - 50": 0 for 0`, `tier "50+": 0 for 0`, `'null' "Minimum": 0 for 30`),
	costs("the first minimum below zero", committed, total("-40"), "30",
		`tier "0 - 50": 0 for 0`, `tier "50+": 0 for 0`, `'null' "Minimum": 0 for 30`),
	costs("all of it in part of a period", committed, over("60", 15, 30), "70",
		`tier "0 - 50": 50 for 50`, `tier "50+": 10 for 6`, `'null' "Minimum": 0 for 14`),
	costs("rates by days, and the minimum in full", committedByDays, over("60", 15, 30), "70",
		`tier "0 - 50": 50 for 25`, `tier "50+": 10 for 3`, `'null' "Minimum": 0 for 42`),
	costs("rates by days beyond the minimum", committedByDays, over("200", 20, 30), "93.33333333333333333333",
		`tier "0 - 50": 50 for 33.33333333333333333333`, `tier "50+": 150 for 60`),
	costs("a fixed fee by days, with its minimum, and only once", committedByDays, fixed("60", 15, 30), "35",
		`tier "0 - 50": 50 for 25`, `tier "50+": 10 for 3`, `'null' "Minimum": 0 for 7`),

	costs("tiers that charge nothing hidden, with their minimums", freeTiersHidden, total("200"), "70",
		`tier "50 - 100": 50 for 30`, `'null' "Minimum": 0 for 40`),
	atBound("no minimum where no tier charged", freeTiersHidden, total("50"), "0"),
	costs("no minimum without usage, if such tiers are hidden", freeTiersHidden, total("0"), "0"),
)

var _ = Describe("a tiered_with_minimum price", func() {
	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("tiered_with_minimum", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "tiers"),
		Entry("with one tier", `{"tiers": [{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "1"}]}`, "tiers"),
		Entry("with empty tiers", `{"tiers": [{}, {}]}`,
			"tiers[0].tier_lower_bound", "tiers[0].unit_amount", "tiers[0].minimum_amount",
			"tiers[1].tier_lower_bound", "tiers[1].unit_amount", "tiers[1].minimum_amount"),
		Entry("with a negative minimum",
			`{"tiers": [{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "-1"}, {"tier_lower_bound": "5", "unit_amount": "1", "minimum_amount": "1"}]}`,
			"tiers[0].minimum_amount"),
		Entry("with a bound twice",
			`{"tiers": [{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "1"}, {"tier_lower_bound": "0.0", "unit_amount": "1", "minimum_amount": "1"}]}`,
			"tiers[1].tier_lower_bound"),
		Entry("with a lowest bound above 0",
			`{"tiers": [{"tier_lower_bound": "1", "unit_amount": "1", "minimum_amount": "1"}, {"tier_lower_bound": "5", "unit_amount": "1", "minimum_amount": "1"}]}`,
			"tiers[0].tier_lower_bound"),
		Entry("with texts for flags",
			`{"hide_zero_amount_tiers": "no", "prorate": "no", "tiers": [{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "1"}, {"tier_lower_bound": "5", "unit_amount": "1", "minimum_amount": "1"}]}`,
			"hide_zero_amount_tiers", "prorate"),
		Entry("with the flag of another model",
			`{"prorated": true, "tiers": [{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "1"}, {"tier_lower_bound": "5", "unit_amount": "1", "minimum_amount": "1"}]}`,
			"prorated"),
	)
})

var _ = propertyOf("tiered_with_minimum", func(t *rapid.T) string {
	tiers := drawTierTable(t, 2, "1")
	for i := range tiers.rates {
		if rapid.Bool().Draw(t, "free") {
			tiers.rates[i] = "0"
		}
	}
	return fmt.Sprintf(`{"hide_zero_amount_tiers": %v, "prorate": %v, "tiers": %s}`,
		rapid.Bool().Draw(t, "hide"), rapid.Bool().Draw(t, "prorate"), tiers.owing(t, "unit_amount"))
})

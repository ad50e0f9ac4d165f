package rating_test

import (
	"fmt"

	"pgregory.net/rapid"
)

const (
	textMessages = `{"tiers": [
		{"unit_amount": "0.06", "maximum_units": 1000},
		{"unit_amount": "0.045", "maximum_units": 5000},
		{"unit_amount": "0.03"}]}`
	bounded = `{"tiers": [
		{"unit_amount": "0.40", "maximum_units": 100},
		{"unit_amount": "0.50", "maximum_units": 10}]}`
)

var _ = golden("bulk",
	costs("all units at the rate of the tier they reach", textMessages, total("3200"), "144"),
	atBound("on a bound, the rate of the tier below", textMessages, total("1000"), "60"),
	costs("half a unit above it, which costs less", textMessages, total("1000.5"), "45.0225"),
	costs("the rate of the tier without end", textMessages, total("10000"), "300"),
	costs("nothing without usage", textMessages, total("0"), "0"),
	costs("nothing below zero", textMessages, total("-40"), "0"),
	atBound("ten units up to a bound of ten, tiers in any order", bounded, total("10"), "5"),
	costs("more than ten at the next rate", bounded, total("11"), "4.4"),
	costs("the last rate beyond the last bound", bounded, total("101"), "40.4"),
	costs("all of what was used in part of a period", textMessages, over("1000", 1, 2), "60"),
	costs("a fixed fee by days", textMessages, fixed("1000", 1, 2), "30"),
)

var _ = propertyOf("bulk", func(t *rapid.T) string {
	bounds := drawBounds(t)
	var tiers []string
	for _, bound := range bounds {
		tiers = append(tiers, fmt.Sprintf(`{"maximum_units": %s, "unit_amount": %q}`, bound, drawRate(t)))
	}
	if len(bounds) == 0 || rapid.Bool().Draw(t, "open") {
		tiers = append(tiers, fmt.Sprintf(`{"unit_amount": %q}`, drawRate(t)))
	}
	return fmt.Sprintf(`{"tiers": %s}`, inAnyOrder(t, tiers))
})

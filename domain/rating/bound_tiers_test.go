package rating_test

import (
	"fmt"

	"pgregory.net/rapid"

	"tollkeeper/domain/money"
)

// A tierTable is drawn tiers by lower bound, from the lowest.
type tierTable struct{ bounds, rates, minimums []string }

// drawTierTable draws at least so many tiers. Bounds are multiples of step.
func drawTierTable(t *rapid.T, least int, step string) (tiers tierTable) {
	at := int64(0)
	for range rapid.IntRange(least, 5).Draw(t, "tiers") {
		tiers.bounds = append(tiers.bounds, money.FromInt(at).Mul(money.Must(step)).String())
		tiers.rates = append(tiers.rates, drawRate(t))
		tiers.minimums = append(tiers.minimums, drawRate(t))
		at += rapid.Int64Range(1, 300).Draw(t, "width")
	}
	return tiers
}

// json writes the tiers in any order, each as row says.
func (tiers tierTable) json(t *rapid.T, row func(i int) string) string {
	var rows []string
	for i := range tiers.bounds {
		rows = append(rows, row(i))
	}
	return inAnyOrder(t, rows)
}

// rated writes tiers of a bound and a rate.
func (tiers tierTable) rated(t *rapid.T, rateKey string) string {
	return tiers.json(t, func(i int) string {
		return fmt.Sprintf(`{"tier_lower_bound": %q, %q: %q}`, tiers.bounds[i], rateKey, tiers.rates[i])
	})
}

// owing writes tiers that have a minimum too.
func (tiers tierTable) owing(t *rapid.T, rateKey string) string {
	return tiers.json(t, func(i int) string {
		return fmt.Sprintf(`{"tier_lower_bound": %q, %q: %q, "minimum_amount": %q}`, tiers.bounds[i], rateKey, tiers.rates[i], tiers.minimums[i])
	})
}

// bulk writes tiers whose lowest may have no bound.
func (tiers tierTable) bulk(t *rapid.T) string {
	lowest := rapid.SampledFrom([]string{`"tier_lower_bound": "0", `, `"tier_lower_bound": null, `, ``}).Draw(t, "lowest")
	return tiers.json(t, func(i int) string {
		bound := lowest
		if i > 0 {
			bound = fmt.Sprintf(`"tier_lower_bound": %q, `, tiers.bounds[i])
		}
		return fmt.Sprintf(`{%s"unit_amount": %q}`, bound, tiers.rates[i])
	})
}

// drawPackageSize draws sizes above 0, also of fractions.
func drawPackageSize(t *rapid.T) string {
	return rapid.SampledFrom([]string{"1", "10", "25", "100", "1000", "0.5", "0.3", "7.25"}).Draw(t, "size")
}

package rating_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

func drawLines(t *rapid.T, least string) []rating.Line {
	lines := make([]rating.Line, rapid.IntRange(1, 6).Draw(t, "lines"))
	for k := range lines {
		lines[k] = rating.Line{
			Price: rating.Priced{
				PriceID: fmt.Sprintf("p%d", k), Currency: "USD", Usage: true, InAdvance: rapid.Bool().Draw(t, "in advance"),
			},
			Subtotal: money.Must(rapid.OneOf(
				rapid.StringMatching(least+`[0-9]{1,3}\.[0-9]{2}`), rapid.Just("0"), rapid.StringMatching(`[0-9]{1,20}\.[0-9]{2}`),
			).Draw(t, "subtotal")),
		}
	}
	return lines
}

// drawWorks puts adjustments to work on all lines that they match, each for a part of a billing period.
func drawWorks(t *rapid.T, lines []rating.Line, adjustments []rating.Adjustment) []rating.Work {
	works := make([]rating.Work, len(adjustments))
	for i, a := range adjustments {
		whole := rapid.IntRange(1, 31).Draw(t, "days")
		works[i] = rating.Work{Adjustment: a, Fraction: period.Fraction{Part: rapid.IntRange(0, whole).Draw(t, "of them"), Whole: whole}}
		for k, line := range lines {
			if a.WorksOn(line) {
				works[i].Lines = append(works[i].Lines, k)
			}
		}
	}
	return works
}

// drawAdjustments draws some of those kinds, for all lines or one.
func drawAdjustments(t *rapid.T, kinds ...rating.AdjustmentKind) []rating.Adjustment {
	adjustments := make([]rating.Adjustment, rapid.IntRange(1, 5).Draw(t, "adjustments"))
	for i := range adjustments {
		a := of(rapid.SampledFrom(kinds).Draw(t, "kind"), "0")
		switch a.Kind {
		case rating.PercentageDiscount:
			a.Value = drawPercentage(t)
		case rating.TieredPercentageDiscount:
			a.Tiers = []rating.PercentageTier{{Percentage: drawPercentage(t)}}
			for _, bound := range append(drawBounds(t), "500") {
				end := a.Tiers[len(a.Tiers)-1].LowerBound.Add(money.Must(bound))
				a.Tiers[len(a.Tiers)-1].UpperBound = &end
				a.Tiers = append(a.Tiers, rating.PercentageTier{LowerBound: end, Percentage: drawPercentage(t)})
			}
		default:
			a.Value = money.Must(rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{1,3})?`).Draw(t, "value"))
		}
		a.InvoiceLevel = rapid.Bool().Draw(t, "invoice level")
		if rapid.Bool().Draw(t, "one price") {
			a.Filters = only(fmt.Sprintf("p%d", rapid.IntRange(0, 6).Draw(t, "price")), a).Filters
		}
		a.ID = fmt.Sprintf("adj%d", i)
		adjustments[i] = a
	}
	return adjustments
}

func drawPercentage(t *rapid.T) money.Decimal {
	return money.Must(rapid.StringMatching(`0(\.[0-9]{1,4})?|1`).Draw(t, "percentage"))
}

// adding are all kinds that work on amounts.
var adding = []rating.AdjustmentKind{
	rating.AmountDiscount, rating.PercentageDiscount, rating.TieredPercentageDiscount, rating.Minimum, rating.Maximum,
}

func totalOf(adjusted []rating.Adjusted) (sum money.Decimal) {
	for _, line := range adjusted {
		sum = sum.Add(line.Subtotal)
	}
	return sum
}

// always declares a property of adjustments.
func always(sentence string, check func(t *rapid.T)) bool {
	return Describe("adjusted lines", func() {
		It(sentence, func() { rapid.Check(GinkgoT(), check) })
	})
}

var (
	_ = always("add up to the cent, and what was split is whole", func(t *rapid.T) {
		lines, adjustments := drawLines(t, "-?"), drawAdjustments(t, adding...)
		shared, whole := map[string]money.Decimal{}, map[string]rating.Applied{}
		for k, line := range rating.Adjust(lines, adjustments, nil) {
			sum := lines[k].Subtotal
			for _, applied := range line.Applied {
				if !applied.Before.Equal(sum) {
					t.Fatalf("line %d is %s before %s, which says %s", k, sum, applied.AdjustmentID, applied.Before)
				}
				if applied.Amount.Places() > 2 {
					t.Fatalf("%s is added to line %d", applied.Amount, k)
				}
				sum = sum.Add(applied.Amount)
				shared[applied.AdjustmentID] = shared[applied.AdjustmentID].Add(applied.Amount)
				whole[applied.AdjustmentID] = applied
			}
			if !sum.Equal(line.Subtotal) {
				t.Fatalf("line %d adds up to %s and says %s", k, sum, line.Subtotal)
			}
		}
		for id, sum := range shared {
			if !sum.Equal(whole[id].Whole) {
				t.Fatalf("shares of %s add up to %s of %s", id, sum, whole[id].Whole)
			}
		}
	})

	_ = always("reach a minimum and keep to a maximum", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		kind := rapid.SampledFrom([]rating.AdjustmentKind{rating.Minimum, rating.Maximum}).Draw(t, "kind")
		a := of(kind, rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{1,3})?`).Draw(t, "value"))
		adjusted := rating.Adjust(lines, []rating.Adjustment{a}, nil)
		limit, sum := adjusted[0].Applied[0].Value, totalOf(adjusted)
		if side := sum.Cmp(limit); kind == rating.Minimum && side < 0 || kind == rating.Maximum && side > 0 {
			t.Fatalf("%s of %s, and the lines add up to %s", kind, limit, sum)
		}
	})

	_ = always("do not depend on the order of creation across kinds", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		first := drawAdjustments(t, rating.AmountDiscount)
		second := drawAdjustments(t, rating.PercentageDiscount, rating.TieredPercentageDiscount)
		third := drawAdjustments(t, rating.Minimum)
		want := rating.Adjust(lines, slices.Concat(first, second, third), nil)
		var mixed []rating.Adjustment
		for _, kind := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
			mixed = append(mixed, [][]rating.Adjustment{first, second, third}[kind]...)
		}
		for k, line := range rating.Adjust(lines, mixed, nil) {
			if !line.Subtotal.Equal(want[k].Subtotal) {
				t.Fatalf("line %d is %s or %s", k, line.Subtotal, want[k].Subtotal)
			}
		}
	})

	_ = always("keep their sign under percentages", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		for k, line := range rating.Adjust(lines, drawAdjustments(t, rating.PercentageDiscount, rating.TieredPercentageDiscount), nil) {
			if lines[k].Subtotal.Sign()*line.Subtotal.Sign() < 0 || line.Subtotal.Abs().Cmp(lines[k].Subtotal.Abs()) > 0 {
				t.Fatalf("%s becomes %s", lines[k].Subtotal, line.Subtotal)
			}
		}
	})

	_ = always("do not fall below zero by amounts and maximums", func(t *rapid.T) {
		lines := drawLines(t, "-?")
		for k, line := range rating.Adjust(lines, drawAdjustments(t, rating.AmountDiscount, rating.Maximum), nil) {
			before := lines[k].Subtotal
			if before.Sign() <= 0 && !line.Subtotal.Equal(before) || before.Sign() > 0 && (line.Subtotal.Sign() < 0 || line.Subtotal.Cmp(before) > 0) {
				t.Fatalf("%s becomes %s", before, line.Subtotal)
			}
		}
	})
)

package rating_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/reference"
)

var _ = Describe("The reference model of adjustments", func() {
	It("gives the worked example of price models 6.5", func() {
		lines := standing("120", "80", "40")
		adjustments := []rating.Adjustment{of(rating.Minimum, "300"), only("p1", of(rating.PercentageDiscount, "0.25")), of(rating.AmountDiscount, "50")}
		added, err := reference.Adjust(plainLines(lines, nil), nil, plainAdjustments(adjustments))
		Expect(err).NotTo(HaveOccurred())
		Expect(written(added[:3])).To(Equal([]string{"68.63 34.32 22.88", "0.00 -15.83 0.00", "-25.00 -16.67 -8.33"}))
	})

	It("splits a minimum of 25.01 over two lines at 0 into 12.51 and 12.50", func() {
		added, err := reference.Adjust(plainLines(standing("0", "0"), nil), nil, plainAdjustments([]rating.Adjustment{of(rating.Minimum, "25.01")}))
		Expect(err).NotTo(HaveOccurred())
		Expect(written(added[:1])).To(Equal([]string{"12.51 12.50"}))
	})

	It("says that it does not know a kind", func() {
		_, err := reference.Adjust(plainLines(standing("1"), nil), nil, []reference.Adjustment{{Kind: "trial"}})
		Expect(err).To(MatchError(reference.ErrNotCovered))
	})

	It("agrees with rating over random lines and adjustments", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			lines := drawLines(t, "-?")
			compareAdjusted(t, lines, nil, drawAdjustments(t, adding...))
		})
	})

	It("agrees with rating about usage discounts of all price models", func() {
		var types []string
		for modelType, examples := range tables {
			if !model(modelType, examples[0].config).Needs().Composite { // composite prices have no usage discounts
				types = append(types, modelType)
			}
		}
		slices.Sort(types)
		cases := map[string]int{}
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			s := drawSample(t, rapid.SampledFrom(types).Draw(t, "model type"))
			line := used(s.modelType, s.config, s.usage(t))
			adjustments := []rating.Adjustment{of(rating.UsageDiscount, drawQuantity(t).Abs().String())}
			if rapid.Bool().Draw(t, "two") {
				adjustments = append(adjustments, of(rating.UsageDiscount, drawQuantity(t).Abs().String()))
			}
			adjustments = append(adjustments, drawAdjustments(t, adding...)...)
			compareAdjusted(t, []rating.Line{line}, &s, adjustments)
			cases[s.modelType]++
		})
		fmt.Fprintln(GinkgoWriter, "cases by price model:", cases)
	})

	It("converts as rating does", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			rate, config := "", ""
			if rapid.Bool().Draw(t, "tiered") {
				config = fmt.Sprintf(`{"conversion_rate_type": "tiered", "tiered_config": {"tiers": %s}}`, drawTiers(t))
			} else {
				rate = money.Must(drawRate(t)).String() // no leading zeros
			}
			c, err := conversion(rate, config)
			if err != nil {
				t.Fatal(err)
			}
			amount := drawQuantity(t)
			var flat *big.Rat
			if rate != "" {
				flat = rat(rate)
			}
			want, err := reference.Convert(flat, json.RawMessage(config), rat(amount.String()))
			if got := c.Convert(amount).Subtotal; err != nil || want.Cmp(rat(got.String())) != 0 {
				t.Fatalf("%s %s: %s is %s, by the reference model %v, %v", rate, config, amount, got, want, err)
			}
		})
	})

	It("rounds halves away from zero and splits by largest remainders, as money does", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			places := rapid.IntRange(0, 4).Draw(t, "places")
			amount := money.Must(rapid.StringMatching(`-?[0-9]{1,6}\.[0-9]{0,4}[05]`).Draw(t, "amount"))
			rounded := amount.Round(places)
			if got := reference.Round(rat(amount.String()), places); got.Cmp(rat(rounded.String())) != 0 {
				t.Fatalf("%s to %d places: %s or %s", amount, places, rounded, got)
			}
			weights := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) money.Decimal { return drawQuantity(t).Abs() }), 1, 6).Draw(t, "weights")
			var plain []*big.Rat
			for _, w := range weights {
				plain = append(plain, rat(w.String()))
			}
			shares := reference.Split(rat(rounded.String()), plain, places)
			for k, share := range money.Split(rounded, weights, places) {
				if shares[k].Cmp(rat(share.String())) != 0 {
					t.Fatalf("%s over %v: share %d is %s or %s", rounded, weights, k, share, shares[k].FloatString(places))
				}
			}
		})
	})
})

// compareAdjusted compares what adjustments add to lines with the reference model.
func compareAdjusted(t *rapid.T, lines []rating.Line, s *sample, adjustments []rating.Adjustment) {
	works, plain := drawWorks(t, lines, adjustments), plainAdjustments(adjustments)
	for i, w := range works {
		plain[i].Share = big.NewRat(int64(w.Fraction.Part), int64(w.Fraction.Whole))
	}
	added, err := reference.Adjust(plainLines(lines, s), nil, plain)
	if err != nil {
		t.Fatal(err)
	}
	compareEffects(t, lines, works, rating.AdjustPeriods(lines, nil, works), added)
}

// compareEffects compares adjusted lines with what the reference model adds to them by adjustment and line, to the
// cent: in all, and by each adjustment.
func compareEffects(t *rapid.T, lines []rating.Line, works []rating.Work, adjusted []rating.Adjusted, added [][]*big.Rat) {
	for k, line := range adjusted {
		total, effects := rat(lines[k].Subtotal.String()), map[string]*big.Rat{}
		for i, amounts := range added {
			total.Add(total, amounts[k])
			if i < len(works) { // not what stays of adjustments that work on it no more
				id := works[i].ID
				effects[id] = sum(effects[id], amounts[k])
			}
		}
		if total.Cmp(rat(line.Subtotal.String())) != 0 {
			t.Fatalf("line %d of %+v is %s, by the reference model %s", k, lines, line.Subtotal, total.FloatString(4))
		}
		for _, a := range line.Applied {
			if effects[a.AdjustmentID] != nil {
				effects[a.AdjustmentID] = difference(effects[a.AdjustmentID], rat(a.Amount.String()))
			}
		}
		for id, off := range effects {
			if off.Sign() != 0 {
				t.Fatalf("%s does to line %d of %+v what is %s off the reference model: %+v", id, k, lines, off.FloatString(4), line.Applied)
			}
		}
	}
}

// written writes amounts of each adjustment.
func written(added [][]*big.Rat) (all []string) {
	for _, amounts := range added {
		line := ""
		for _, a := range amounts {
			line += " " + a.FloatString(2)
		}
		all = append(all, line[1:])
	}
	return all
}

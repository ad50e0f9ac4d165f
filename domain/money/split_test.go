package money_test

import (
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
)

var _ = Describe("Split", func() {
	DescribeTable("gives exact shares",
		func(total, weights string, places int, shares string) {
			Expect(joined(money.Split(money.Must(total), decimals(weights), places))).To(Equal(shares))
		},
		Entry("a discount over three lines", "50", "120 80 40", 2, "25 16.67 8.33"),
		Entry("a minimum over three lines", "125.83", "95 47.50 31.67", 2, "68.63 34.32 22.88"),
		Entry("the odd cent of an even split goes first", "25.01", "0 0", 2, "12.51 12.5"),
		Entry("the largest remainder comes before the earlier share", "1", "1 2", 0, "0 1"),
		Entry("a credit", "-50", "120 80 40", 2, "-25 -16.67 -8.33"),
		Entry("yen", "100", "1 1 1", 0, "34 33 33"),
		Entry("nothing for a line at or below 0", "10", "-5 0 1 1", 2, "0 0 5 5"),
		Entry("a total finer than the unit keeps its rest", "0.015", "1 1", 2, "0.015 0"),
		Entry("no weights, no shares", "10", "", 2, ""),
	)

	property("sums to the total, each share less than a unit from its fair part", func(t *rapid.T) {
		places := rapid.IntRange(0, 4).Draw(t, "places")
		total := money.Must(decimalText(t, "total")).Round(places)
		weights := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) money.Decimal {
			return money.Must(decimalText(t, "weight")).Abs()
		}), 1, 12).Draw(t, "weights")
		sum := new(big.Rat)
		for _, w := range weights {
			sum.Add(sum, rat(w.String()))
		}
		if sum.Sign() == 0 {
			t.Skip("an even split")
		}
		shares := money.Split(total, weights, places)
		if !money.Sum(shares...).Equal(total) {
			t.Fatalf("%v do not sum to %s", shares, total)
		}
		for i, share := range shares {
			fair := new(big.Rat).Mul(rat(total.String()), rat(weights[i].String()))
			off := fair.Quo(fair, sum).Sub(rat(share.String()), fair)
			if off.Abs(off).Cmp(rat(unit(places).String())) >= 0 || share.Places() > places {
				t.Fatalf("share %d of %s is %s", i, total, share)
			}
		}
	})
})

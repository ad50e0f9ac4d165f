package money_test

import (
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
)

var _ = Describe("rounding", func() {
	DescribeTable("goes half away from zero",
		func(in string, places int, out string) {
			Expect(money.Must(in).Round(places).StringFixed(places)).To(Equal(out))
		},
		Entry("a half goes up", "0.125", 2, "0.13"),
		Entry("just below a half goes down", "0.12499999999999999999", 2, "0.12"),
		Entry("a negative half goes down", "-0.125", 2, "-0.13"),
		Entry("a carry through all digits", "999.995", 2, "1000.00"),
		Entry("a carry into a new digit", "9.5", 0, "10"),
		Entry("a number that vanishes has no sign", "-0.004", 2, "0.00"),
		Entry("a short number gets zeros", "20", 2, "20.00"),
		Entry("yen have no places", "19.5", 0, "20"),
	)

	property("agrees with integer arithmetic, to the letter", func(t *rapid.T) {
		a, b := decimalText(t, "a"), decimalText(t, "b")
		places := rapid.IntRange(0, 25).Draw(t, "places")
		product := money.Must(a).Mul(money.Must(b))
		want := rounded(new(big.Rat).Mul(rat(a), rat(b)), places)
		if got := product.StringFixed(places); got != want {
			t.Fatalf("%s to %d places: %s, want %s", product, places, got, want)
		}
		if got := product.Round(places).String(); got != trimmed(want) {
			t.Fatalf("%s to %d places: %s, want %s", product, places, got, trimmed(want))
		}
	})

	property("is not changed by cutting finer digits first", func(t *rapid.T) {
		d := money.Must(decimalText(t, "a")).Mul(money.Must(decimalText(t, "b")))
		places := rapid.IntRange(0, 19).Draw(t, "places")
		if got, want := d.Trunc(money.Places).Round(places), d.Round(places); !got.Equal(want) {
			t.Fatalf("%s: %s after the cut, %s without", d, got, want)
		}
	})

	property("cuts towards zero and raises to whole numbers", func(t *rapid.T) {
		a := decimalText(t, "a")
		places := rapid.IntRange(0, 20).Draw(t, "places")
		d := money.Must(a)
		cut := d.Trunc(places)
		lost := d.Sub(cut)
		if cut.Places() > places || lost.Sign()*d.Sign() < 0 || lost.Abs().Round(20).Places() > 20 ||
			!lost.IsZero() && lost.Abs().Cmp(unit(places)) >= 0 {
			t.Fatalf("%s cut to %d places is %s", d, places, cut)
		}
		up := d.Ceil()
		if up.Places() != 0 || up.Cmp(d) < 0 || up.Sub(d).Cmp(money.FromInt(1)) >= 0 {
			t.Fatalf("%s raised is %s", d, up)
		}
	})

	It("drops the tail of a division, so that three thirds are 1", func() {
		third := money.FromInt(1).Quo(money.FromInt(3))
		Expect(third.WithoutTail().String()).To(Equal("0.33333333333333333333"))
		Expect(third.Add(third).Add(third).WithoutTail().String()).To(Equal("1"))
	})

	It("leaves an exact value on its side of the half", func() {
		below := money.Must("0.00499999999999999999").Mul(money.Must("1.00000000000000000001"))
		Expect(below.WithoutTail().Round(2).String()).To(Equal("0"))
	})
})

// unit is one in the last of so many places.
func unit(places int) money.Decimal {
	d := money.FromInt(1)
	for range places {
		d = d.Mul(money.Must("0.1"))
	}
	return d
}

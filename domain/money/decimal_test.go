package money_test

import (
	"encoding/json"
	"math"
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
)

var _ = Describe("Decimal", func() {
	It("is 0 by default", func() {
		var d money.Decimal
		Expect(d.String()).To(Equal("0"))
		Expect(d.IsZero()).To(BeTrue())
		Expect(d.Add(money.Must("1.5")).String()).To(Equal("1.5"))
		Expect(d.Mul(money.Must("1.5")).String()).To(Equal("0"))
		Expect(d.Neg().String()).To(Equal("0"))
		Expect(d.StringFixed(2)).To(Equal("0.00"))
	})

	DescribeTable("has one spelling for each number",
		func(in, out string) { Expect(money.Must(in).String()).To(Equal(out)) },
		Entry("no trailing zeros", "20.00", "20"),
		Entry("no leading zeros", "007.50", "7.5"),
		Entry("no negative zero", "-0.00", "0"),
		Entry("no exponent for a small number", "0.00000000000000000001", "0.00000000000000000001"),
		Entry("no exponent for a large number", "100000000000000000000000000000", "100000000000000000000000000000"),
		Entry("zeros before the point stay", "1200", "1200"),
	)

	property("calculates as fractions do, to the letter", func(t *rapid.T) {
		a, b := decimalText(t, "a"), decimalText(t, "b")
		x, y := money.Must(a), money.Must(b)
		if got, want := x.Add(y).String(), text(new(big.Rat).Add(rat(a), rat(b))); got != want {
			t.Fatalf("%s + %s = %s, want %s", a, b, got, want)
		}
		if got, want := x.Sub(y).String(), text(new(big.Rat).Sub(rat(a), rat(b))); got != want {
			t.Fatalf("%s - %s = %s, want %s", a, b, got, want)
		}
		if got, want := x.Mul(y).String(), text(new(big.Rat).Mul(rat(a), rat(b))); got != want {
			t.Fatalf("%s * %s = %s, want %s", a, b, got, want)
		}
		if got, want := x.Cmp(y), rat(a).Cmp(rat(b)); got != want {
			t.Fatalf("%s compared with %s: %d, want %d", a, b, got, want)
		}
		if got, want := x.Sign(), rat(a).Sign(); got != want {
			t.Fatalf("sign of %s: %d, want %d", a, got, want)
		}
		if got, want := x.Neg().Abs().String(), text(new(big.Rat).Abs(rat(a))); got != want {
			t.Fatalf("|-%s| = %s, want %s", a, got, want)
		}
		if money.Min(x, y).Cmp(money.Max(x, y)) > 0 || !money.Sum(x, y).Equal(money.Min(x, y).Add(money.Max(x, y))) {
			t.Fatalf("Min and Max of %s and %s", a, b)
		}
		if x.String() != text(rat(a)) || y.String() != text(rat(b)) {
			t.Fatalf("an operand changed: %s, %s", x, y)
		}
	})

	property("divides to 100 digits", func(t *rapid.T) {
		a, b := decimalText(t, "a"), decimalText(t, "b")
		if money.Must(b).IsZero() {
			t.Skip("no quotient")
		}
		got := rat(money.Must(a).Quo(money.Must(b)).String())
		want := new(big.Rat).Quo(rat(a), rat(b))
		off := new(big.Rat).Sub(got, want)
		bound := new(big.Rat).Mul(new(big.Rat).Abs(want), rat("1e-99"))
		if off.Abs(off).Cmp(bound) > 0 {
			t.Fatalf("%s / %s = %s", a, b, got)
		}
	})

	It("counts beyond a machine word as within", func() {
		least := money.Must("-9223372036854775807").Sub(money.FromInt(1))
		Expect(least.Neg().String()).To(Equal("9223372036854775808"))
		Expect(least.Abs().String()).To(Equal("9223372036854775808"))
		Expect(least.Equal(money.FromInt(math.MinInt64))).To(BeTrue())
		Expect(least.Mul(money.FromInt(-1)).String()).To(Equal("9223372036854775808"))
		Expect(least.String()).To(Equal("-9223372036854775808"))
	})

	It("refuses to divide by zero", func() {
		Expect(func() { money.Must("1").Quo(money.Decimal{}) }).To(Panic())
	})

	It("multiplies the longest event number by the longest rate without loss", func() {
		n, err := money.ParseNumber("12345678901234567890123456789012345678e-60")
		Expect(err).NotTo(HaveOccurred())
		rate := money.Must("999999999999999999999999999999.99999999999999999999")
		Expect(n.Mul(rate).String()).To(Equal(text(new(big.Rat).Mul(
			rat("12345678901234567890123456789012345678e-60"),
			rat("999999999999999999999999999999.99999999999999999999")))))
	})

	property("comes back from text, JSON and the database as it went", func(t *rapid.T) {
		d := money.Must(decimalText(t, "d")).Mul(money.Must(decimalText(t, "by")))
		var back money.Decimal
		if err := back.UnmarshalText([]byte(d.String())); err != nil || back.String() != d.String() {
			t.Fatalf("text: %s to %s, %v", d, back, err)
		}
		wire, err := json.Marshal(d)
		if err != nil || string(wire) != `"`+d.String()+`"` {
			t.Fatalf("JSON: %s to %s, %v", d, wire, err)
		}
		value, err := d.Value()
		if err != nil {
			t.Fatal(err)
		}
		back = money.Decimal{}
		if err := back.Scan(value); err != nil || back.String() != d.String() {
			t.Fatalf("database: %s to %s, %v", d, back, err)
		}
	})

	DescribeTable("reads what a database driver gives",
		func(src any, want string) {
			var d money.Decimal
			Expect(d.Scan(src)).To(Succeed())
			Expect(d.String()).To(Equal(want))
		},
		Entry("a numeric with its scale", "12.5000", "12.5"),
		Entry("bytes", []byte("-3"), "-3"),
		Entry("an integer", int64(42), "42"),
	)

	DescribeTable("refuses from a database what is no finite number of at most 100 digits",
		func(src any) {
			var d money.Decimal
			Expect(d.Scan(src)).NotTo(Succeed())
		},
		Entry("null", nil),
		Entry("NaN", "NaN"),
		Entry("a float", 1.5),
		Entry("101 digits", "1"+rounded(rat("0"), 99)[1:]+"1"),
	)
})

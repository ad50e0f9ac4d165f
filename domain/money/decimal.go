package money

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/ericlagergren/decimal"
)

// Decimal is an exact decimal number. It never changes; its zero value is 0.
// Equal numbers may differ inside, so compare with Cmp or Equal, never with ==.
type Decimal struct {
	small              // the number, where b is nil
	b     *decimal.Big // a number that is not small; never written to after construction
}

// digits is the number of significant digits that results carry.
const digits = 100

var exact = decimal.Context{
	Precision:     digits,
	RoundingMode:  decimal.ToNearestEven,
	OperatingMode: decimal.GDA,
}

// done freezes a result of the library.
func done(b *decimal.Big) Decimal {
	if !b.IsFinite() {
		panic(fmt.Sprintf("money: result is %v", b))
	}
	if n, compact := b.Mantissa(); compact && n <= math.MaxInt64 {
		if s, ok := toSmall(int64(n)*int64(b.Sign()), b.Scale()); ok {
			return Decimal{small: s}
		}
	}
	return Decimal{b: b}
}

// big is d for the library, which must not write to it.
func (d Decimal) big() *decimal.Big {
	if d.b == nil {
		return new(decimal.Big).SetMantScale(d.n, d.places)
	}
	return d.b
}

// scale is the number of digits after the point as d is held, trailing zeros counted.
func (d Decimal) scale() int {
	if d.b == nil {
		return d.places
	}
	return d.b.Scale()
}

// bothSmall reports whether d and e can be counted with in machine words.
func bothSmall(d, e Decimal) bool { return d.b == nil && e.b == nil }

// FromInt returns n.
func FromInt(n int64) Decimal {
	return done(new(decimal.Big).SetMantScale(n, 0))
}

func (d Decimal) Add(e Decimal) Decimal {
	if bothSmall(d, e) {
		if sum, ok := d.add(e.small); ok {
			return Decimal{small: sum}
		}
	}
	return done(exact.Add(new(decimal.Big), d.big(), e.big()))
}

func (d Decimal) Sub(e Decimal) Decimal {
	if bothSmall(d, e) {
		if rest, ok := d.add(e.neg()); ok {
			return Decimal{small: rest}
		}
	}
	return done(exact.Sub(new(decimal.Big), d.big(), e.big()))
}

func (d Decimal) Mul(e Decimal) Decimal {
	if bothSmall(d, e) {
		if product, ok := d.mul(e.small); ok {
			return Decimal{small: product}
		}
	}
	return done(exact.Mul(new(decimal.Big), d.big(), e.big()))
}

// Quo returns d/e to 100 significant digits. It panics when e is 0.
func (d Decimal) Quo(e Decimal) Decimal {
	if e.IsZero() {
		panic("money: division by zero")
	}
	if bothSmall(d, e) {
		if quotient, ok := d.quo(e.small); ok {
			return Decimal{small: quotient}
		}
	}
	return done(exact.Quo(new(decimal.Big), d.big(), e.big()))
}

func (d Decimal) Neg() Decimal {
	if d.b == nil {
		return Decimal{small: d.neg()}
	}
	return done(new(decimal.Big).CopyNeg(d.big()))
}

func (d Decimal) Abs() Decimal {
	if d.Sign() < 0 {
		return d.Neg()
	}
	return d
}

// Cmp returns -1, 0 or +1 as d is below, equal to or above e.
func (d Decimal) Cmp(e Decimal) int {
	if bothSmall(d, e) {
		if order, ok := d.cmp(e.small); ok {
			return order
		}
	}
	return d.big().Cmp(e.big())
}

func (d Decimal) Equal(e Decimal) bool { return d.Cmp(e) == 0 }

// Sign returns -1, 0 or +1.
func (d Decimal) Sign() int {
	if d.b == nil {
		return cmp.Compare(d.n, 0)
	}
	return d.b.Sign()
}

func (d Decimal) IsZero() bool { return d.Sign() == 0 }

// Places is the number of digits after the point, trailing zeros not counted.
func (d Decimal) Places() int {
	_, fraction, _ := strings.Cut(d.String(), ".")
	return len(fraction)
}

// String returns the shortest plain text: no exponent, no plus sign, no trailing
// zeros, "0" for zero. It is also a JSON number.
func (d Decimal) String() string {
	if d.b == nil {
		return d.small.String()
	}
	places := max(d.scale(), 0)
	text := fmt.Sprintf("%.*f", places, d.b)
	if places > 0 {
		text = strings.TrimRight(text, "0")
		text = strings.TrimSuffix(text, ".")
	}
	return text
}

// StringFixed rounds like Round and writes exactly that many places: "20.00".
func (d Decimal) StringFixed(places int) string {
	text := d.Round(places).String()
	if places <= 0 {
		return text
	}
	whole, fraction, _ := strings.Cut(text, ".")
	return whole + "." + fraction + strings.Repeat("0", places-len(fraction))
}

// rat returns d as a fraction, for work that must not round at all.
func (d Decimal) rat() *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic("money: unreadable " + d.String())
	}
	return r
}

// Min returns the smaller of a and b.
func Min(a, b Decimal) Decimal {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

// Max returns the larger of a and b.
func Max(a, b Decimal) Decimal {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

// Sum adds all of ds; the sum of none is 0.
func Sum(ds ...Decimal) Decimal {
	var sum Decimal
	for _, d := range ds {
		sum = sum.Add(d)
	}
	return sum
}

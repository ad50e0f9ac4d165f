package money

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ericlagergren/decimal"
)

// Decimal is an exact decimal number. It never changes; its zero value is 0.
// Equal numbers may differ inside, so compare with Cmp or Equal, never with ==.
type Decimal struct {
	b *decimal.Big // nil for every zero; never written to after construction
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
	if b.Sign() == 0 {
		return Decimal{}
	}
	return Decimal{b}
}

var zero = new(decimal.Big)

func (d Decimal) big() *decimal.Big {
	if d.b == nil {
		return zero
	}
	return d.b
}

// FromInt returns n.
func FromInt(n int64) Decimal {
	return done(new(decimal.Big).SetMantScale(n, 0))
}

func (d Decimal) Add(e Decimal) Decimal {
	return done(exact.Add(new(decimal.Big), d.big(), e.big()))
}

func (d Decimal) Sub(e Decimal) Decimal {
	return done(exact.Sub(new(decimal.Big), d.big(), e.big()))
}

func (d Decimal) Mul(e Decimal) Decimal {
	return done(exact.Mul(new(decimal.Big), d.big(), e.big()))
}

// Quo returns d/e to 100 significant digits. It panics when e is 0.
func (d Decimal) Quo(e Decimal) Decimal {
	if e.IsZero() {
		panic("money: division by zero")
	}
	return done(exact.Quo(new(decimal.Big), d.big(), e.big()))
}

func (d Decimal) Neg() Decimal {
	return done(new(decimal.Big).CopyNeg(d.big()))
}

func (d Decimal) Abs() Decimal {
	return done(new(decimal.Big).CopyAbs(d.big()))
}

// Cmp returns -1, 0 or +1 as d is below, equal to or above e.
func (d Decimal) Cmp(e Decimal) int { return d.big().Cmp(e.big()) }

func (d Decimal) Equal(e Decimal) bool { return d.Cmp(e) == 0 }

// Sign returns -1, 0 or +1.
func (d Decimal) Sign() int { return d.big().Sign() }

func (d Decimal) IsZero() bool { return d.b == nil }

// Places is the number of digits after the point, trailing zeros not counted.
func (d Decimal) Places() int {
	_, fraction, _ := strings.Cut(d.String(), ".")
	return len(fraction)
}

// String returns the shortest plain text: no exponent, no plus sign, no trailing
// zeros, "0" for zero. It is also a JSON number.
func (d Decimal) String() string {
	if d.b == nil {
		return "0"
	}
	places := max(d.b.Scale(), 0)
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

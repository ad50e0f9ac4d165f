package reference

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// decimal is a number of a configuration: a decimal string or a JSON number.
type decimal struct{ *big.Rat }

// UnmarshalJSON reads "12.5" and 12.5.
func (d *decimal) UnmarshalJSON(data []byte) error {
	var text string
	if len(data) == 0 || data[0] != '"' {
		text = string(data)
	} else if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	r, err := ParseNumber(text)
	if err != nil {
		return err
	}
	d.Rat = r
	return nil
}

// or0 is the number, or 0 where none is given.
func (d *decimal) or0() *big.Rat {
	if d == nil || d.Rat == nil {
		return new(big.Rat)
	}
	return d.Rat
}

var numberForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,5})?$`)

// ParseNumber reads a JSON number or a decimal string.
func ParseNumber(text string) (*big.Rat, error) {
	if !numberForm.MatchString(text) {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return r, nil
}

// Round rounds to a number of places after the point, half away from zero
// (price models 1.5.2).
func Round(r *big.Rat, places int) *big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	scaled := times(r, scale)
	half := big.NewRat(1, 2)
	if scaled.Sign() < 0 {
		half = big.NewRat(-1, 2)
	}
	return over(new(big.Rat).SetInt(cut(plus(scaled, half))), scale)
}

// Split splits a rounded amount in proportion to weights of which none is negative. Every
// share is cut down to the places; what is left over goes by one smallest unit each to the
// shares with the largest remainder, ties to the earlier one (price models 1.5.5). Weights
// that are all 0 share evenly. The shares add up to the amount.
func Split(amount *big.Rat, weights []*big.Rat, places int) []*big.Rat {
	total := sum(weights...)
	if total.Sign() == 0 {
		weights = make([]*big.Rat, len(weights))
		for k := range weights {
			weights[k] = big.NewRat(1, 1)
		}
		total = big.NewRat(int64(len(weights)), 1)
	}
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	sign := big.NewRat(int64(amount.Sign()), 1)
	left := new(big.Rat).Abs(amount)
	shares := make([]*big.Rat, len(weights))
	remainders := make([]*big.Rat, len(weights))
	for k, w := range weights {
		exact := times(new(big.Rat).Abs(amount), over(w, total))
		shares[k] = times(new(big.Rat).SetInt(cut(over(exact, unit))), unit)
		remainders[k] = minus(exact, shares[k])
	}
	left = minus(left, sum(shares...))
	for left.Sign() > 0 {
		best := -1
		for k := range shares {
			if weights[k].Sign() > 0 && (best < 0 || remainders[k].Cmp(remainders[best]) > 0) {
				best = k
			}
		}
		step := least(unit, left)
		shares[best] = plus(shares[best], step)
		remainders[best] = minus(remainders[best], unit)
		left = minus(left, step)
	}
	for k := range shares {
		shares[k] = times(shares[k], sign)
	}
	return shares
}

// The arithmetic of big.Rat, with results instead of receivers.

func plus(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }

func sum(all ...*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, r := range all {
		total.Add(total, r)
	}
	return total
}

func least(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}

func greatest(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

// positive is the number, and 0 for one below 0.
func positive(r *big.Rat) *big.Rat { return greatest(r, new(big.Rat)) }

// cut drops the part after the point, towards 0.
func cut(r *big.Rat) *big.Int { return new(big.Int).Quo(r.Num(), r.Denom()) }

// floor is the largest whole number that is not above r.
func floor(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) // Euclidean, the divisor is positive
}

// ceil is the smallest whole number that is not below r.
func ceil(r *big.Rat) *big.Rat {
	return new(big.Rat).Neg(floor(new(big.Rat).Neg(r)))
}

// packaged is a quantity rounded up to whole packages, in units.
func packaged(q, size *big.Rat) *big.Rat { return times(ceil(over(q, size)), size) }

// sendable reports whether an event may carry the number: at most 38 significant digits and
// 60 places, below 1e30 in size (semantics 2.1.8).
func sendable(r *big.Rat) bool {
	ten := big.NewInt(10)
	scaled := times(r, new(big.Rat).SetInt(new(big.Int).Exp(ten, big.NewInt(60), nil)))
	if !scaled.IsInt() {
		return false
	}
	digits := strings.TrimLeft(scaled.Num().String(), "-")
	return len(digits) <= 90 && len(strings.TrimRight(digits, "0")) <= 38
}

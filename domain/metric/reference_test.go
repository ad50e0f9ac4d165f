package metric_test

import (
	"math/big"
	"strings"
)

// A second reading of semantics 4.2 and 4.4, to hold the compiled SQL against:
// values are worked out in Go, with fractions.

// value is nil for NULL, else a *big.Rat, a string or a bool.
type value any

// truth is nil for unknown.
type truth *bool

func known(b bool) truth { return &b }

// row is an event's properties.
type row map[string]value

// term is a value of the language: its text, and what it gives for a row, in
// a numeric context or out of it.
type term struct {
	text string
	of   func(r row, numeric bool) value
}

// proposition is a condition of the language.
type proposition struct {
	text string
	of   func(r row) truth
}

func numeric(v value) *big.Rat {
	n, _ := v.(*big.Rat)
	return n
}

func plain(v value, inNumbers bool) value {
	if n := numeric(v); inNumbers && n == nil {
		return nil
	}
	return v
}

// compare orders values of one type, and is unknown for others.
func compare(a, b value) (order int, ok bool) {
	switch a := a.(type) {
	case *big.Rat:
		if b, same := b.(*big.Rat); same {
			return a.Cmp(b), true
		}
	case string:
		if b, same := b.(string); same {
			return strings.Compare(a, b), true
		}
	case bool:
		if b, same := b.(bool); same {
			return map[bool]int{true: 1}[a] - map[bool]int{true: 1}[b], true
		}
	}
	return 0, false
}

func holds(operator string, a, b value) truth {
	order, ok := compare(a, b)
	if !ok {
		return nil
	}
	return known(map[string]bool{
		"=": order == 0, "==": order == 0, "<>": order != 0, "!=": order != 0,
		"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0,
	}[operator])
}

func negated(t truth) truth {
	if t == nil {
		return nil
	}
	return known(!*t)
}

// all is AND; with the operands and the result negated it is OR.
func all(truths ...truth) truth {
	result := known(true)
	for _, t := range truths {
		switch {
		case t != nil && !*t:
			return t
		case t == nil:
			result = nil
		}
	}
	return result
}

func some(truths ...truth) truth {
	var opposites []truth
	for _, t := range truths {
		opposites = append(opposites, negated(t))
	}
	return negated(all(opposites...))
}

func calculate(operator string, a, b *big.Rat) value {
	if a == nil || b == nil {
		return nil
	}
	switch operator {
	case "+":
		return new(big.Rat).Add(a, b)
	case "-":
		return new(big.Rat).Sub(a, b)
	case "*":
		return new(big.Rat).Mul(a, b)
	}
	if b.Sign() == 0 {
		return nil
	}
	quotient := new(big.Rat).Quo(a, b)
	if operator == "/" {
		return rounded(quotient, 40)
	}
	whole := new(big.Int).Quo(quotient.Num(), quotient.Denom()) // towards zero
	return new(big.Rat).Sub(a, new(big.Rat).Mul(b, new(big.Rat).SetInt(whole)))
}

// rounded keeps so many places, half away from zero.
func rounded(n *big.Rat, places int) *big.Rat {
	text := n.FloatString(places) // rounds half away from zero
	result, _ := new(big.Rat).SetString(text)
	return result
}

// floor is the highest whole number not above n.
func floor(n *big.Rat) *big.Rat {
	whole := new(big.Int).Div(n.Num(), n.Denom()) // Euclid's: the denominator is positive
	return new(big.Rat).SetInt(whole)
}

// shortest is a number as CAST to VARCHAR prints it.
func shortest(n *big.Rat) string {
	text := n.FloatString(200)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// extreme is GREATEST for sign 1 and LEAST for -1.
func extreme(sign int, values []value) (found value) {
	for _, v := range values {
		if v == nil {
			continue
		}
		if found == nil {
			found = v
		}
		order, ok := compare(v, found)
		if !ok {
			return nil
		}
		if order*sign > 0 {
			found = v
		}
	}
	return found
}

// quantity is a value as an aggregate over numbers takes it.
func quantity(v value, computed bool) *big.Rat {
	n := numeric(v)
	if n == nil || !computed {
		return n
	}
	limit, _ := new(big.Rat).SetString("1e30")
	if new(big.Rat).Abs(n).Cmp(limit) >= 0 {
		return nil
	}
	return rounded(n, 60)
}

package metric

import (
	"cmp"
	"strconv"
	"strings"
)

// Limits of a text and of its tree. They keep a statement's cost to the
// database bounded, and far from the depth of PostgreSQL's stack.
const (
	maxLength    = 10_000 // bytes of the text
	maxNesting   = 50     // brackets, CASE, NOT and signs within each other
	maxHeight    = 150    // operators above a value, also in a row: a + b + …
	maxSize      = 5_000  // nodes, as compiled
	maxList      = 1_000  // literals of an IN
	maxPattern   = 1_000  // bytes of a LIKE's, which may be tried at each place of a string
	maxTotals    = 100    // aggregates of a SELECT
	maxOperands  = 100    // of a function; branches of a CASE
	maxColumns   = 100    // of a sub-query, and of a GROUP BY
	maxStages    = 10     // sub-queries within each other, and the metric itself
	maxMagnitude = 2_000  // digits of a value before and after the point
)

// digits bounds the numbers that a node can give: how many before the point,
// how many after it.
type digits struct{ whole, places int }

var eventDigits = digits{30, 60} // semantics 2.1.8

func (d digits) or(e digits) digits {
	return digits{max(d.whole, e.whole), max(d.places, e.places)}
}

// by bounds the result of an operator on numbers of d and e digits.
func (d digits) by(operator string, e digits) digits {
	switch operator {
	case "*":
		return digits{d.whole + e.whole, d.places + e.places}
	case "/":
		return digits{d.whole + e.places + 1, QuotientPlaces}
	case "%":
		return d.or(e)
	default:
		either := d.or(e)
		return digits{either.whole + 1, either.places}
	}
}

// total bounds what an aggregate gives. Its operands obey the bounds of an event's
// number, unless it picks one as it is, and no table has 1e19 rows.
func (a *aggregate) total() digits {
	switch a.kind {
	case kindCount, kindDistinct:
		return digits{19, 0}
	case kindSum:
		return digits{eventDigits.whole + 19, eventDigits.places}
	case kindAvg:
		return digits{eventDigits.whole + 1, QuotientPlaces}
	case kindPercentile:
		return digits{eventDigits.whole + 1, eventDigits.places + a.fraction.digits.places}
	case kindLatest, kindEarliest:
		return numberDigits(a.operand).or(eventDigits)
	default:
		return eventDigits
	}
}

// QuotientPlaces is how many digits after the point a division gives (semantics 4.2.4).
const QuotientPlaces = 40

// grow gathers the facts of a node from its children.
func grow(at place, t typ, children ...node) facts {
	f := facts{at: at, typ: t, size: 1}
	for _, child := range children {
		c := child.about()
		f.size += c.size
		f.height = max(f.height, c.height+1)
		f.digits = f.digits.or(c.digits)
		f.aggregate, f.loose = cmp.Or(f.aggregate, c.aggregate), cmp.Or(f.loose, c.loose)
	}
	if f.size > maxSize || f.height > maxHeight {
		at.fail("is too complex: simplify the expression")
	}
	return f
}

// growName is grow for a name: a leaf whose value is another in each row.
func growName(at place, t typ, d digits) facts {
	f := grow(at, t)
	f.digits, f.loose = d, &at
	return f
}

// growCondition is grow for a node that is true, false or unknown.
func growCondition(at place, children ...node) facts {
	f := grow(at, typBoolean, children...)
	f.condition = true
	return f
}

// growNumber is grow for a number of d digits.
func growNumber(at place, d digits, children ...node) facts {
	f := grow(at, typNumber, children...)
	if f.digits = d; d.whole > maxMagnitude || d.places > maxMagnitude {
		at.fail("could give numbers of too many digits")
	}
	return f
}

// plainNumber holds a number of the text to the bounds of an event's, and gives
// it as its significant digits and a power of ten.
func plainNumber(at place, text string) (string, digits) {
	const significant = 38
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	figures := strings.TrimRight(all, "0")
	if figures == "" {
		return "0", digits{}
	}
	exponent, err := 0, error(nil)
	if power != "" {
		exponent, err = strconv.Atoi(power)
	}
	exponent += len(all) - len(figures) - len(fraction)
	d := digits{max(len(figures)+exponent, 0), max(-exponent, 0)}
	if err != nil || len(figures) > significant || d.whole > eventDigits.whole || d.places > eventDigits.places {
		at.fail("this number has too many digits")
	}
	return figures + "e" + strconv.Itoa(exponent), d
}

package money

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/ericlagergren/decimal"
)

var (
	errDecimal = errors.New("must be a decimal string with up to 30 digits before and 20 after the point")
	errNumber  = errors.New("must be a number below 1e30 with up to 38 significant digits and 60 decimal places")
	errPlain   = errors.New("must be a plain decimal with up to 100 significant digits")
)

var (
	wireDecimal = regexp.MustCompile(`^-?[0-9]{1,30}(\.[0-9]{1,20})?$`)
	plain       = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	jsonNumber  = regexp.MustCompile(`^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)
)

// Parse reads a decimal string of the wire: an optional minus sign, 1 to 30
// digits, and at most a point with 1 to 20 digits (semantics 0.3.3). Its errors,
// like those of ParseNumber, can be shown as the reason of a fault.
func Parse(s string) (Decimal, error) {
	if short, ok := parseSmall(s); ok {
		return Decimal{small: short}, nil
	}
	if len(s) > 52 || !wireDecimal.MatchString(s) {
		return Decimal{}, errDecimal
	}
	return read(s), nil
}

// Must is Parse for texts written in the program; it panics on any other.
func Must(s string) Decimal {
	d, err := Parse(s)
	if err != nil {
		panic("money: " + s + " " + err.Error())
	}
	return d
}

// Bounds of a JSON number (semantics 2.1.8), after its exponent is resolved.
const (
	numberDigits = 38 // significant
	numberWhole  = 30 // before the point
	numberPlaces = 60 // after the point
)

// ParseNumber reads the text of a JSON number, exponent or not: at most 38
// significant digits, below 1e30 in size, at most 60 places. The exponent is
// weighed before anything is expanded, so 1e400000 costs nothing.
func ParseNumber(s string) (Decimal, error) {
	if short, ok := parseSmall(s); ok {
		return Decimal{small: short}, nil
	}
	m := jsonNumber.FindStringSubmatch(s)
	if m == nil {
		return Decimal{}, errNumber
	}
	sign, whole, fraction, exponent := m[1], m[2], m[3], m[4]
	mantissa := strings.TrimLeft(whole+fraction, "0")
	if mantissa == "" {
		return Decimal{}, nil
	}
	shift := 0
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil { // more digits than an int holds
			return Decimal{}, errNumber
		}
		shift = n
	}
	// The value is significant * 10^scale, significant ending in another digit than 0.
	significant := strings.TrimRight(mantissa, "0")
	if len(significant) > numberDigits {
		return Decimal{}, errNumber
	}
	const far = 1 << 40 // keeps the sum below from overflowing
	if shift > far || shift < -far {
		return Decimal{}, errNumber
	}
	scale := shift - len(fraction) + len(mantissa) - len(significant)
	if len(significant)+scale > numberWhole || -scale > numberPlaces {
		return Decimal{}, errNumber
	}
	return read(sign + significant + "e" + strconv.Itoa(scale)), nil
}

// parsePlain reads what String writes, and what PostgreSQL writes for a numeric.
func parsePlain(s string) (Decimal, error) {
	if short, ok := parseSmall(s); ok {
		return Decimal{small: short}, nil
	}
	if !plain.MatchString(s) {
		return Decimal{}, errPlain
	}
	significant := strings.Trim(strings.Replace(strings.TrimPrefix(s, "-"), ".", "", 1), "0")
	if len(significant) > digits {
		return Decimal{}, errPlain
	}
	if strings.Contains(s, ".") {
		s = strings.TrimRight(s, "0")
	}
	return read(s), nil
}

// read converts a text that a grammar above has accepted.
func read(s string) Decimal {
	b, ok := exact.SetString(new(decimal.Big), s)
	if !ok {
		panic("money: unreadable " + s)
	}
	return done(b)
}

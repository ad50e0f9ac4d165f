package reference

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"
)

// bounded keeps a computed number within the bounds of an event's: NULL from 1e30 on,
// rounded to 60 places.
func bounded(v any) any {
	r, ok := v.(*big.Rat)
	if !ok {
		return v
	}
	limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))
	if new(big.Rat).Abs(r).Cmp(limit) >= 0 {
		return nil
	}
	return Round(r, 60)
}

// typed is a text that is the same for the same value of one type, NULL being one with NULL.
// No value holds U+0000.
func typed(v any) string {
	if r, ok := v.(*big.Rat); ok {
		return r.RatString()
	}
	text, _ := textOf(v)
	return fmt.Sprintf("%T %s", v, text)
}

// plain is a value outside comparisons with times: the column timestamp is a string there.
func plain(v any) any {
	if t, ok := v.(time.Time); ok {
		text, _ := textOf(t)
		return text
	}
	return v
}

// arithmetic is exact; a division has 40 digits after the point, and by 0 is NULL
// (semantics 4.2.4).
func arithmetic(operator string, a, b *big.Rat) any {
	switch operator {
	case "+":
		return plus(a, b)
	case "-":
		return minus(a, b)
	case "*":
		return times(a, b)
	}
	if b.Sign() == 0 {
		return nil
	}
	if operator == "/" {
		return Round(over(a, b), 40)
	}
	return minus(a, times(b, new(big.Rat).SetInt(cut(over(a, b))))) // the sign of a
}

func negated(v any, not bool) any {
	if b, ok := v.(bool); ok {
		return b != not
	}
	return nil
}

// compared compares two values: unknown, nil, for NULL and for different types.
func compared(operator string, a, b any) any {
	c, ok := order(a, b)
	if !ok {
		return nil
	}
	switch operator {
	case "=":
		return c == 0
	case "<>":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	default:
		return c >= 0
	}
}

// order compares two values of one type: strings by code point, false before true, times
// with ISO strings.
func order(a, b any) (int, bool) {
	t, isTime := a.(time.Time)
	u, alsoTime := b.(time.Time)
	switch {
	case isTime && alsoTime:
		return t.Compare(u), true
	case isTime:
		text, _ := b.(string) // "" is no time
		u, ok := isoTime(text)
		return t.Compare(u), ok
	case alsoTime:
		c, ok := order(b, a)
		return -c, ok
	}
	switch a := a.(type) {
	case *big.Rat:
		if b, ok := b.(*big.Rat); ok {
			return a.Cmp(b), true
		}
	case string:
		if b, ok := b.(string); ok {
			return strings.Compare(a, b), true
		}
	case bool:
		if b, ok := b.(bool); ok {
			switch {
			case a == b:
				return 0, true
			case b:
				return -1, true
			}
			return 1, true
		}
	}
	return 0, false
}

// isoTime reads a date-time; no offset is UTC, a date alone is its midnight, digits beyond
// the microsecond are cut.
func isoTime(text string) (time.Time, bool) {
	for _, form := range []string{
		"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
		"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05",
	} {
		if t, err := time.Parse(form, text); err == nil {
			return t.Truncate(time.Microsecond), true
		}
	}
	return time.Time{}, false
}

// like is a pattern of LIKE as a regular expression.
func like(pattern string) *regexp.Regexp {
	form := strings.Builder{}
	form.WriteString(`(?s)^`)
	escaped := false
	for _, c := range pattern {
		switch {
		case escaped:
			form.WriteString(regexp.QuoteMeta(string(c)))
			escaped = false
		case c == '\\':
			escaped = true
		case c == '%':
			form.WriteString(`.*`)
		case c == '_':
			form.WriteString(`.`)
		default:
			form.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	form.WriteString(`$`)
	return regexp.MustCompile(form.String())
}

package money

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// small is a number that fits into a machine word: n / 10^places. Most numbers of a
// bill do, and are counted with here, without the library and without allocation.
// Each operation says whether its exact result is small again; if not, the library
// takes over.
type small struct {
	n      int64 // above the least, so that its negative fits too
	places int   // 0 to 18, and 0 for zero
}

// tens are the powers of ten that fit.
var tens = func() (tens [19]int64) {
	tens[0] = 1
	for i := 1; i < len(tens); i++ {
		tens[i] = tens[i-1] * 10
	}
	return tens
}()

// toSmall returns n / 10^places if it fits; trailing zeros stay, or take their place
// before the point where places is negative.
func toSmall(n int64, places int) (small, bool) {
	if n == 0 {
		return small{}, true
	}
	if places >= len(tens) || places <= -len(tens) || n == math.MinInt64 {
		return small{}, false
	}
	if places < 0 {
		n, ok := times(n, tens[-places])
		return small{n, 0}, ok
	}
	return small{n, places}, true
}

// times is a * b, if that fits.
func times(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	if high != 0 || low > math.MaxInt64 {
		return 0, false
	}
	return a * b, true
}

// magnitude is the distance of n from 0.
func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// aligned gives a and b the same places, if they can have them.
func aligned(a, b small) (small, small, bool) {
	ok := true
	switch {
	case a.places < b.places:
		a.n, ok = times(a.n, tens[b.places-a.places])
		a.places = b.places
	case a.places > b.places:
		b.n, ok = times(b.n, tens[a.places-b.places])
		b.places = a.places
	}
	return a, b, ok
}

// parseSmall reads a text of at most 18 characters that all grammars of this package
// have in common, -?(0|[1-9][0-9]*)(\.[0-9]+)?, faster than their expressions do.
func parseSmall(text string) (small, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if len(digits) == 0 || len(digits) >= len(tens) {
		return small{}, false
	}
	n, point := int64(0), len(digits)
	for i, c := range []byte(digits) {
		switch {
		case '0' <= c && c <= '9' && (i != 1 || digits[0] != '0'):
			n = n*10 + int64(c-'0')
		case c == '.' && 0 < i && i < len(digits)-1 && point == len(digits):
			point = i
		default:
			return small{}, false
		}
	}
	if negative {
		n = -n
	}
	return toSmall(n, max(len(digits)-1-point, 0))
}

func (s small) add(t small) (small, bool) {
	s, t, ok := aligned(s, t)
	n := s.n + t.n
	if !ok || (s.n^n)&(t.n^n) < 0 { // both operands have another sign than the sum
		return small{}, false
	}
	return toSmall(n, s.places)
}

func (s small) neg() small { return small{-s.n, s.places} }

func (s small) mul(t small) (small, bool) {
	n, ok := times(s.n, t.n)
	if !ok {
		return small{}, false
	}
	return toSmall(n, s.places+t.places)
}

// quo is only for a t that is not 0 and divides s without a rest.
func (s small) quo(t small) (small, bool) {
	if s.n%t.n != 0 {
		return small{}, false
	}
	return toSmall(s.n/t.n, s.places-t.places)
}

func (s small) cmp(t small) (int, bool) {
	s, t, ok := aligned(s, t)
	return cmp.Compare(s.n, t.n), ok
}

func (s small) String() string {
	n, places := s.n, s.places
	for places > 0 && n%10 == 0 {
		n, places = n/10, places-1
	}
	text := strconv.FormatUint(magnitude(n), 10)
	if places > 0 {
		if len(text) <= places {
			text = strings.Repeat("0", places+1-len(text)) + text
		}
		text = text[:len(text)-places] + "." + text[len(text)-places:]
	}
	if n < 0 {
		return "-" + text
	}
	return text
}

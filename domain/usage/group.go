package usage

import (
	"cmp"
	"slices"
	"strings"
)

// MostGroups is how many groups a request may have at most (gaps H4).
const MostGroups = 1000

// compareGroups orders groups by their values, which are JSON: strings by code point,
// then numbers by size, then booleans.
func compareGroups(a, b []string) int { return slices.CompareFunc(a, b, compareScalars) }

func compareScalars(a, b string) int {
	if byType := cmp.Compare(rank(a), rank(b)); byType != 0 || rank(a) != rankNumber {
		return cmp.Or(byType, strings.Compare(a, b))
	}
	left, negative := strings.CutPrefix(a, "-")
	right, other := strings.CutPrefix(b, "-")
	switch {
	case negative && other:
		return compareDigits(right, left)
	case negative:
		return -1
	case other:
		return +1
	}
	return compareDigits(left, right)
}

// Types of JSON values, in their order.
const (
	rankString = iota
	rankNumber
	rankBoolean
)

func rank(scalar string) int {
	switch scalar[0] {
	case '"':
		return rankString
	case 't', 'f':
		return rankBoolean
	default:
		return rankNumber
	}
}

// compareDigits compares numbers that are written alike: without sign, exponent or
// zeros that say nothing, and of any length.
func compareDigits(a, b string) int {
	whole, _, _ := strings.Cut(a, ".")
	other, _, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(len(whole), len(other)), strings.Compare(a, b))
}

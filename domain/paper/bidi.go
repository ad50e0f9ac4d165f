package paper

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

func isRightToLeft(r rune) bool {
	properties, _ := bidi.LookupRune(r)
	return properties.Class() == bidi.R || properties.Class() == bidi.AL
}

// visual puts a line with letters that run from right to left into the order from left to right, by the Unicode
// Bidirectional Algorithm. The characters that control directions were left out before, and pairs of brackets are not
// looked for (rule N0). The library has the classes of characters; its order of runs is the logical one, whatever their
// levels.
func visual(line string) string {
	runes := []rune(line)
	levels := levelsOf(runes)
	// L2: from the highest level down to 1, reverse what is at that level or above.
	for level := slices.Max(levels); level > 0; level-- {
		for from := 0; from < len(runes); from++ {
			to := from
			for to < len(runes) && levels[to] >= level {
				to++
			}
			slices.Reverse(runes[from:to])
			slices.Reverse(levels[from:to])
			from = to
		}
	}
	for k, r := range runes {
		if levels[k]%2 == 1 {
			runes[k] = []rune(bidi.ReverseString(string(r)))[0] // L4: brackets open to the other side
		}
	}
	// L3: a mark stays behind the letter that it is on.
	for k := 0; k < len(runes); k++ {
		marks := k
		for marks < len(runes) && levels[marks]%2 == 1 && unicode.Is(unicode.Mn, runes[marks]) {
			marks++
		}
		if marks > k && marks < len(runes) {
			letter := runes[marks]
			copy(runes[k+1:marks+1], runes[k:marks])
			runes[k] = letter
			k = marks
		}
	}
	return string(runes)
}

// levelsOf returns the level of each character: even ones run from left to right.
func levelsOf(runes []rune) []int {
	classes := make([]bidi.Class, len(runes))
	base := bidi.L
	known := false
	for k, r := range runes {
		properties, _ := bidi.LookupRune(r)
		classes[k] = properties.Class()
		if !known && (classes[k] == bidi.L || classes[k] == bidi.R || classes[k] == bidi.AL) {
			known = true
			if classes[k] != bidi.L {
				base = bidi.R
			}
		}
	}
	resolveWeak(classes, base)
	resolveNeutral(classes, base)
	levels := make([]int, len(runes))
	for k, class := range classes { // I1, I2
		switch {
		case class == bidi.R:
			levels[k] = 1
		case class == bidi.EN || class == bidi.AN || base == bidi.R:
			levels[k] = 2
		}
	}
	return levels
}

// resolveWeak gives numbers, their signs, and marks the classes of what they belong to: rules W1 to W7.
func resolveWeak(classes []bidi.Class, base bidi.Class) {
	at := func(k int) bidi.Class {
		if k < 0 || k >= len(classes) {
			return base
		}
		return classes[k]
	}
	strong := base
	for k, class := range classes {
		switch class {
		case bidi.NSM:
			classes[k] = at(k - 1)
		case bidi.L, bidi.R, bidi.AL:
			strong = class
		case bidi.EN:
			if strong == bidi.AL {
				classes[k] = bidi.AN
			}
		}
	}
	for k, class := range classes {
		switch {
		case class == bidi.AL:
			classes[k] = bidi.R
		case class == bidi.ES && at(k-1) == bidi.EN && at(k+1) == bidi.EN:
			classes[k] = bidi.EN
		case class == bidi.CS && at(k-1) == at(k+1) && (at(k-1) == bidi.EN || at(k-1) == bidi.AN):
			classes[k] = at(k - 1)
		}
	}
	for k := 0; k < len(classes); k++ {
		to := k
		for to < len(classes) && classes[to] == bidi.ET {
			to++
		}
		if to > k && (at(k-1) == bidi.EN || at(to) == bidi.EN) {
			for ; k < to; k++ {
				classes[k] = bidi.EN
			}
		}
		k = max(k, to-1)
	}
	strong = base
	for k, class := range classes {
		switch class {
		case bidi.ES, bidi.ET, bidi.CS:
			classes[k] = bidi.ON
		case bidi.L, bidi.R:
			strong = class
		case bidi.EN:
			if strong == bidi.L {
				classes[k] = bidi.L
			}
		}
	}
}

// resolveNeutral gives what has no direction that of its neighbors where they agree, else that of the line: rules N1
// and N2.
func resolveNeutral(classes []bidi.Class, base bidi.Class) {
	neutral := func(c bidi.Class) bool {
		return c != bidi.L && c != bidi.R && c != bidi.EN && c != bidi.AN
	}
	direction := func(k int) bidi.Class {
		switch {
		case k < 0 || k >= len(classes):
			return base
		case classes[k] == bidi.L:
			return bidi.L
		}
		return bidi.R
	}
	for k := 0; k < len(classes); k++ {
		to := k
		for to < len(classes) && neutral(classes[to]) {
			to++
		}
		if to == k {
			continue
		}
		becomes := base
		if before := direction(k - 1); before == direction(to) {
			becomes = before
		}
		for ; k < to; k++ {
			classes[k] = becomes
		}
		k--
	}
}

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
// Bidirectional Algorithm. The characters that control directions were left out before. The library has the classes of characters; its order of runs is the logical one, whatever their
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
	marks := slices.Clone(classes)
	resolveWeak(classes, base)
	resolveBrackets(runes, marks, classes, base)
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

// mostOpen is how many brackets may be open within each other.
const mostOpen = 63

// bracketPairs returns the places of brackets that belong together, by the place of the first: rule BD16.
func bracketPairs(runes []rune, classes []bidi.Class) (pairs [][2]int) {
	type opened struct {
		at     int
		closes rune
	}
	var open []opened
	for k, r := range runes {
		properties, _ := bidi.LookupRune(r)
		if !properties.IsBracket() || classes[k] != bidi.ON {
			continue
		}
		if properties.IsOpeningBracket() {
			if len(open) == mostOpen {
				return nil
			}
			open = append(open, opened{k, []rune(bidi.ReverseString(string(r)))[0]})
			continue
		}
		for n := len(open) - 1; n >= 0; n-- {
			if open[n].closes == r {
				pairs = append(pairs, [2]int{open[n].at, k})
				open = open[:n]
				break
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
	return pairs
}

// resolveBrackets gives both brackets of a pair the direction of the line where something within them has it. Else they
// get that of what is within, if what is before them has it too, and otherwise that of the line: rule N0. Marks are the
// classes before rules W1 to W7.
func resolveBrackets(runes []rune, marks, classes []bidi.Class, base bidi.Class) {
	strong := func(k int) (bidi.Class, bool) {
		switch classes[k] {
		case bidi.L:
			return bidi.L, true
		case bidi.R, bidi.EN, bidi.AN:
			return bidi.R, true
		}
		return 0, false
	}
	for _, pair := range bracketPairs(runes, classes) {
		same, other := false, false
		for k := pair[0] + 1; k < pair[1]; k++ {
			if found, is := strong(k); is {
				same, other = same || found == base, other || found != base
			}
		}
		if !same && !other {
			continue
		}
		becomes := base
		if !same {
			before := base
			for k := pair[0] - 1; k >= 0; k-- {
				if found, is := strong(k); is {
					before = found
					break
				}
			}
			becomes = before // that of the line, or the other one, which is within
		}
		for _, at := range pair {
			classes[at] = becomes
			for k := at + 1; k < len(classes) && marks[k] == bidi.NSM; k++ {
				classes[k] = becomes
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

package form

import "slices"

// Filled reports whether a folded part has something to show.
func (f Field) Filled() bool {
	for _, list := range [][]Field{f.Fields, f.More} {
		for _, member := range list {
			if _, filled := member.Encode(); filled || member.Problem != "" || member.Filled() {
				return true
			}
		}
	}
	return false
}

// MapRows is how many pairs of a map are shown: those there are, and two empty ones.
func (f Field) MapRows() int { return len(f.Key) + 2 }

// Answers are the choices of a truth value. One that may be left out has a third.
func (f Field) Answers() []Option {
	both := []Option{{"true", "Yes"}, {"false", "No"}}
	if f.Required {
		return both
	}
	return append([]Option{{"", "As it is by default"}}, both...)
}

// Has reports whether a value of a set is chosen.
func (f Field) Has(value string) bool { return slices.Contains(f.Values, value) }

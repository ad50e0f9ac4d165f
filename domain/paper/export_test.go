package paper

// Shows reports whether one of the fonts has a character.
func (f Fonts) Shows(r rune) bool { return f.shows(r) }

// Visual is the order in which a line is drawn.
func Visual(line string) string { return visual(line) }

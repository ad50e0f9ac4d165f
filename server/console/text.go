package console

import (
	"unicode"
	"unicode/utf8"
)

// raised writes the text of a fault as people read it: its first letter is raised.
func raised(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:]
}

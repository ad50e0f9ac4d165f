package reference

import (
	"fmt"
	"regexp"
	"strings"
)

// token is a word of a metric. kind is 'n' for a name, 'q' for a quoted one, '0' for a
// number, ”' for a string, '{' for a parameter, 'o' for an operator and 'e' for the end.
type token struct {
	kind byte
	text string
}

var tokenForms = []struct {
	kind byte
	form *regexp.Regexp
}{
	{'n', regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)},
	{'0', regexp.MustCompile(`^([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?`)},
	{'\'', regexp.MustCompile(`^'([^']|'')*'`)},
	{'q', regexp.MustCompile(`^"([^"]|"")*"`)},
	{'{', regexp.MustCompile(`^\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}`)},
	{'o', regexp.MustCompile(`^(==|!=|<>|<=|>=|[-+*/%=<>(),.])`)},
}

var blanks = regexp.MustCompile(`^\s+`)

func tokensOf(text string) ([]token, error) {
	var all []token
next:
	for {
		text = text[len(blanks.FindString(text)):]
		if text == "" {
			return append(all, token{'e', ""}), nil
		}
		for _, f := range tokenForms {
			found := f.form.FindString(text)
			if found == "" {
				continue
			}
			text = text[len(found):]
			switch f.kind {
			case '\'':
				found = strings.ReplaceAll(found[1:len(found)-1], "''", "'")
			case 'q':
				found = strings.ReplaceAll(found[1:len(found)-1], `""`, `"`)
			case '{':
				found = strings.TrimSpace(found[2 : len(found)-2])
			}
			all = append(all, token{f.kind, found})
			continue next
		}
		return nil, fmt.Errorf("metric at %q: %w", text, ErrNotCovered)
	}
}

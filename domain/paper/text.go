package paper

import (
	"strings"
	"unicode"
)

// run is text that one font draws.
type run struct {
	font string // "" for that of the style
	text string
}

// weight is that of a text.
type weight string

const (
	plain weight = "regular"
	bold  weight = "bold"
)

// instead are characters that look the same as others that a font may lack.
var instead = map[rune]rune{'−': '–', '‑': '-', '\u202f': '\u00a0', '\u2009': ' '}

// clean makes a text one that can be drawn: control characters become spaces, and what no font has
// becomes "?", which is noted. A text may have lines.
func (p *page) clean(text string) string {
	whole := true
	for _, r := range text {
		if r != '\n' && (!p.fonts.shows(r) || unicode.IsControl(r)) {
			whole = false
			break
		}
	}
	if whole {
		return text
	}
	replaced := false // of neighbors that are missing, one "?" stands for all
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			replaced = false
			return r
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Mn, r) && !p.fonts.shows(r):
			return -1 // has no form of its own
		case p.fonts.shows(r):
			replaced = false
			return r
		case p.fonts.shows(instead[r]):
			replaced = false
			return instead[r]
		}
		p.missing = true
		if replaced {
			return -1
		}
		replaced = true
		return '?'
	}, text)
}

// runs splits a line by fonts, in the order in which it is seen. Nothing is drawn or measured that did
// not pass here.
func (p *page) runs(w weight, line string) []run {
	line = p.clean(line)
	base := p.fonts.regular
	if w == bold {
		base = p.fonts.bold
	}
	same := true
	rightToLeft := false
	for _, r := range line {
		same = same && base.has.of(r)
		rightToLeft = rightToLeft || r >= 0x590 && isRightToLeft(r)
	}
	if rightToLeft {
		line = visual(line)
	}
	if same {
		return []run{{"", line}}
	}
	var runs []run
	for _, r := range line {
		font := ""
		if !base.has.of(r) {
			for _, other := range p.fonts.others {
				if other.has.of(r) {
					font = other.name
					break
				}
			}
		}
		if n := len(runs); n > 0 && runs[n-1].font == font {
			runs[n-1].text += string(r)
		} else {
			runs = append(runs, run{font, string(r)})
		}
	}
	return runs
}

// wrap splits a clean text into lines that are at most so wide. A word that is wider is broken.
func (p *page) wrap(w weight, size float64, text string, width float64) (lines []string) {
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines = append(lines, p.wrapParagraph(w, size, paragraph, width)...)
	}
	return lines
}

func (p *page) wrapParagraph(w weight, size float64, text string, width float64) (lines []string) {
	if p.width(w, size, text) <= width {
		return []string{strings.TrimRight(text, " ")}
	}
	line := ""
	flush := func() {
		if trimmed := strings.TrimRight(line, " "); trimmed != "" {
			lines = append(lines, trimmed)
		}
		line = ""
	}
	for _, word := range pieces(text) {
		if p.width(w, size, line+strings.TrimRight(word, " ")) <= width {
			line += word
			continue
		}
		flush()
		for p.width(w, size, strings.TrimRight(word, " ")) > width {
			head := ""
			for _, r := range word {
				if head != "" && p.width(w, size, head+string(r)) > width {
					break
				}
				head += string(r)
			}
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	flush()
	return lines
}

// pieces are the parts between which a line may be broken, each with the spaces after it: words,
// and single letters of scripts that are written without spaces.
func pieces(text string) (parts []string) {
	begin := 0
	runes := []rune(text)
	at := 0
	for k, r := range runes {
		at += len(string(r))
		last := k == len(runes)-1
		if last || r == ' ' && runes[k+1] != ' ' || unspaced(r) && runes[k+1] != ' ' || unspaced(runes[k+1]) && r != ' ' {
			parts = append(parts, text[begin:at])
			begin = at
		}
	}
	return parts
}

func unspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

package metric

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError tells where and why a text is not of the language.
type SyntaxError struct {
	Line, Column int    // both from 1; the column counts characters
	Message      string // never repeats the text
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// place is where a token begins.
type place struct{ line, column int }

// fail stops the parse; read turns it into the error that the caller sees.
func (at place) fail(format string, args ...any) {
	panic(&SyntaxError{Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)})
}

type tokenKind int

const (
	tokenEnd    tokenKind = iota
	tokenWord             // a keyword or a bare name
	tokenQuoted           // "a name", text without its quotes
	tokenString           // 'a string', text without its quotes
	tokenNumber
	tokenParameter // {{a name}}, text without its brackets
	tokenSymbol
)

type token struct {
	kind tokenKind
	text string
	at   place
}

// scanner cuts a text into tokens. It knows characters, not grammar.
type scanner struct {
	rest string
	at   place
}

// scan gives the tokens of text, closed by one of kind tokenEnd.
func scan(text string) (tokens []token) {
	s := scanner{rest: text, at: place{1, 1}}
	for {
		s.skipBlanks()
		t := s.next()
		tokens = append(tokens, t)
		if t.kind == tokenEnd {
			return tokens
		}
	}
}

// take removes the first n bytes and moves the place past them.
func (s *scanner) take(n int) string {
	taken := s.rest[:n]
	s.rest = s.rest[n:]
	for _, r := range taken {
		s.at.column++
		if r == '\n' {
			s.at = place{s.at.line + 1, 1}
		}
	}
	return taken
}

func (s *scanner) skipBlanks() {
	s.take(len(s.rest) - len(strings.TrimLeft(s.rest, " \t\r\n")))
}

func (s *scanner) next() token {
	at := s.at
	first, _ := utf8.DecodeRuneInString(s.rest)
	switch {
	case s.rest == "":
		return token{tokenEnd, "", at}
	case first == '\'':
		return token{tokenString, s.quoted("'"), at}
	case first == '"':
		return token{tokenQuoted, s.quoted(`"`), at}
	case startsWord(first):
		return token{tokenWord, s.take(span(s.rest, inWord)), at}
	case startsNumber(s.rest):
		return token{tokenNumber, s.number(), at}
	case first == '{':
		return token{tokenParameter, s.parameter(), at}
	default:
		return token{tokenSymbol, s.symbol(), at}
	}
}

// quoted reads up to the closing quote; two quotes stand for one.
func (s *scanner) quoted(quote string) string {
	at, content := s.at, strings.Builder{}
	for s.take(1); ; s.take(1) {
		end := strings.Index(s.rest, quote)
		if end < 0 {
			at.fail("the closing quote is missing")
		}
		content.WriteString(s.take(end))
		s.take(1)
		if !strings.HasPrefix(s.rest, quote) {
			return content.String()
		}
		content.WriteString(quote)
	}
}

func (s *scanner) number() string {
	at := s.at
	n := span(s.rest, isDigit)
	if strings.HasPrefix(s.rest[n:], ".") {
		n += 1 + span(s.rest[n+1:], isDigit)
	}
	if strings.HasPrefix(strings.ToLower(s.rest[n:]), "e") {
		n++
		if n < len(s.rest) && strings.Contains("+-", s.rest[n:n+1]) {
			n++
		}
		n += span(s.rest[n:], isDigit)
	}
	next, _ := utf8.DecodeRuneInString(s.rest[n:])
	if !isDigit(rune(s.rest[n-1])) || inWord(next) || next == '.' {
		at.fail("this number is malformed")
	}
	return s.take(n)
}

func (s *scanner) parameter() string {
	at, name := s.at, parameterName.FindStringSubmatch(s.rest)
	if name == nil {
		at.fail("a parameter is written {{name}}, of letters, digits and underscores")
	}
	s.take(len(name[0]))
	return name[1]
}

// symbol reads the longest operator or mark. Comments are known only to be
// refused by name.
func (s *scanner) symbol() string {
	if strings.HasPrefix(s.rest, "--") || strings.HasPrefix(s.rest, "/*") {
		s.at.fail("comments are not supported")
	}
	for _, symbol := range []string{"<>", "<=", ">=", "!=", "==", "=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ",", "."} {
		if strings.HasPrefix(s.rest, symbol) {
			return s.take(len(symbol))
		}
	}
	if strings.HasPrefix(s.rest, ";") {
		s.at.fail("there is one statement only, without a semicolon")
	}
	s.at.fail("this character has no meaning here")
	return ""
}

// checkText refuses what PostgreSQL could not even receive, before scanning.
func checkText(text string) {
	at := place{1, 1}
	if len(text) > maxLength {
		at.fail("is longer than %d bytes", maxLength)
	}
	for i, r := range text {
		_, width := utf8.DecodeRuneInString(text[i:])
		if r == 0 || r == utf8.RuneError && width == 1 {
			at.fail("is not UTF-8 text without zero bytes")
		}
		at.column++
		if r == '\n' {
			at = place{at.line + 1, 1}
		}
	}
}

// span counts the bytes at the head of text whose characters satisfy in.
func span(text string, in func(rune) bool) int {
	return len(text) - len(strings.TrimLeftFunc(text, in))
}

func startsNumber(text string) bool {
	text = strings.TrimPrefix(text, ".")
	return text != "" && isDigit(rune(text[0]))
}

func isDigit(r rune) bool    { return '0' <= r && r <= '9' }
func startsWord(r rune) bool { return r == '_' || unicode.IsLetter(r) }
func inWord(r rune) bool     { return startsWord(r) || unicode.IsDigit(r) }

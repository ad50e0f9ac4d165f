package importevents

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"
)

// newNDJSON reads a JSON object from each line that is not empty.
func newNDJSON(file *os.File, at position) (*source, error) {
	if at.offset > 0 {
		if _, err := file.Seek(at.offset, io.SeekStart); err != nil {
			return nil, err
		}
	}
	r := &ndjson{in: bufio.NewReaderSize(file, 1<<16), at: at}
	if at.offset == 0 {
		r.at.offset = skipMark(r.in)
	}
	return &source{next: r.next, writer: ndjsonWriter}, nil
}

type ndjson struct {
	in *bufio.Reader
	at position
}

func (r *ndjson) next() (e entry, err error) {
	for len(e.text) == 0 {
		text, tooLong, err := r.line()
		if err != nil {
			return entry{}, err
		}
		e = entry{end: r.at, text: bytes.TrimSpace(text)}
		if tooLong {
			e.text, e.wrong = e.text[:min(100, len(e.text))], fmt.Sprintf("line: must be at most %d MiB", largestEntry>>20)
			return e, nil
		}
	}
	e.text = withoutReason(e.text)
	e.parse(e.text)
	return e, nil
}

// line reads a line, of one that is too long only its beginning.
func (r *ndjson) line() (text []byte, tooLong bool, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		r.at.offset += int64(len(part))
		if tooLong = tooLong || len(text)+len(part) > largestEntry; !tooLong {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(text) == 0:
			return nil, false, io.EOF
		case err != nil && err != io.EOF:
			return nil, false, err
		}
		r.at.line++
		return text, tooLong, nil
	}
}

// withoutReason leaves out what a rejected event got beside its own members.
func withoutReason(text []byte) []byte {
	if !bytes.Contains(text, []byte(reasonName)) {
		return text
	}
	in := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	if token, err := in.ReadToken(); err != nil || token.Kind() != '{' {
		return text
	}
	kept := []byte{'{'}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return text
		}
		plain := name.String()
		value, err := in.ReadValue()
		if err != nil {
			return text
		}
		if plain != reasonName {
			kept = appendMember(kept, plain, value)
		}
	}
	if _, err := in.ReadToken(); err != nil || in.InputOffset() != int64(len(text)) {
		return text
	}
	return append(kept, '}')
}

// appendMember adds a member to a JSON object that is being written.
func appendMember(object []byte, name string, value []byte) []byte {
	if len(object) > len("{") {
		object = append(object, ',')
	}
	object = append(appendQuoted(object, name), ':')
	return append(object, value...)
}

// appendQuoted writes a text as JSON, and what is no UTF-8 in it as U+FFFD.
func appendQuoted(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // the error tells of what was replaced
	return b
}

// ndjsonWriter puts the reason into the object. What is none is a text of a new one.
func ndjsonWriter(out io.Writer, _ bool) func(entry, string) error {
	return func(e entry, reason string) error {
		object := []byte{'{'}
		if text := jsontext.Value(e.text); text.Kind() == '{' && text.IsValid(jsontext.AllowDuplicateNames(true)) {
			object = append(object[:0], bytes.TrimRight(e.text[:len(e.text)-1], " \t\r")...)
		} else {
			object = appendMember(object, "line", appendQuoted(nil, string(e.text)))
		}
		object = appendMember(object, reasonName, appendQuoted(nil, reason))
		_, err := out.Write(append(object, "}\n"...))
		return err
	}
}

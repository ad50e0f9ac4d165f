package export

import (
	"bufio"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ndjsonWriter writes a JSON object on each line, with its members in the order of the columns. Numbers have
// all their digits, which a reader should keep: many take them for binary floating-point numbers.
type ndjsonWriter struct {
	out   *bufio.Writer
	names [][]byte // quoted
	class []class
	line  []byte
}

func newNDJSON(to io.Writer) *ndjsonWriter { return &ndjsonWriter{out: bufio.NewWriter(to)} }

func (w *ndjsonWriter) begin(columns []column) error {
	for _, c := range columns {
		name, err := jsontext.AppendQuote(nil, c.name)
		if err != nil {
			return err
		}
		w.names, w.class = append(w.names, name), append(w.class, c.class)
	}
	return nil
}

func (w *ndjsonWriter) row(cells []cell) (err error) {
	line := w.line[:0]
	for k, c := range cells {
		line = append(line, "{,"[min(k, 1)])
		line = append(append(line, w.names[k]...), ':')
		switch {
		case c == nil:
			line = append(line, "null"...)
		case w.class[k] == text:
			if line, err = jsontext.AppendQuote(line, *c); err != nil {
				return err
			}
		default:
			line = append(line, *c...)
		}
	}
	w.line = append(line, "}\n"...)
	_, err = w.out.Write(w.line)
	return err
}

func (w *ndjsonWriter) end() error { return w.out.Flush() }

func (w *ndjsonWriter) discard() error { return nil }

package export

import (
	"encoding/csv"
	"io"
	"strings"
)

// csvWriter writes RFC 4180: a header, commas, quotes where needed, lines that end with CRLF, in UTF-8. No value is
// an empty cell. A line break in a text becomes CRLF.
type csvWriter struct {
	out     *csv.Writer
	columns []column
	record  []string
}

func newCSV(to io.Writer) *csvWriter {
	out := csv.NewWriter(to)
	out.UseCRLF = true
	return &csvWriter{out: out}
}

func (w *csvWriter) begin(columns []column) error {
	w.columns = columns
	for _, c := range columns {
		w.record = append(w.record, c.name)
	}
	return w.out.Write(w.record)
}

func (w *csvWriter) row(cells []cell) error {
	for k, c := range cells {
		w.record[k] = ""
		if c == nil {
			continue
		}
		w.record[k] = *c
		if w.columns[k].class == text {
			w.record[k] = guard(*c)
		}
	}
	return w.out.Write(w.record)
}

func (w *csvWriter) end() error {
	w.out.Flush()
	return w.out.Error()
}

func (w *csvWriter) discard() error { return nil }

// guard puts an apostrophe (semantics 22.2.3) before a text that a spreadsheet would take for a formula, and before a text that
// begins with an apostrophe, so that the first apostrophe of a text can always be taken off again. The signs are
// also those of full width, which some spreadsheets take for the plain ones. Numbers are
// written by the server, and need no guard: -5 is a number.
func guard(value string) string {
	for _, start := range []string{"=", "+", "-", "@", "\t", "\r", "\n", "'", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(value, start) {
			return "'" + value
		}
	}
	return value
}

package importevents

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// table is a file in CSV. Its first row names the columns: those of an event, and for
// each property one.
type table struct {
	rows    *csv.Reader
	raw     *kept
	from    position // where rows begins to read
	columns []column
	header  []string
}

// column is what a column of the table is in an event.
type column struct {
	name []byte // JSON
	role role
}

type role int

const (
	roleMember   role = iota // a text
	roleProperty             // of the type that it reads as
	roleText                 // a property that is text whatever it reads as
	roleReason               // nothing
)

// required are the columns that a table cannot do without.
var required = []string{"idempotency_key", "event_name", "timestamp"}

// references are the columns of which one at least must be there.
var references = []string{"customer_id", "external_customer_id"}

func newCSV(file *os.File, at position, text []string) (*source, error) {
	t := &table{}
	in := bufio.NewReaderSize(file, 1<<16)
	t.read(in, position{offset: skipMark(in)})
	header, err := t.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the first row must name the columns")
	}
	if err != nil {
		return nil, err
	}
	t.header = slices.Clone(header)
	if t.columns, err = columnsOf(t.header, text); err != nil {
		return nil, err
	}
	if at.offset > 0 {
		if _, err := file.Seek(at.offset, io.SeekStart); err != nil {
			return nil, err
		}
		t.read(file, at)
		return &source{next: t.next, writer: t.writer}, nil
	}
	t.raw.cut(t.rows.InputOffset())
	return &source{next: t.next, writer: t.writer}, nil
}

// skipMark passes over the byte order mark that some programs begin a file with, and
// tells its length.
func skipMark(in *bufio.Reader) int64 {
	const mark = "\uFEFF"
	if begin, _ := in.Peek(len(mark)); string(begin) != mark {
		return 0
	}
	n, _ := in.Discard(len(mark))
	return int64(n)
}

func (t *table) read(in io.Reader, from position) {
	t.raw = &kept{in: in}
	t.rows = csv.NewReader(t.raw)
	t.rows.FieldsPerRecord = -1
	t.rows.ReuseRecord = true
	t.from = from
}

func columnsOf(header, text []string) (columns []column, err error) {
	seen := map[string]bool{}
	for _, name := range header {
		if !utf8.ValidString(name) {
			return nil, errors.New("the first row must be text in UTF-8")
		}
		if seen[name] {
			return nil, fmt.Errorf("the column %q stands twice in the first row", name)
		}
		seen[name] = true
		c := column{name: appendQuoted(nil, name), role: roleProperty}
		switch {
		case name == reasonName:
			c.role = roleReason
		case slices.Contains(required, name), slices.Contains(references, name):
			c.role = roleMember
		case slices.Contains(text, name):
			c.role = roleText
		}
		columns = append(columns, c)
	}
	for _, name := range slices.Concat(required, text) {
		if !seen[name] {
			return nil, fmt.Errorf("the first row has no column %q", name)
		}
	}
	if !slices.ContainsFunc(references, func(name string) bool { return seen[name] }) {
		return nil, errors.New("the first row has neither a column \"customer_id\" nor \"external_customer_id\"")
	}
	return columns, nil
}

func (t *table) next() (e entry, err error) {
	fields, err := t.rows.Read()
	var malformed *csv.ParseError
	if err != nil && !errors.As(err, &malformed) {
		return entry{}, err
	}
	raw := t.raw.cut(t.rows.InputOffset())
	e.end = position{t.from.offset + t.rows.InputOffset(), t.from.line + t.raw.lines}
	switch {
	case malformed != nil:
		e.fields = []string{string(bytes.TrimRight(raw, "\r\n"))}
		e.wrong = "row: " + malformed.Err.Error()
	case len(fields) != len(t.columns):
		e.fields = slices.Clone(fields)
		e.wrong = fmt.Sprintf("row: has %d columns where the first row has %d", len(fields), len(t.columns))
	case !utf8.Valid(raw):
		e.fields = slices.Clone(fields)
		e.wrong = "row: must be text in UTF-8"
	default:
		e.fields = slices.Clone(fields)
		e.parse(t.event(fields))
	}
	return e, nil
}

// event writes a row as JSON.
func (t *table) event(fields []string) []byte {
	object, properties := []byte{'{'}, []byte{'{'}
	for i, value := range fields {
		c := t.columns[i]
		if value == "" {
			continue
		}
		switch c.role {
		case roleMember:
			object = appendNamed(object, c.name, appendQuoted(nil, value))
		case roleText:
			properties = appendNamed(properties, c.name, appendQuoted(nil, value))
		case roleProperty:
			properties = appendNamed(properties, c.name, scalar(value))
		}
	}
	object = appendNamed(object, []byte(`"properties"`), append(properties, '}'))
	return append(object, '}')
}

func appendNamed(object, name, value []byte) []byte {
	if len(object) > len("{") {
		object = append(object, ',')
	}
	return append(append(append(object, name...), ':'), value...)
}

// scalar is a value as JSON, of the type that it reads as.
func scalar(text string) []byte {
	number := func(c byte) bool { return c == '-' || c >= '0' && c <= '9' }
	if text == "true" || text == "false" || number(text[0]) && number(text[len(text)-1]) && jsontext.Value(text).IsValid() {
		return []byte(text)
	}
	return appendQuoted(nil, text)
}

// writer writes rows as they are, with the reason in a column of its own.
func (t *table) writer(out io.Writer, fresh bool) func(entry, string) error {
	at := slices.Index(t.header, reasonName)
	header := t.header
	if at < 0 {
		at = len(header)
		header = append(slices.Clone(header), reasonName)
	}
	rows := csv.NewWriter(out)
	return func(e entry, reason string) error {
		if fresh {
			_ = rows.Write(header) // a failure comes back with the next
			fresh = false
		}
		row := append(e.fields, make([]string, max(0, at+1-len(e.fields)))...)
		row[at] = reason
		_ = rows.Write(row)
		rows.Flush()
		return rows.Error()
	}
}

// kept is a file of which the bytes are kept that were read and not cut off.
type kept struct {
	in    io.Reader
	text  []byte
	begin int   // in text: what comes before is cut off
	from  int64 // offset of begin
	lines int   // cut off
}

var errTooLong = fmt.Errorf("a row has more than %d MiB: is a quotation mark left open?", largestEntry>>20)

func (k *kept) Read(p []byte) (int, error) {
	if k.begin > 0 {
		k.text = append(k.text[:0], k.text[k.begin:]...)
		k.begin = 0
	}
	if len(k.text) > largestEntry {
		return 0, errTooLong
	}
	n, err := k.in.Read(p)
	k.text = append(k.text, p[:n]...)
	return n, err
}

// cut takes off what comes before an offset. The result lasts until the next read.
func (k *kept) cut(to int64) []byte {
	off := k.text[k.begin : k.begin+int(to-k.from)]
	k.begin += len(off)
	k.from = to
	k.lines += bytes.Count(off, []byte{'\n'})
	return off
}

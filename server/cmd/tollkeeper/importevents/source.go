package importevents

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tollkeeper/domain/event"
)

// Format is how events are written in a file.
type Format string

const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson"
)

func formatOf(path string) (Format, error) {
	for {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".csv":
			return CSV, nil
		case ".ndjson", ".jsonl":
			return NDJSON, nil
		case ".rejects":
			path = strings.TrimSuffix(path, filepath.Ext(path))
		default:
			return "", fmt.Errorf("%s: the name does not tell the format; say --format csv or --format ndjson", path)
		}
	}
}

// reasonName is the column or member of a rejected event that says why. It is no part
// of the event.
const reasonName = "rejected_because"

// largestEntry bounds what is held of one entry, in bytes.
const largestEntry = 32 << 20

// source is the events of a file, one after another.
type source struct {
	// next is io.EOF after the last entry. Other errors end the feed.
	next func() (entry, error)
	// writer writes entries to out in the form of the file; fresh: from its beginning on.
	writer func(out io.Writer, fresh bool) func(entry, string) error
}

// entry is what stands for one event.
type entry struct {
	end    position // where the next one begins
	text   []byte   // as it is in the file, or as JSON
	fields []string // of CSV
	event  event.Event
	wrong  string // why it could not be read; then there is no event
}

// size is about how much memory the entry takes.
func (e *entry) size() int {
	n := len(e.text)
	for _, field := range e.fields {
		n += len(field)
	}
	return n + len(e.event.Properties)
}

// parse reads the event of an entry.
func (e *entry) parse(text []byte) {
	one, err := event.Parse(text)
	if err != nil {
		e.wrong = err.Error()
		return
	}
	e.event = one
}

// position is a place in a file.
type position struct {
	offset int64 // bytes before it
	line   int   // lines before it
}

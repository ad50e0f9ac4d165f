package importevents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"tollkeeper/domain/event"
)

// Feed is a file of events on its way in.
type Feed struct {
	Path    string // "-" is standard input
	Format  Format // "" for that of the name's ending
	Text    []string
	Rejects string // where events go that are not stored; "" for Path with ".rejects"
	For     string // whose events they are; a journal for another customer is refused

	Record func(ctx context.Context, events []event.Event) (event.Outcome, error)
	Report func(Progress) // after each part

	most int // entries of a part; 0 for the usual
}

// Progress is how far a feed has come, this time and before.
type Progress struct {
	Read     int64 `json:"-"` // bytes
	Size     int64 `json:"-"` // bytes; -1 when it is not known
	Stored   int   `json:"stored"`
	Known    int   `json:"known"` // events whose key was known already
	Rejected int   `json:"rejected"`
}

// Events is how many there were so far.
func (p Progress) Events() int { return p.Stored + p.Known + p.Rejected }

// ErrInterrupted reports that a feed was stopped before the end of its file.
var ErrInterrupted = errors.New("interrupted")

// Run stores the events until the file or ctx ends. What was being stored when ctx
// ended is finished first.
func (f Feed) Run(ctx context.Context) (p Progress, err error) {
	if f.Format == "" {
		if f.Format, err = formatOf(f.Path); err != nil {
			return p, err
		}
	}
	file, err := f.open()
	if err != nil {
		return p, err
	}
	defer func() { _ = file.Close() }()
	journal, err := f.journal(file)
	if err != nil {
		return p, err
	}
	source, err := f.source(file, journal)
	if err != nil {
		return p, fmt.Errorf("%s: %w", f.Path, err)
	}
	rejects, err := openRejects(f.RejectsPath(), journal, source.writer)
	if err != nil {
		return p, err
	}
	r := &run{feed: f, most: cmp.Or(f.most, partEvents), source: source, rejects: rejects, journal: journal, size: sizeOf(file)}
	if err := r.save(); err != nil {
		return p, err
	}
	err = r.all(ctx)
	return r.progress(), errors.Join(err, r.end(err == nil))
}

// RejectsPath is where events go that are not stored.
func (f Feed) RejectsPath() string {
	switch {
	case f.Rejects != "":
		return f.Rejects
	case f.Path == "-":
		return "import.rejects"
	}
	return f.Path + ".rejects"
}

func (f Feed) open() (*os.File, error) {
	if f.Path == "-" {
		return os.Stdin, nil
	}
	return os.Open(f.Path)
}

// sizeOf is -1 for what is no file on disk.
func sizeOf(file *os.File) int64 {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// source begins to read where the journal ends.
func (f Feed) source(file *os.File, j *journal) (*source, error) {
	from := position{offset: j.Offset, line: j.Line}
	if f.Format == CSV {
		return newCSV(file, from, f.Text)
	}
	return newNDJSON(file, from)
}

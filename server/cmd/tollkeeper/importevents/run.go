package importevents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tollkeeper/domain/event"
)

// Bounds of a part, which is stored at once.
const (
	partEvents = 2000
	partBytes  = 4 << 20
)

// part is entries that are stored together. It holds no key twice, so the answer says by key
// what became of each.
type part struct {
	entries []entry
	keys    map[string]bool
	size    int
	err     error // of the file; the entries before it are valid
}

// run is a feed under way.
type run struct {
	feed    Feed
	most    int // entries of a part
	source  *source
	rejects *rejects
	journal *journal
	size    int64
	saved   time.Time // when the journal was
}

// saveEvery is how old a journal may be.
const saveEvery = time.Second

func (r *run) all(ctx context.Context) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	for parts := r.parts(reading); ; {
		var p part
		var more bool
		select {
		case p, more = <-parts:
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case !more:
			return nil
		}
		if err := r.store(context.WithoutCancel(ctx), p); err != nil {
			return err
		}
		if p.err != nil {
			return fmt.Errorf("%s, after line %d: %w", r.feed.Path, r.journal.Line, p.err)
		}
	}
}

// parts reads the next part while one is being stored.
func (r *run) parts(ctx context.Context) <-chan part {
	parts := make(chan part)
	go func() {
		defer close(parts)
		var held *entry // the first of the next part
		for ended := false; !ended; {
			p := part{keys: map[string]bool{}}
			held, ended = p.fill(held, r.source.next, r.most)
			if len(p.entries) == 0 && p.err == nil {
				return
			}
			select {
			case parts <- p:
			case <-ctx.Done():
				return
			}
		}
	}()
	return parts
}

// fill adds entries until the part is full. An entry that has to wait for the next
// part, since its key is in this one, is held.
func (p *part) fill(first *entry, next func() (entry, error), most int) (held *entry, ended bool) {
	if first != nil {
		p.add(*first)
	}
	for len(p.entries) < most && p.size < partBytes {
		e, err := next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.err = err
			}
			return nil, true
		}
		if key := e.event.Key; key != "" && p.keys[key] {
			return &e, false
		}
		p.add(e)
	}
	return nil, false
}

func (p *part) add(e entry) {
	p.entries = append(p.entries, e)
	p.keys[e.event.Key] = true
	p.size += e.size()
}

// store stores a part, and notes how far the feed has come.
func (r *run) store(ctx context.Context, p part) error {
	events := make([]event.Event, 0, len(p.entries))
	for _, e := range p.entries {
		if e.wrong == "" {
			events = append(events, e.event)
		}
	}
	outcome, err := r.feed.Record(ctx, events)
	if err != nil {
		return fmt.Errorf("store the events after line %d: %w", r.journal.Line, err)
	}
	failed := outcome.Failed // in the order of the events
	for _, e := range p.entries {
		reasons := []string{e.wrong}
		if e.wrong == "" {
			if len(failed) == 0 || failed[0].Key != e.event.Key {
				continue
			}
			reasons, failed = failed[0].Reasons, failed[1:]
		}
		if err := r.rejects.add(e, reasons); err != nil {
			return err
		}
		r.journal.Rejected++
	}
	r.journal.Stored += len(outcome.Ingested)
	r.journal.Known += len(outcome.Duplicate)
	if n := len(p.entries); n > 0 {
		r.journal.Offset, r.journal.Line = p.entries[n-1].end.offset, p.entries[n-1].end.line
	}
	if time.Since(r.saved) >= saveEvery {
		if err := r.save(); err != nil {
			return err
		}
	}
	r.feed.Report(r.progress())
	return nil
}

func (r *run) save() error {
	size, err := r.rejects.flush()
	if err != nil {
		return err
	}
	r.journal.RejectsSize = size
	r.saved = time.Now()
	return r.journal.save()
}

// end leaves a journal unless the whole file was fed.
func (r *run) end(done bool) error {
	err := r.save()
	if err == nil && done {
		err = r.journal.remove()
	}
	if closing := r.rejects.close(); err == nil {
		err = closing
	}
	return err
}

func (r *run) progress() Progress {
	p := r.journal.Progress
	p.Read, p.Size = r.journal.Offset, r.size
	return p
}

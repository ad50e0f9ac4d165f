package event

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// spool keeps the events of one request on disk, in files that have no name and are
// gone with the process that holds them. It is written first and read then.
type spool struct {
	file   *os.File
	out    *bufio.Writer
	end    int64 // bytes written
	places *spoolIndex
	record []byte // scratch

	events      int64
	keyText     int // bytes of all keys
	failureText int // bytes of all failures
}

func newSpool() (*spool, error) {
	file, err := nameless()
	if err != nil {
		return nil, err
	}
	places, err := newSpoolIndex()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &spool{file: file, out: bufio.NewWriterSize(file, 1<<16), places: places}, nil
}

// nameless makes a file that no other process can open.
func nameless() (*os.File, error) {
	file, err := os.CreateTemp("", "tollkeeper-events-")
	if err != nil {
		return nil, fmt.Errorf("spool events: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("spool events: %w", err), file.Close())
	}
	return file, nil
}

func (s *spool) close() {
	_ = s.file.Close()
	_ = s.places.file.Close()
}

func (s *spool) add(e *Event) error {
	s.events++
	s.keyText += len(e.Key)
	if e.failures != nil {
		s.failureText += e.failed(e.failures).text()
	}
	if err := s.places.add(e.Key, s.end); err != nil {
		return err
	}
	s.record = appendEvent(s.record[:0], e)
	var head [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(head[:], uint64(len(s.record)))
	_, _ = s.out.Write(head[:n]) // a failure comes back with the next write
	if _, err := s.out.Write(s.record); err != nil {
		return fmt.Errorf("spool events: %w", err)
	}
	s.end += int64(n + len(s.record))
	return nil
}

// portions are the events in their order, no more at a time than one transaction
// should take.
func (s *spool) portions() iter.Seq2[[]Event, error] {
	return func(yield func([]Event, error) bool) {
		if err := s.out.Flush(); err != nil {
			yield(nil, fmt.Errorf("spool events: %w", err))
			return
		}
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, s.end), 1<<16)
		for {
			portion, err := s.portion(in)
			if err != nil || len(portion) == 0 {
				if err != nil {
					yield(nil, err)
				}
				return
			}
			if !yield(portion, nil) {
				return
			}
		}
	}
}

func (s *spool) portion(in *bufio.Reader) (events []Event, err error) {
	for size := 0; len(events) < groupSize && size < fewBytes; size += len(s.record) {
		e, err := s.read(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

// read is the next event, or io.EOF.
func (s *spool) read(in *bufio.Reader) (Event, error) {
	size, err := binary.ReadUvarint(in)
	if errors.Is(err, io.EOF) {
		return Event{}, err
	}
	if err == nil {
		s.record = slices.Grow(s.record[:0], int(size))[:size]
		_, err = io.ReadFull(in, s.record)
	}
	if err != nil {
		return Event{}, fmt.Errorf("read spooled events: %w", err)
	}
	return eventOf(s.record), nil
}

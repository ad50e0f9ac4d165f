package event

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"tollkeeper/store/tempfile"
)

// spool keeps the events of one request on disk, in temporary files that are gone with
// the process. It is written first and read then.
type spool struct {
	use    *tempfile.Use
	file   *tempfile.File
	out    *bufio.Writer
	end    int64 // bytes written
	places *spoolIndex
	record []byte // scratch

	events      int64
	keyText     int // bytes of all keys
	failureText int // bytes of all failures
}

func newSpool(temp *tempfile.Place) (*spool, error) {
	s := &spool{use: temp.Use()}
	err := s.begin()
	if err != nil {
		s.close()
		return nil, fmt.Errorf("spool events: %w", err)
	}
	return s, nil
}

func (s *spool) begin() (err error) {
	if s.file, err = s.use.File(); err != nil {
		return err
	}
	s.out = bufio.NewWriterSize(s.file, 1<<16)
	s.places, err = newSpoolIndex(s.use)
	return err
}

func (s *spool) close() { s.use.Close() }

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

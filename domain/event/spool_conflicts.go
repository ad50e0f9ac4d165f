package event

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
)

// conflicts does for a spool what the function of that name does for a slice.
func (s *spool) conflicts() (failed []Failure, err error) {
	if err := s.out.Flush(); err != nil {
		return nil, fmt.Errorf("spool events: %w", err)
	}
	var found []spoolEntry
	text := 0
	for i := range s.places.piles {
		more, err := s.conflictsIn(i)
		if err != nil {
			return nil, err
		}
		for _, c := range more {
			text += len(c.key) + len(differentBodies)
		}
		if text > largestList {
			return nil, errUnlistable
		}
		found = append(found, more...)
	}
	slices.SortFunc(found, func(a, b spoolEntry) int { return cmp.Compare(a.at, b.at) })
	for _, c := range found {
		failed = append(failed, Failure{Key: c.key, Reasons: []string{differentBodies}})
	}
	return failed, nil
}

// conflictsIn lists where in a pile it shows that a key is used for different events. Only events under a key that was there
// before are read.
func (s *spool) conflictsIn(pile int) (found []spoolEntry, err error) {
	const listed = -1
	first := map[string]int64{}
	in := bufio.NewReaderSize(nil, 1<<10)
	for p, err := range s.places.bucket(pile) {
		if err != nil {
			return nil, err
		}
		former, again := first[p.key]
		switch {
		case !again:
			first[p.key] = p.at
			continue
		case former == listed:
			continue
		}
		one, err := s.eventAt(in, former)
		if err != nil {
			return nil, err
		}
		other, err := s.eventAt(in, p.at)
		if err != nil {
			return nil, err
		}
		if !same(&one, &other) {
			found = append(found, p)
			first[p.key] = listed
		}
	}
	return found, nil
}

func (s *spool) eventAt(in *bufio.Reader, at int64) (Event, error) {
	in.Reset(io.NewSectionReader(s.file, at, s.end-at))
	return s.read(in)
}

package main

import (
	"bufio"
	"encoding/json"
	"os"
)

// generation is the version of the generator. A seed plays the same history in each run of one of
// them, so histories of another one in the file are no part of the run.
const generation = 13

// played is what is kept of a history that was played, a line in the file.
type played struct {
	Generation int                       `json:"generation,omitempty"`
	Wide       bool                      `json:"wide,omitempty"` // see widen.go
	Seed       uint64                    `json:"seed"`
	Steps      int                       `json:"steps"`
	Differs    bool                      `json:"differs,omitempty"`
	Pairs      map[string]map[string]int `json:"pairs"`
	Undecided  map[string]int            `json:"undecided,omitempty"` // see known.undecided
}

// progress is a file of histories that were played, so that a long run can go on.
type progress struct {
	file *os.File
	done map[uint64]played
}

// openProgress reads what is there. Without a path nothing is kept.
func openProgress(path string, wide bool) (*progress, error) {
	p := &progress{done: map[uint64]played{}}
	if path == "" {
		return p, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	p.file = file
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var one played
		if json.Unmarshal(lines.Bytes(), &one) == nil && !one.Differs && one.Generation == generation && one.Wide == wide { // what differed is played again
			p.done[one.Seed] = one
		}
	}
	return p, lines.Err()
}

func (p *progress) add(one played) error {
	if p.file == nil {
		return nil
	}
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	_, err = p.file.Write(append(text, '\n'))
	return err
}

func (p *progress) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}

package importaccount

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Journal is the file that says what was moved. Each line is written before the next request.
type Journal struct {
	file *os.File
	ids  map[string]map[string]string // by kind, the ids at the target by those at the source
	new  bool
}

// line is a line of the file: the first names both servers, each other one a resource.
type line struct {
	Source string `json:"source,omitempty"` // address of the source
	Target string `json:"target,omitempty"`
	Kind   string `json:"kind,omitempty"`
	From   string `json:"from,omitempty"` // id at the source
	To     string `json:"to,omitempty"`   // id at the target
}

// OpenJournal opens the journal of a transfer, or makes it. One of other servers is refused.
func OpenJournal(path, source, target string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritable(err)
	}
	j := &Journal{file: file, ids: map[string]map[string]string{}}
	if err := j.load(path, source, target); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

func (j *Journal) load(path, source, target string) error {
	reader := bufio.NewReader(j.file)
	var end int64 // of the last whole line: a process that was killed may leave a part of one
	for n := 0; ; n++ {
		text, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			j.new = n == 0
			break
		}
		if err != nil {
			return err
		}
		end += int64(len(text))
		var l line
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&l); err != nil {
			return fmt.Errorf("line %d of %s is not one of a transfer: %w", n+1, path, err)
		}
		if n == 0 && (l.Source != source || l.Target != target) {
			return fmt.Errorf("%s is of a transfer from %s to %s", path, l.Source, l.Target)
		}
		j.remember(l)
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	if _, err := j.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if j.new {
		return j.write(line{Source: source, Target: target})
	}
	return nil
}

func (j *Journal) remember(l line) {
	if l.Kind == "" {
		return
	}
	if j.ids[l.Kind] == nil {
		j.ids[l.Kind] = map[string]string{}
	}
	j.ids[l.Kind][l.From] = l.To
}

func (j *Journal) write(l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(text, '\n')); err != nil {
		return unwritable(err)
	}
	j.remember(l)
	return j.file.Sync()
}

// unwritable says what to do where the file system of a container is read-only, or full.
func unwritable(err error) error {
	return fmt.Errorf("--journal: must be a file that can be written, in a directory that is kept until the transfer is complete: %w", err)
}

// Close ends the use of the file.
func (j *Journal) Close() error { return j.file.Close() }

// id returns what a resource of the source is called at the target.
func (j *Journal) id(kind, from string) (to string, known bool) {
	to, known = j.ids[kind][from]
	return to, known
}

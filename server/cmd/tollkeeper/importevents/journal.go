package importevents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// journal tells how far a file was fed, so that the next run goes on from there.
type journal struct {
	path      string // "" for what cannot be read again
	continued bool   // an earlier run has left it

	For         string `json:"for"`
	Begins      string `json:"begins"` // digest of the file's first bytes
	BeginsSize  int64  `json:"begins_size"`
	Offset      int64  `json:"offset"`
	Line        int    `json:"line"`
	RejectsSize int64  `json:"rejects_size"`
	Progress
}

// beginning is how many bytes of a file tell it from others. A file may have grown
// since it was fed.
const beginning = 64 << 10

// journal reads what an earlier run has left, or begins a new one.
func (f Feed) journal(file *os.File) (*journal, error) {
	if f.Path == "-" || sizeOf(file) < 0 {
		return &journal{}, nil
	}
	path := f.Path + ".progress"
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		j := &journal{path: path, For: f.For}
		j.Begins, j.BeginsSize, err = digest(file, beginning)
		return j, err
	}
	if err != nil {
		return nil, err
	}
	j := &journal{path: path, continued: true}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	begins, _, err := digest(file, j.BeginsSize)
	switch {
	case err != nil:
		return nil, err
	case begins != j.Begins, j.Offset > sizeOf(file):
		return nil, fmt.Errorf("%s is of another file than %s is now; remove it to start again", path, f.Path)
	case j.For != f.For:
		return nil, fmt.Errorf("%s is of an import for %s; remove it to start again", path, j.For)
	}
	return j, nil
}

// digest is that of the first bytes of a file, and of how many there are.
func digest(file *os.File, most int64) (text string, size int64, err error) {
	hash := sha256.New()
	size, err = io.Copy(hash, io.NewSectionReader(file, 0, most))
	return hex.EncodeToString(hash.Sum(nil)), size, err
}

// save replaces the journal as a whole.
func (j *journal) save() error {
	if j.path == "" {
		return nil
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	next := j.path + ".new"
	err = os.WriteFile(next, append(text, '\n'), 0o600)
	if err == nil {
		err = os.Rename(next, j.path)
	}
	if err != nil {
		return fmt.Errorf("how far the import is must be kept beside the file: %w; move the file to a directory that can be written, or send it to standard input (-)", err)
	}
	return nil
}

func (j *journal) remove() error {
	if j.path == "" {
		return nil
	}
	return os.Remove(j.path)
}

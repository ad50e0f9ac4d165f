package tempfile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Use is what one request, or one command, takes of a place. It is for one goroutine.
type Use struct {
	place *Place
	path  string   // of its directory
	lock  *os.File // on the directory; nil before that is made
	taken int64    // bytes
	open  []*os.File
}

// Use begins a use of the place. A use without files takes nothing of it.
func (p *Place) Use() *Use {
	return &Use{place: p, path: filepath.Join(p.parent, prefix+strconv.FormatUint(rand.Uint64(), 36))}
}

// Close removes the files and gives their bytes back.
func (u *Use) Close() {
	for _, file := range u.open {
		_ = file.Close()
	}
	if u.lock != nil {
		_ = u.lock.Close()
		_ = os.RemoveAll(u.path)
	}
	u.place.give(u.taken)
	u.taken, u.open, u.lock = 0, nil, nil
}

// make makes the directory.
func (u *Use) make() error {
	if u.lock != nil {
		return nil
	}
	made, err := os.MkdirTemp(u.place.parent, prefixNew)
	if err != nil {
		return u.failed(err)
	}
	if u.lock, err = claim(made, u.path); err != nil {
		return u.failed(errors.Join(err, os.RemoveAll(made)))
	}
	return nil
}

// take reserves bytes, before they are written. A number below zero gives bytes back.
func (u *Use) take(bytes int64) error {
	why, ok := u.place.take(u.taken, bytes)
	if !ok {
		return &Refusal{Reason: why, Bound: u.place.bound, Dir: u.place.parent}
	}
	u.taken += bytes
	return nil
}

func (p *Place) take(taken, bytes int64) (why Reason, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case bytes > 0 && taken+bytes > p.bound:
		why = TooLarge
	case bytes > 0 && p.used+bytes > p.bound:
		why = Full
	default:
		p.used += bytes
		return why, true
	}
	p.refused[why]++
	return why, false
}

func (p *Place) give(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= bytes
}

// failed turns an error of the system into a refusal.
func (u *Use) failed(err error) error {
	var already *Refusal
	if err == nil || errors.As(err, &already) {
		return err
	}
	why := Unusable
	if isFull(err) {
		why = Full
	}
	u.place.mu.Lock()
	u.place.refused[why]++
	u.place.mu.Unlock()
	return &Refusal{Reason: why, Bound: u.place.bound, Dir: u.place.parent, Err: err}
}

// File is a file that is written first, from its beginning to its end, and read then.
type File struct {
	use  *Use
	file *os.File
}

// File makes a file. No other process can open it, where the system allows that.
func (u *Use) File() (*File, error) {
	if err := u.make(); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(u.path, "file-")
	if err != nil {
		return nil, u.failed(err)
	}
	_ = os.Remove(file.Name())
	u.open = append(u.open, file)
	return &File{use: u, file: file}, nil
}

// Write appends to the file.
func (f *File) Write(b []byte) (int, error) {
	if err := f.use.take(int64(len(b))); err != nil {
		return 0, err
	}
	n, err := f.file.Write(b)
	return n, f.use.failed(err)
}

// ReadAt reads from a place in the file.
func (f *File) ReadAt(b []byte, at int64) (int, error) { return f.file.ReadAt(b, at) }

// Reason is why a place refuses a write.
type Reason int

// Reasons.
const (
	Full     Reason = iota // others fill the place: the same may succeed later
	TooLarge               // one use alone is larger than the place
	Unusable               // the system fails to write there
)

// Refusal is the error of a write that a place cannot take.
type Refusal struct {
	Reason Reason
	Bound  int64 // of the place, in bytes
	Dir    string
	Err    error // of the system; nil where the bound refused
}

func (r *Refusal) Error() string {
	switch {
	case r.Reason == TooLarge:
		return fmt.Sprintf("this needs more than the %d MB for temporary files (TOLLKEEPER_TEMP_MB) in %s (TOLLKEEPER_TEMP_DIR)", r.Bound>>20, r.Dir)
	case r.Reason == Full && r.Err == nil:
		return fmt.Sprintf("the %d MB for temporary files (TOLLKEEPER_TEMP_MB) in %s (TOLLKEEPER_TEMP_DIR) are full", r.Bound>>20, r.Dir)
	case r.Reason == Full:
		return fmt.Sprintf("the file system of %s, for temporary files (TOLLKEEPER_TEMP_DIR), is full: %v", r.Dir, r.Err)
	}
	return fmt.Sprintf("temporary files cannot be written in %s (TOLLKEEPER_TEMP_DIR): %v", r.Dir, r.Err)
}

func (r *Refusal) Unwrap() error { return r.Err }

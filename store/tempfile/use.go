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
	if refused := u.place.take(u.taken, bytes); refused != nil {
		return refused
	}
	u.taken += bytes
	return nil
}

// take reserves bytes for a use that has taken some already.
func (p *Place) take(taken, bytes int64) *Refusal {
	full := bytes > 0 && p.free > 0 && p.space(p.parent).Free-bytes < p.free
	p.mu.Lock()
	defer p.mu.Unlock()
	refused := &Refusal{Reason: Full, Bound: p.bound, Dir: p.parent}
	switch own := p.Bound(); {
	case bytes <= 0:
		refused = nil
	case taken+bytes > own:
		refused.Reason, refused.Bound = TooLarge, own
	case p.held[p.account]+bytes > own:
		refused.Bound = own
	case p.used+bytes > p.bound:
	case full:
		refused.Free = p.free
	default:
		refused = nil
	}
	if refused != nil {
		p.refused[refused.Reason]++
		return refused
	}
	p.add(bytes)
	return nil
}

// add counts bytes, and forgets an account that has none. The lock is held.
func (p *Place) add(bytes int64) {
	p.used += bytes
	if p.held[p.account] += bytes; p.held[p.account] == 0 {
		delete(p.held, p.account)
	}
}

func (p *Place) give(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(-bytes)
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
	Full     Reason = iota // other uses fill the place, or the share: the same may succeed later
	TooLarge               // one use alone is larger than the place, or the share
	Unusable               // the system fails to write there
)

// Refusal is the error of a write that a place cannot take.
type Refusal struct {
	Reason Reason
	Bound  int64 // of the place or the share, in bytes
	Free   int64 // bytes that stay free, where they refused; else 0
	Dir    string
	Err    error // of the system; nil where the bound refused
}

func (r *Refusal) Error() string {
	switch {
	case r.Reason == TooLarge:
		return fmt.Sprintf("this needs more than the %d MB for temporary files (TOLLKEEPER_TEMP_MB) in %s (TOLLKEEPER_TEMP_DIR)", r.Bound>>20, r.Dir)
	case r.Free > 0:
		return fmt.Sprintf("the file system of %s, for temporary files (TOLLKEEPER_TEMP_DIR), has no more than the %d MB that stay free (TOLLKEEPER_TEMP_FREE_MB)", r.Dir, r.Free>>20)
	case r.Reason == Full && r.Err == nil:
		return fmt.Sprintf("the %d MB for temporary files (TOLLKEEPER_TEMP_MB) in %s (TOLLKEEPER_TEMP_DIR) are full", r.Bound>>20, r.Dir)
	case r.Reason == Full:
		return fmt.Sprintf("the file system of %s, for temporary files (TOLLKEEPER_TEMP_DIR), is full: %v", r.Dir, r.Err)
	}
	return fmt.Sprintf("temporary files cannot be written in %s (TOLLKEEPER_TEMP_DIR): %v", r.Dir, r.Err)
}

func (r *Refusal) Unwrap() error { return r.Err }

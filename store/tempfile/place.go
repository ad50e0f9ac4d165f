package tempfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// mostByDefault bounds a place for which no bound is set, in bytes: the events of a few requests of a
// gigabyte, or a workbook of a million rows with many columns.
const mostByDefault = 4 << 30

// Place is a directory for temporary files of this process.
type Place struct {
	parent string
	bound  int64 // bytes

	mu      sync.Mutex
	used    int64
	refused map[Reason]int64
}

// New returns the place in a directory, with a bound in bytes. It makes nothing. "" is the system's
// directory for temporary files; 0 is the usual bound: 4 GB, or half of a smaller file system.
func New(dir string, bound int64) *Place {
	if dir == "" {
		dir = os.TempDir()
	}
	total := spaceOf(dir).Total
	if bound <= 0 {
		bound = mostByDefault
		if total > 0 {
			bound = min(bound, total/2)
		}
	}
	if total > 0 {
		bound = min(bound, total) // a request beyond that is refused for good, not for now
	}
	return &Place{parent: dir, bound: bound, refused: map[Reason]int64{}}
}

// Dir returns the directory that was chosen.
func (p *Place) Dir() string { return p.parent }

// Bound returns how many bytes the files of this process may have together.
func (p *Place) Bound() int64 { return p.bound }

// Used returns how many bytes the files have now.
func (p *Place) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// Refused returns how many writes were refused for a reason.
func (p *Place) Refused(why Reason) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused[why]
}

// Prepare checks that files can be made in the place, and removes what processes left there that are
// gone.
func (p *Place) Prepare() error {
	if err := Check(p.parent); err != nil {
		return err
	}
	removeLeftovers(p.parent)
	return nil
}

// Check reports why no file can be made in a directory. It leaves nothing there. A file system that is full is
// no such reason: it may have room later, and most work needs none.
func Check(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: is no directory", dir)
	}
	file, err := os.CreateTemp(dir, prefixNew)
	if err == nil {
		_, err = file.WriteString("x")
		err = errors.Join(err, file.Close(), os.Remove(file.Name()))
	}
	if isFull(err) {
		return nil
	}
	return err
}

// Names of directories of uses: the second is under its lock.
const (
	prefixNew = "tollkeeper-new-"
	prefix    = "tollkeeper-files-"
	lockName  = "lock" // of a file in it, where a directory has no lock
)

// removeLeftovers removes the directories of uses whose process is gone. One that cannot be looked at is
// of another user, and stays.
func removeLeftovers(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		dir := filepath.Join(parent, entry.Name())
		lock, err := lockDir(dir)
		if err != nil {
			continue
		}
		_ = lock.Close()
		_ = os.RemoveAll(dir)
	}
}

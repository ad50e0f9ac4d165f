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

// freeByDefault stays free where nothing else is set, in bytes.
const freeByDefault = 1 << 30

// Place is a directory for temporary files of this process, or the share of it that an account has.
type Place struct {
	*ledger
	account string // whose share it is; "" where it is the whole place
}

// ledger is what all shares of a place have in common.
type ledger struct {
	parent string
	bound  int64                  // bytes
	free   int64                  // bytes that stay free on the file system
	space  func(dir string) Space // of a file system

	mu      sync.Mutex
	used    int64
	held    map[string]int64 // bytes, by account
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
	return &Place{ledger: &ledger{parent: dir, bound: bound, space: spaceOf, held: map[string]int64{}, refused: map[Reason]int64{}}}
}

// LeaveFree lets so many bytes of the file system stay free, for others that write there; 0 is the usual: 1 GB, or a
// tenth of a smaller file system. The place has no more than the rest. It is called before the place is used.
func (p *Place) LeaveFree(bytes int64) {
	total := p.space(p.parent).Total
	if total <= 0 {
		return // the system does not tell
	}
	if bytes <= 0 {
		bytes = min(freeByDefault, total/10)
	}
	p.free = bytes
	p.bound = max(0, min(p.bound, total-bytes))
}

// Of returns the share of an account: at most half of the place, so that there is room for a second account whatever
// the first one does. "" is no account, and has all.
func (p *Place) Of(account string) *Place { return &Place{ledger: p.ledger, account: account} }

// Dir returns the directory that was chosen.
func (p *Place) Dir() string { return p.parent }

// Bound returns how many bytes the files of this process may have together, or those of the account.
func (p *Place) Bound() int64 {
	if p.account != "" {
		return p.bound / 2
	}
	return p.bound
}

// Free returns how many bytes stay free on the file system.
func (p *Place) Free() int64 { return p.free }

// Used returns how many bytes the files of all accounts have now.
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

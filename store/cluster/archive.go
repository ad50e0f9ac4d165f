//go:build unix

package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A shelf is the part of a backup directory that one data directory writes to: its base backups
// and its archived log. Each data directory has a number of its own, outside the database, so
// that a restored copy never writes into the archive that it came from.
type shelf string

func (s shelf) wal() string  { return filepath.Join(string(s), "wal") }
func (s shelf) base() string { return filepath.Join(string(s), "base") }

// numberFile is where a data directory keeps its number.
const numberFile = "backup-id"

// shelfOf returns the shelf of a data directory and makes it, for the user of id to write to.
func shelfOf(dir, backups string, id identity) (shelf, error) {
	number, err := os.ReadFile(filepath.Join(dir, numberFile))
	if errors.Is(err, os.ErrNotExist) {
		random := make([]byte, 6)
		_, _ = rand.Read(random) // never fails
		number = []byte(hex.EncodeToString(random))
		err = os.WriteFile(filepath.Join(dir, numberFile), number, 0o600)
	}
	if err != nil {
		return "", err
	}
	s := shelf(filepath.Join(backups, strings.TrimSpace(string(number))))
	for _, part := range []string{s.base(), s.wal()} {
		if err := os.MkdirAll(part, 0o700); err != nil {
			return "", fmt.Errorf("make the directory of backups: %w", err)
		}
	}
	if id.owner != nil { // that user passes through
		if err := os.Chmod(string(s), 0o711); err != nil {
			return "", err
		}
	}
	return s, id.own(s.wal())
}

// archiving are the settings with which PostgreSQL copies each segment of its log to the shelf,
// at the latest a minute after it was begun. A segment appears there complete or not at all; one
// that is there already was copied before a crash.
func archiving(s shelf) []string {
	to := quoted(s.wal()) + "/%f.gz"
	return []string{
		"archive_mode=on",
		"archive_timeout=60",
		"archive_command=test -f " + to + " || { gzip -1 -c %p > " + to + ".part && { sync " + to + ".part 2> /dev/null || sync; } && mv " + to + ".part " + to + "; }",
	}
}

// fetching is the setting with which PostgreSQL reads the log of the shelf again.
func fetching(s shelf) string {
	from := quoted(s.wal()) + "/%f.gz"
	return "restore_command=test -f " + from + " && gzip -d -c " + from + " > %p"
}

// quoted is a path as a word of the shell, in a setting in which % begins a place holder.
func quoted(path string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "%", "%%").Replace(path) + "'"
}

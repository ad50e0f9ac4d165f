//go:build !linux && !darwin

package tempfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

func spaceOf(string) Space { return Space{} }

// Errors of Windows for a disk that is full.
const (
	handleDiskFull = syscall.Errno(39)
	diskFull       = syscall.Errno(112)
)

func isFull(err error) bool { return errors.Is(err, diskFull) || errors.Is(err, handleDiskFull) }

// claim gives a directory its name, and locks it: Windows renames none in which a file is open.
func claim(made, named string) (*os.File, error) {
	if err := os.Rename(made, named); err != nil {
		return nil, err
	}
	return lockDir(named)
}

// lockDir has a file open in the directory: Windows removes none that is open.
func lockDir(dir string) (*os.File, error) {
	name := filepath.Join(dir, lockName)
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

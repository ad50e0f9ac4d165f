//go:build linux || darwin

package tempfile

import (
	"errors"
	"os"
	"syscall"
)

func spaceOf(dir string) Space {
	var of syscall.Statfs_t
	if err := syscall.Statfs(dir, &of); err != nil {
		return Space{}
	}
	size := uint64(of.Bsize) // of a block; its type depends on the system
	return Space{Total: int64(of.Blocks * size), Free: int64(of.Bavail * size)}
}

// isFull reports that no more bytes, or no more files, find room.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// claim gives a directory its name once this process has the lock on it, so that another process which
// starts at that moment does not take it for a leftover.
func claim(made, named string) (*os.File, error) {
	lock, err := lockDir(made)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(made, named); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// lockDir locks a directory until the file is closed or the process ends. It fails where another process
// has the lock. systemd-tmpfiles leaves a directory under such a lock alone.
func lockDir(dir string) (*os.File, error) {
	file, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

//go:build unix

package cluster

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// A lock is a lock on a file: it ends with the process, however that ends.
type lock struct{ file *os.File }

const (
	alone    = syscall.LOCK_EX
	together = syscall.LOCK_SH
)

// take waits for the lock until ctx ends.
func take(ctx context.Context, path string, how int) (lock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return lock{}, err
	}
	l := lock{file}
	for {
		ok, err := l.try(how)
		if err != nil || ctx.Err() != nil {
			l.release()
			return lock{}, errors.Join(err, ctx.Err())
		}
		if ok {
			return l, nil
		}
		pause(ctx)
	}
}

// try takes the lock, or changes how it is held, unless others hold it.
func (l lock) try(how int) (bool, error) {
	err := syscall.Flock(int(l.file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func (l lock) release() { _ = l.file.Close() }

// pause waits a moment between two looks at something that tells no news.
func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Millisecond):
	}
}

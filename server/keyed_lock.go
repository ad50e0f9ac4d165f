package server

import (
	"context"
	"sync"
)

// keyedLock serializes requests on one key inside this process, in the order of their
// arrival. Correctness does not depend on it: the lock in the database guarantees that, also
// between servers. It avoids a thundering herd there, since each change of a locked row wakes
// all transactions that wait for the row, and all but one wait again.
type keyedLock struct {
	mu   sync.Mutex
	last map[string]chan struct{} // by key: closed when the last to arrive is done
}

func newKeyedLock() *keyedLock { return &keyedLock{last: map[string]chan struct{}{}} }

// lock waits for all that locked the same key before. The caller must call unlock once.
func (l *keyedLock) lock(ctx context.Context, key string) (unlock func(), err error) {
	before, done := l.enqueue(key)
	if before == nil {
		return done, nil
	}
	select {
	case <-before:
		return done, nil
	case <-ctx.Done():
		go func() { // the next one still waits for those before
			<-before
			done()
		}()
		return nil, ctx.Err()
	}
}

// enqueue adds one to those that wait for key. before is closed when the one before is done;
// it is nil when there is none.
func (l *keyedLock) enqueue(key string) (before <-chan struct{}, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, ended := l.last[key], make(chan struct{})
	l.last[key] = ended
	return before, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.last[key] == ended {
			delete(l.last, key)
		}
		close(ended)
	}
}

package server

import (
	"context"
	"sync"
)

// turns lets requests that change one thing come one after the other. It keeps nothing
// right: that is what the lock in the database is for, between servers too. But whoever
// waits for a row there is woken each time that it changes, and of many who do so nearly
// all find that it is not their turn.
type turns struct {
	mu   sync.Mutex
	last map[string]chan struct{} // by thing: closed when who came last is done
}

func newTurns() *turns { return &turns{last: map[string]chan struct{}{}} }

// take waits for all who came before for the same thing. The next one waits for end, which
// is to be called once.
func (t *turns) take(ctx context.Context, thing string) (end func(), err error) {
	before, done := t.line(thing)
	if before == nil {
		return done, nil
	}
	select {
	case <-before:
		return done, nil
	case <-ctx.Done():
		go func() { // whoever comes next waits for those before all the same
			<-before
			done()
		}()
		return nil, ctx.Err()
	}
}

// line adds one to those who wait, and returns when the one before is done; nil when there
// is none.
func (t *turns) line(thing string) (before <-chan struct{}, end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, done := t.last[thing], make(chan struct{})
	t.last[thing] = done
	return before, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.last[thing] == done {
			delete(t.last, thing)
		}
		close(done)
	}
}

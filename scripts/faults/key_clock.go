package main

import (
	"sync"
	"time"
)

// keyLife is less than how long a server remembers an Idempotency-Key, by the account's clock (semantics 14.3).
const keyLife = 47 * time.Hour

// keyClock keeps the clock of an account from going on by more than the life of a key while a request waits for
// its answer. The request is sent again until it is answered. With a key that is forgotten it would be done twice.
type keyClock struct {
	mu    sync.Mutex
	from  time.Time // the clock stands there, or goes on from there
	to    time.Time // it stands there, or goes there
	waits bool      // a request waits for its answer
}

// hold sends a request and waits for its answer. One request is held at a time.
func (k *keyClock) hold(send func() error) error {
	k.until(func() bool {
		k.waits = k.to.Sub(k.from) <= keyLife
		return k.waits
	})
	defer k.until(func() bool { k.waits = false; return true })
	return send()
}

// moveTo has the clock moved to an instant.
func (k *keyClock) moveTo(at time.Time, move func() error) error {
	k.until(func() bool {
		may := !k.waits || at.Sub(k.from) <= keyLife
		if may {
			k.to = at
		}
		return may
	})
	err := move()
	k.until(func() bool {
		if !k.waits {
			k.from = at
		}
		return true
	})
	return err
}

// until waits until a step may be taken, and takes it.
func (k *keyClock) until(may func() bool) {
	for done := false; !done; {
		k.mu.Lock()
		done = may()
		k.mu.Unlock()
		if !done {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

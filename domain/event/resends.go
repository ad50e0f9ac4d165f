package event

import "sync"

// How many recordings of an account ask first which keys are known, after one was undone because
// of a known key.
const (
	fewestAsking = 16
	mostAsking   = 1 << 12
)

// resends remembers which accounts send known keys again. A recording by the short way that meets
// a known key is undone and leaves dead rows, up to insertSize of them. So the next recordings of
// that account ask first: as many as asking says after the last known key, and twice as many each
// time that a recording is undone again.
type resends struct {
	mu       sync.Mutex
	accounts map[string]*asking // only those that sent a known key
}

type asking struct {
	left int // recordings that still ask first
	span int // what left begins with
}

// unlikely reports whether the next recording of an account may assume that its keys are new.
func (r *resends) unlikely(account string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.accounts[account]
	if a == nil || a.left == 0 {
		return true
	}
	a.left--
	return false
}

// found notes that a recording was undone.
func (r *resends) found(account string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.accounts[account]
	if a == nil {
		a = &asking{span: fewestAsking / 2}
		r.accounts[account] = a
	}
	a.span = min(2*a.span, mostAsking)
	a.left = a.span
}

// again notes that a recording which asked first had known keys.
func (r *resends) again(account string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.accounts[account]; a != nil {
		a.left = a.span
	}
}

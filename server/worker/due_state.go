package worker

import (
	"sync"
	"time"

	"tollkeeper/domain/due"
)

// DueState is the state of due work of one kind, of all accounts on real time.
type DueState struct {
	Kind   string
	Lag    time.Duration // since the first unit fell due that is neither done nor held up; 0: none is due
	Parked int           // units that failed, also of test clocks that are stopped
}

// dueStates are what this process saw last.
type dueStates struct {
	mu     sync.Mutex
	first  map[string]map[string]time.Time // by account and kind: when the first unit fell due
	parked map[string]int                  // by kind
}

func newDueStates() *dueStates {
	return &dueStates{first: map[string]map[string]time.Time{}, parked: map[string]int{}}
}

// saw notes when the first units of an account fell due, by kind. None is left where that is empty.
func (d *dueStates) saw(account string, first map[string]time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(first) == 0 {
		delete(d.first, account)
		return
	}
	d.first[account] = first
}

func (d *dueStates) counted(counts []due.Count) {
	parked := map[string]int{}
	for _, c := range counts {
		parked[c.Kind] += c.Units
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.parked = parked
}

// DueStates returns the state of each kind of due work at an instant of real time, in the order of jobs.
func (w *Worker) DueStates(now time.Time) []DueState {
	w.due.mu.Lock()
	defer w.due.mu.Unlock()
	states := make([]DueState, len(jobs))
	for k, j := range jobs {
		states[k] = DueState{Kind: j.name, Parked: w.due.parked[j.name]}
		for _, first := range w.due.first {
			if at, waits := first[j.name]; waits {
				states[k].Lag = max(states[k].Lag, now.Sub(at))
			}
		}
	}
	return states
}

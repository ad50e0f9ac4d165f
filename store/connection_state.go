package store

import (
	"errors"
	"time"
)

// ConnectionState is the state of the connections for one use in this process.
type ConnectionState struct {
	Use     Use
	Used    int           // by transactions
	Waiting int           // transactions that wait for a connection
	Waits   int64         // transactions that had to wait, and do no longer
	Waited  time.Duration // the sum of their waits
	Refused int64         // those of them that had no connection in time
}

// waits are those of transactions that wait no longer.
type waits struct {
	count, refused int64
	took           time.Duration
}

// waited counts a wait that is over.
func (s *Shares) waited(took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits.count++
	s.waits.took += took
	if errors.Is(err, ErrBusy) {
		s.waits.refused++
	}
}

func (s *Shares) state() (state ConnectionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, held := range s.held {
		state.Used += held
	}
	state.Waiting = len(s.waiting)
	state.Waits, state.Waited, state.Refused = s.waits.count, s.waits.took, s.waits.refused
	return state
}

// ConnectionStates returns the state of each use, in the order of uses.
func (s *Store) ConnectionStates() []ConnectionState {
	states := make([]ConnectionState, len(s.connections))
	for use := range states {
		states[use] = s.connections[Use(use)].state()
		states[use].Use = Use(use)
	}
	return states
}

// String names the use.
func (u Use) String() string {
	switch u {
	case Ingest:
		return "ingest"
	case Background:
		return "background"
	default:
		return "requests"
	}
}

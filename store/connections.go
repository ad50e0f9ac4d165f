package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy reports that no connection to the database became free in time: nothing was
// done, and the same may succeed a moment later.
var ErrBusy = errors.New("store: all connections to the database are in use")

// connectionWithin is how long a transaction waits for a connection of the pool.
const connectionWithin = 10 * time.Second

// Use is what connections are used for. Each use has its own, so that none waits for another.
type Use int

// Uses.
const (
	Requests   Use = iota // the default
	Ingest                // storing events
	Background            // what no request waits for
)

// A server opens so many connections at most, unless [Options] say otherwise. A few transactions per core keep
// PostgreSQL busy, more only queue inside it. Three servers fit into the 100 connections that PostgreSQL
// allows by default.
const UsualConnections = 32

// FewestConnections leave one to each use.
const FewestConnections = 5

// besides are the connections that no transaction of a use has: one for [Store.Ping], one for [Store.Lock].
const besides = 2

// partition parts the connections of a server between their uses: usually 16 for requests, 4 for storing events
// and 10 for the background.
func partition(connections int) map[Use]int {
	all := max(connections, FewestConnections) - besides
	ingest, background := max(1, all*2/15), max(1, all/3)
	return map[Use]int{Requests: all - ingest - background, Ingest: ingest, Background: background}
}

// MostAtOnce returns how many transactions an account may have at one time for a use, when no other has any.
func (s *Store) MostAtOnce(use Use) int { return (s.most[use] + 1) / 2 }

// transactions returns how many transactions there are at one time.
func (s *Store) transactions() int { return s.most[Requests] + s.most[Ingest] + s.most[Background] }

type useKey struct{}

// For returns a context whose transactions are for that use.
func For(ctx context.Context, use Use) context.Context {
	return context.WithValue(ctx, useKey{}, use)
}

func useOf(ctx context.Context) Use {
	use, _ := ctx.Value(useKey{}).(Use)
	return use
}

// connection waits for a connection to be free for the use and the account of the context, and reserves it
// until free is called. A caller that has one must not ask for another.
func (s *Store) connection(ctx context.Context) (free func(), err error) {
	return s.connections[useOf(ctx)].Take(ctx, AccountID(ctx), connectionWithin)
}

// Shares parts connections, or what else is scarce, between accounts. An account may take one more as long as fewer
// are in its hands than are free. So one alone has half, two have a third each, and a few are left to others,
// whatever those do. What belongs to no account takes any.
type Shares struct {
	mu      sync.Mutex
	free    int
	held    map[string]int // by account
	waiting []*waiter      // in the order of arrival
	waits   waits          // that are over
}

type waiter struct {
	account string
	turn    chan struct{} // closed when it has a connection
}

// NewShares parts so many connections.
func NewShares(connections int) *Shares {
	return &Shares{free: connections, held: map[string]int{}}
}

// Take waits for a connection to be free for an account, and reserves it until free is called. It fails with
// [ErrBusy] when none becomes free in time.
func (s *Shares) Take(ctx context.Context, account string, within time.Duration) (free func(), err error) {
	free = func() { s.giveBack(account) }
	s.mu.Lock()
	waits := slices.ContainsFunc(s.waiting, func(w *waiter) bool { return w.account == account }) // who came before it
	if !waits && s.may(account) {
		s.lend(account)
		s.mu.Unlock()
		return free, nil
	}
	w := &waiter{account, make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	began := time.Now() //nolint:forbidigo // real time
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-w.turn:
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = ErrBusy
	}
	s.waited(time.Since(began), err) //nolint:forbidigo // real time
	if err != nil {
		s.leave(w)
		return nil, err
	}
	return free, nil
}

// may reports whether an account may take one more.
func (s *Shares) may(account string) bool {
	return s.free > 0 && (account == "" || s.held[account] < s.free)
}

func (s *Shares) lend(account string) {
	s.free--
	s.held[account]++
}

// giveBack frees a connection, for those that wait for one.
func (s *Shares) giveBack(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.held[account]--; s.held[account] == 0 {
		delete(s.held, account)
	}
	s.serve()
}

// serve lends what is free to those that wait, in the order of arrival, past those whose account has its share.
func (s *Shares) serve() {
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiter) bool {
		if !s.may(w.account) {
			return false
		}
		s.lend(w.account)
		close(w.turn)
		return true
	})
}

// leave ends the wait of one that gave up. If it was served at that moment, it gives the connection back.
func (s *Shares) leave(w *waiter) {
	s.mu.Lock()
	k := slices.Index(s.waiting, w)
	if k >= 0 {
		s.waiting = slices.Delete(s.waiting, k, k+1)
	}
	s.mu.Unlock()
	if k < 0 {
		s.giveBack(w.account)
	}
}

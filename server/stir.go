package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// The pace at which accounts are looked at: how many at once, how long one is left alone
// afterwards, and how many of those that nobody stirred here are looked at each second,
// since another server may have ended before it came to them.
const (
	watchers    = 4
	watchPause  = 100 * time.Millisecond
	watchOthers = 20
)

// Watch looks at what changed in accounts, soon after each request that may have changed
// something, until ctx ends. It begins with all accounts: what is to be looked at is known
// to the database, whichever server was to do it. Several servers may watch.
func (s *Server) Watch(ctx context.Context) {
	ctx = s.reading(ctx)
	var at sync.WaitGroup
	for range watchers {
		at.Go(func() {
			for id, ok := s.stirred.next(ctx); ok; id, ok = s.stirred.next(ctx) {
				s.doNow(store.WithAccount(ctx, id), watching)
				time.AfterFunc(watchPause, func() { s.stirred.rest(id) })
			}
		})
	}
	s.stirAll(ctx)
	at.Wait()
}

// stirAll stirs all accounts at once, and then in turn.
func (s *Server) stirAll(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var others []account.Account
	for turn := -1; ; turn = watchOthers {
		if len(others) == 0 {
			var err error
			if others, err = account.List(ctx, s.store); err != nil {
				s.complain(ctx, "list accounts", err)
			}
		}
		if turn < 0 || turn > len(others) {
			turn = len(others)
		}
		for _, a := range others[:turn] {
			s.stirred.add(a.ID)
		}
		others = others[turn:]
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// stir notes whose request may have changed something.
func (s *Server) stir(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := next(c)
		if method := c.Request().Method; err == nil && method != http.MethodGet && method != http.MethodHead {
			s.stirred.add(store.AccountID(c.Request().Context()))
		}
		return err
	}
}

// stirred are accounts to be looked at. No account is looked at twice at one time.
type stirred struct {
	mu      sync.Mutex
	waiting map[string]bool
	busy    map[string]bool // looked at, or left alone for a moment
	wake    chan struct{}
}

func newStirred() *stirred {
	return &stirred{waiting: map[string]bool{}, busy: map[string]bool{}, wake: make(chan struct{}, 1)}
}

func (s *stirred) add(account string) {
	if account == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[account] = true
	s.tell()
}

// tell wakes one who waits, or the next to come.
func (s *stirred) tell() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next takes an account that waits, and false when ctx has ended.
func (s *stirred) next(ctx context.Context) (account string, ok bool) {
	for {
		if account, ok := s.take(); ok {
			return account, true
		}
		select {
		case <-ctx.Done():
			return "", false
		case <-s.wake:
		}
	}
}

func (s *stirred) take() (account string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.waiting {
		if s.busy[id] {
			continue
		}
		delete(s.waiting, id)
		s.busy[id] = true
		if len(s.waiting) > 0 {
			s.tell()
		}
		return id, true
	}
	return "", false
}

// rest ends a look at an account.
func (s *stirred) rest(account string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, account)
	if s.waiting[account] {
		s.tell()
	}
}

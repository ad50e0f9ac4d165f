package server

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"gorm.io/gorm"

	"tollkeeper/domain/requestlog"
	"tollkeeper/gen"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// Requests wait in memory until they are stored, in batches. A request waits for nothing: where there
// is no room, it is left out of the log, and counted.
const (
	mostWaiting   = 4096
	mostStored    = 200 // requests of an account in one pass; more are not read by people
	storeEvery    = time.Second
	forgetEvery   = 10 * time.Minute
	lastPassTakes = 2 * time.Second
)

// RequestLog stores the requests that came with a key, beside them.
type RequestLog struct {
	store   *store.Store
	runner  *background.Runner
	waiting chan requestlog.Request
	lost    func()
}

// RequestLog returns the log of requests that came with a key. It stores nothing until Run is called.
func (s *Server) RequestLog() *RequestLog { return s.recent }

// note adds a request that was answered. Events that were stored are left out: they come in numbers that
// nobody reads, and have a log of their own, by their keys.
func (l *RequestLog) note(c echo.Context, r *request, took time.Duration, now time.Time) {
	if _, byPerson := personOf(c.Request().Context()); byPerson || r.account.ID == "" {
		return
	}
	status := c.Response().Status
	entry := requestlog.Request{
		Record: store.Record{AccountID: r.account.ID, CreatedAt: now.UTC().Truncate(time.Microsecond)}, KeyID: r.apiKey.ID,
		Method: c.Request().Method, Path: c.Request().URL.Path, Status: status, TookMicros: took.Microseconds(), RequestID: r.id, Problem: r.problem,
	}
	if r.operation != nil {
		entry.Operation = r.operation.ID
		if entry.Operation == ingestion && status < http.StatusBadRequest {
			return
		}
	}
	select {
	case l.waiting <- entry:
	default:
		l.lost()
	}
}

// Run stores what waits until ctx ends, and forgets what is old.
func (l *RequestLog) Run(ctx context.Context) {
	ctx = store.For(ctx, store.Background)
	ticker := time.NewTicker(storeEvery)
	defer ticker.Stop()
	var forgotten time.Time
	for {
		if now := time.Now(); now.Sub(forgotten) > forgetEvery {
			forgotten = now
			l.runner.Run(ctx, background.Unit{Work: "forget old requests"}, func() error { return l.Forget(ctx, now) })
		}
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPassTakes)
			defer cancel()
			l.runner.Run(last, background.Unit{Work: "store requests"}, func() error { return l.Pass(last) })
			return
		case <-ticker.C:
		}
		l.runner.Run(ctx, background.Unit{Work: "store requests"}, func() error { return l.Pass(ctx) })
	}
}

// Pass stores what waits now, a transaction for each account. What cannot be stored is lost.
func (l *RequestLog) Pass(ctx context.Context) (err error) {
	batch := map[string][]requestlog.Request{}
	for range len(l.waiting) {
		r := <-l.waiting
		if len(batch[r.AccountID]) == mostStored {
			l.lost()
			continue
		}
		batch[r.AccountID] = append(batch[r.AccountID], r)
	}
	for account, requests := range batch {
		failed := l.store.Update(store.WithAccount(ctx, account), func(tx *store.Tx) error { return requestlog.Add(tx, requests) })
		if failed != nil {
			err = failed // one account's failure loses no other's
			for range requests {
				l.lost()
			}
		}
	}
	return err
}

// Forget deletes what is too old or too much by now.
func (l *RequestLog) Forget(ctx context.Context, now time.Time) error {
	for more := true; more && ctx.Err() == nil; {
		err := l.store.Shared(ctx, func(db *gorm.DB) (err error) {
			more, err = requestlog.Forget(db, now)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// problemLine is what a failed answer says, for the log of requests.
func problemLine(p gen.Problem) string {
	if len(p.ValidationErrors) > 0 {
		return strings.Join(p.ValidationErrors, "; ")
	}
	return cmp.Or(p.Detail, p.Title)
}

package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/requestlog"
	"tollkeeper/server/requestwriter"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// logRequest counts each request, notes it for the account, and logs it: successful ones only at the level debug, since
// a line costs more than storing an event does. The log contains no bodies, no keys and no
// values of path parameters.
func (s *Server) logRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		if err := recovered(next, c); err != nil {
			c.Error(err)
		}
		took := time.Since(began)
		ctx := c.Request().Context()
		r := requestOf(ctx)
		name := "none"
		if r.operation != nil {
			name = r.operation.ID
		}
		s.noteRequest(c, r, took, time.Now())
		s.metrics.took.WithLabelValues(name, strconv.Itoa(c.Response().Status)).Observe(took.Seconds())
		level := slog.LevelDebug
		// A 503 is logged with others, see outages.
		if c.Response().Status >= http.StatusBadRequest && c.Response().Status != http.StatusServiceUnavailable {
			level = slog.LevelInfo
		}
		if !s.log.Enabled(ctx, level) {
			return nil
		}
		s.log.LogAttrs(ctx, level, "request", requestAttr(ctx),
			slog.String("method", c.Request().Method),
			slog.String("path", c.Path()), // the template: ids and aliases stay out
			slog.Int("status", c.Response().Status),
			slog.Int64("bytes", c.Response().Size),
			slog.Duration("took", took),
			slog.String("account", r.account.ID))
		return nil
	}
}

// noteRequest adds a request that came with a key to the log of its account. Events that were stored are left out: they come in numbers that
// nobody reads, and have a log of their own, by their keys.
func (s *Server) noteRequest(c echo.Context, r *request, took time.Duration, now time.Time) {
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
	s.requestLog.Add(entry)
}

// RequestLog returns the log of requests that came with a key.
func (s *Server) RequestLog() *requestwriter.Log { return s.requestLog }

func requestAttr(ctx context.Context) slog.Attr {
	return slog.String("request_id", requestOf(ctx).id)
}

// recovered runs a handler and turns its panic into an error.
func recovered(next echo.HandlerFunc, c echo.Context) (err error) {
	err = fault.Recovered(func() error { return next(c) })
	var panicked *fault.Panic
	if errors.As(err, &panicked) && panicked.Value == http.ErrAbortHandler {
		panic(panicked.Value)
	}
	return err
}

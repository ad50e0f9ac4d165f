package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/common/expfmt"
)

// readyWithin bounds how long the database may take to answer a probe.
const readyWithin = 2 * time.Second

// probesEvery is how often at most what probes show is computed; see Config.ProbesEvery.
const probesEvery = time.Second

// AdminHandler serves the probes, for an address of their own; see Config.AdminApart.
func (s *Server) AdminHandler() http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = s.fail
	e.Use(s.begin, s.logRequest, writeDeadline, s.readDeadline)
	registerHealth(e)
	s.registerProbes(e)
	return answerHead(e)
}

// registerHealth serves whether the process lives.
func registerHealth(e *echo.Echo) {
	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
}

// registerProbes serves readiness with the state of the books, and /metrics.
func (s *Server) registerProbes(e *echo.Echo) {
	e.GET("/readyz", s.ready)
	e.GET("/metrics", s.showMetrics)
}

// readyAlone is ready without the state of the books, where that has an address of its own.
func (s *Server) readyAlone(c echo.Context) error {
	if c.QueryParams().Has("deep") {
		return echo.ErrNotFound
	}
	return s.ready(c)
}

// ready reports whether requests can be served, which is whether the database answers, and whether
// more should be sent here. With the parameter deep it also reports the last verification of the books.
func (s *Server) ready(c echo.Context) error {
	if s.stopping.Load() {
		return c.String(http.StatusServiceUnavailable, "the server is stopping: requests are still served, but send new ones to another server\n")
	}
	if err := s.answers.get(); err != nil {
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	if !c.QueryParams().Has("deep") {
		return c.String(http.StatusOK, "ready\n")
	}
	books := s.worker.Books()
	switch {
	case books == nil:
		return c.String(http.StatusOK, "ready; the books were not verified yet\n")
	case len(books.Findings) > 0:
		return c.String(http.StatusServiceUnavailable, fmt.Sprintf("the books do not agree: %d findings\n", len(books.Findings)))
	}
	return c.String(http.StatusOK, fmt.Sprintf("ready; %d invoices verified\n", books.Invoices))
}

// ping asks the database. It is asked for all that wait for the answer, so none of them ends it.
func (s *Server) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	return s.store.Ping(ctx)
}

// exposition is what /metrics shows.
type exposition struct {
	plain, zipped []byte
	at            time.Time
	err           error
}

// textFormat is the one form of /metrics, which every Prometheus reads.
var textFormat = expfmt.NewFormat(expfmt.TypeTextPlain)

// showMetrics serves the metrics of the server and its process.
func (s *Server) showMetrics(c echo.Context) error {
	shown := s.exposition.get()
	if shown.err != nil {
		return shown.err
	}
	header := c.Response().Header()
	header.Set(echo.HeaderVary, echo.HeaderAcceptEncoding)
	header.Set(echo.HeaderLastModified, shown.at.UTC().Format(http.TimeFormat))
	if !acceptsGzip(c.Request()) {
		return c.Blob(http.StatusOK, string(textFormat), shown.plain)
	}
	header.Set(echo.HeaderContentEncoding, "gzip")
	return c.Blob(http.StatusOK, string(textFormat), shown.zipped)
}

// acceptsGzip reports a request that asks for gzip without further conditions, as Prometheus does.
func acceptsGzip(r *http.Request) bool {
	return slices.ContainsFunc(strings.Split(r.Header.Get(echo.HeaderAcceptEncoding), ","), func(encoding string) bool {
		return strings.TrimSpace(encoding) == "gzip"
	})
}

// expose gathers and writes all metrics.
func (m *metrics) expose() exposition {
	families, err := m.registry.Gather()
	if err != nil {
		return exposition{err: fmt.Errorf("gather metrics: %w", err)}
	}
	var plain, zipped bytes.Buffer
	to := expfmt.NewEncoder(&plain, textFormat)
	for _, family := range families {
		if err := to.Encode(family); err != nil {
			return exposition{err: fmt.Errorf("write metrics: %w", err)}
		}
	}
	packer := gzip.NewWriter(&zipped)
	if _, err = packer.Write(plain.Bytes()); err == nil {
		err = packer.Close()
	}
	return exposition{plain: plain.Bytes(), zipped: zipped.Bytes(), at: time.Now(), err: err}
}

// cached is a value that is computed at most once in a time, however many ask. Those that ask while it is
// computed wait for that.
type cached[T any] struct {
	compute func() T
	every   time.Duration

	mu    sync.Mutex
	value T
	until time.Time
}

func newCached[T any](every time.Duration, compute func() T) *cached[T] {
	return &cached[T]{compute: compute, every: every}
}

func (c *cached[T]) get() T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !time.Now().Before(c.until) {
		c.value = c.compute()
		c.until = time.Now().Add(c.every)
	}
	return c.value
}

package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tollkeeper/domain/event"
	"tollkeeper/domain/fault"
)

// observe counts each request and writes a line to the log for it: of those that
// went well only at the level debug, since a line costs more than storing an
// event does. Neither bodies nor keys nor what paths are filled with appear there.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
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
			name = r.operation.id
		}
		s.metrics.took.WithLabelValues(name, strconv.Itoa(c.Response().Status)).Observe(took.Seconds())
		level := slog.LevelDebug
		if c.Response().Status >= http.StatusBadRequest {
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

// metrics are those of one server, beside the ones of its process.
type metrics struct {
	registry *prometheus.Registry
	took     *prometheus.HistogramVec
	books    *prometheus.GaugeVec   // of the last verification; empty before the first
	panics   *prometheus.CounterVec // by kind of work
}

func newMetrics(recorder *event.Recorder) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tollkeeper_request_seconds",
			Help:    "How long requests took, by operation and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "status"}),
	}
	m.books = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "tollkeeper_verified",
		Help: "What the last look through the books came to: invoices, those of them recomputed, those compared with the reference model or left out, and findings.",
	}, []string{"what"})
	m.panics = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollkeeper_panics_total",
		Help: "Panics, by the kind of work that they ended: requests, or background work of one account.",
	}, []string{"work"})
	filters := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "tollkeeper_key_filter_bytes",
		Help: "What the filters of known keys take in memory.",
	}, func() float64 {
		_, bytes := recorder.Filters()
		return float64(bytes)
	})
	m.registry.MustRegister(filters, m.took, m.books, m.panics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// verified shows what a verification came to.
func (m *metrics) verified(v Verification) {
	leftOut := 0
	for _, count := range v.LeftOut {
		leftOut += count
	}
	for what, count := range map[string]int{
		"invoices": v.Invoices, "recomputed": v.Recomputed, "referred": v.Referred, "left out": leftOut, "findings": len(v.Findings),
	} {
		m.books.WithLabelValues(what).Set(float64(count))
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

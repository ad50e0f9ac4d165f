package server

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"tollkeeper/domain/event"
	"tollkeeper/domain/webhook"
	"tollkeeper/server/worker"
)

// metrics are those of one server, beside the ones of its process.
type metrics struct {
	registry *prometheus.Registry
	took     *prometheus.HistogramVec
	books    *prometheus.GaugeVec   // of the last verification; empty before the first
	panics   *prometheus.CounterVec // by kind of work
	restarts prometheus.Counter     // of the private PostgreSQL
	failures *prometheus.CounterVec // of units of due work, by kind
	attempts *prometheus.CounterVec // to deliver webhooks, by result
	unlogged prometheus.Counter     // requests that the request log leaves out

	backups    backups                         // of the private PostgreSQL
	verifiedAt atomic.Int64                    // when the last verification began, in seconds; 0 before the first
	backlog    atomic.Pointer[webhook.Backlog] // of webhooks; nil before it was counted first
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
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "tollkeeper_verification_age_seconds",
		Help: "How long ago the last complete verification of the books began; -1 before the first.",
	}, func() float64 {
		if began := m.verifiedAt.Load(); began != 0 {
			return time.Since(time.Unix(began, 0)).Seconds()
		}
		return -1
	}))
	m.restarts = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "tollkeeper_postgres_restarts_total",
		Help: "How often the private PostgreSQL ended and was restarted.",
	})
	m.failures = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollkeeper_due_failures_total",
		Help: "Attempts of due work that failed, by kind.",
	}, []string{"kind"})
	m.attempts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tollkeeper_webhook_attempts_total",
		Help: "Attempts to deliver webhooks: delivered, retried (another attempt follows), failed (it was the last one).",
	}, []string{"result"})
	for _, result := range []string{"delivered", "retried", "failed"} {
		m.attempts.WithLabelValues(result)
	}
	m.unlogged = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "tollkeeper_requests_unlogged_total",
		Help: "Requests that are not in the request log of their account, because there were too many at once or they could not be stored.",
	})
	m.registry.MustRegister(m.unlogged, filters, m.restarts, m.failures, m.attempts, m.took, m.books, m.panics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// dueFailed counts an attempt of due work that failed.
func (m *metrics) dueFailed(kind string) { m.failures.WithLabelValues(kind).Inc() }

// webhookAttempted counts an attempt to deliver a webhook.
func (m *metrics) webhookAttempted(result string) { m.attempts.WithLabelValues(result).Inc() }

// webhooksWait shows which webhooks are still to be sent.
func (m *metrics) webhooksWait(backlog webhook.Backlog) { m.backlog.Store(&backlog) }

// panicked counts a panic.
func (m *metrics) panicked(work string) { m.panics.WithLabelValues(work).Inc() }

// DatabaseRestarted counts a restart of the private PostgreSQL, and logs it.
func (s *Server) DatabaseRestarted() {
	s.metrics.restarts.Inc()
	s.log.Warn("the private PostgreSQL had ended and was restarted")
}

// ShowBackups has /metrics show the state of backups from now on.
func (s *Server) ShowBackups(state Backups) { s.metrics.backups.state.Store(&state) }

// verified shows the result of a verification.
func (m *metrics) verified(v worker.Verification) {
	m.verifiedAt.Store(v.Began.Unix())
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

package server

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tollkeeper/domain/webhook"
	"tollkeeper/server/background"
	"tollkeeper/server/worker"
)

// KeptAsPending names the operations whose requests can wait as pending changes, as
// changes are typed.
func KeptAsPending() (types []string) {
	for kind := range changes {
		types = append(types, kind)
	}
	return types
}

// ChangeType names the kind of change that an operation makes.
var ChangeType = changeType

// KeyedLock returns the function that locks one key of a new lock.
func KeyedLock() (lock func(ctx context.Context) (unlock func(), err error)) {
	l := newKeyedLock()
	return func(ctx context.Context) (func(), error) { return l.lock(ctx, "it") }
}

// RunUnit runs a unit of background work.
func (s *Server) RunUnit(work, of string, do func() error) bool {
	return s.runner.Run(context.Background(), background.Unit{Work: work, Of: of}, do)
}

// TimedBody reads a body as that of a request, by a clock, from a client that may send nothing for so long.
func TimedBody(body io.ReadCloser, conn interface{ SetReadDeadline(at time.Time) error }, stalled time.Duration, now func() time.Time) io.Reader {
	return newTimedBody(body, conn, stalled, now)
}

// ShowAllMetrics lets /metrics have those too that are there only once something happened.
func (s *Server) ShowAllMetrics() {
	s.metrics.panicked("request")
	s.metrics.dueFailed("issue invoices")
	s.metrics.verified(worker.Verification{})
	s.metrics.webhooksWait(webhook.Backlog{})
	s.ShowBackups(Backups{})
}

// CountScrapes returns how often all metrics were gathered since.
func (s *Server) CountScrapes() (times func() int64) {
	counter := &scrapes{}
	s.metrics.registry.MustRegister(counter)
	return counter.seen.Load
}

// scrapes is a collector that shows nothing and counts how often it is asked.
type scrapes struct{ seen atomic.Int64 }

func (*scrapes) Describe(to chan<- *prometheus.Desc) {
	prometheus.NewGauge(prometheus.GaugeOpts{Name: "spec_scrapes"}).Describe(to)
}

func (c *scrapes) Collect(chan<- prometheus.Metric) { c.seen.Add(1) }

// CountPings returns how often the database was asked for probes since.
func (s *Server) CountPings() (times func() int64) {
	var asked atomic.Int64
	ask := s.answers.compute
	s.answers.compute = func() error {
		asked.Add(1)
		return ask()
	}
	return asked.Load
}

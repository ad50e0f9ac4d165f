package server

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Backups is the state of the backups of a private PostgreSQL.
type Backups struct {
	ArchivedAt   *time.Time // when a segment of the log was archived last; nil: none was
	WaitingSince *time.Time // when the oldest complete segment was that is not archived; nil: none is
	Failures     int64      // attempts to archive a segment that failed
	BackedUpAt   *time.Time // when the newest base backup ended; nil: there is none
}

// backups shows the state of backups; nothing where there are none to be made.
type backups struct{ state atomic.Pointer[Backups] }

var (
	logAge = prometheus.NewDesc("tollkeeper_backup_log_age_seconds",
		"How long ago a segment of the log of the private PostgreSQL was archived; -1 before the first. A database without changes archives none.", nil, nil)
	logWaiting = prometheus.NewDesc("tollkeeper_backup_log_waiting_seconds",
		"How long the oldest complete segment of the log has waited to be archived; 0 where none waits.", nil, nil)
	logFailures = prometheus.NewDesc("tollkeeper_backup_log_failures_total",
		"Attempts to archive a segment of the log that failed.", nil, nil)
	backupAge = prometheus.NewDesc("tollkeeper_backup_age_seconds",
		"How long ago the newest base backup ended; -1 where there is none.", nil, nil)
)

// Describe is of prometheus.Collector.
func (*backups) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{logAge, logWaiting, logFailures, backupAge} {
		to <- desc
	}
}

// Collect is of prometheus.Collector.
func (b *backups) Collect(to chan<- prometheus.Metric) {
	state := b.state.Load()
	if state == nil {
		return
	}
	now := time.Now()
	since := func(desc *prometheus.Desc, at *time.Time, never float64) {
		value := never
		if at != nil {
			value = max(0, now.Sub(*at).Seconds())
		}
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value)
	}
	since(logAge, state.ArchivedAt, -1)
	since(logWaiting, state.WaitingSince, 0)
	since(backupAge, state.BackedUpAt, -1)
	to <- prometheus.MustNewConstMetric(logFailures, prometheus.CounterValue, float64(state.Failures))
}

package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tollkeeper/server/worker"
)

// dueWork shows the state of due work, by kind. What it shows is in memory, so a scrape costs no query.
type dueWork struct{ worker *worker.Worker }

var (
	dueLag = prometheus.NewDesc("tollkeeper_due_lag_seconds",
		"How long ago the first unit of due work fell due that is neither done nor held up by a parked one, of accounts on real time.", []string{"kind"}, nil)
	dueParked = prometheus.NewDesc("tollkeeper_due_parked",
		"Units of due work that failed and are tried again later. tollkeeper due list shows them.", []string{"kind"}, nil)
)

// Describe is of prometheus.Collector.
func (dueWork) Describe(to chan<- *prometheus.Desc) {
	to <- dueLag
	to <- dueParked
}

// Collect is of prometheus.Collector.
func (d dueWork) Collect(to chan<- prometheus.Metric) {
	for _, s := range d.worker.DueStates(time.Now()) {
		to <- prometheus.MustNewConstMetric(dueLag, prometheus.GaugeValue, s.Lag.Seconds(), s.Kind)
		to <- prometheus.MustNewConstMetric(dueParked, prometheus.GaugeValue, float64(s.Parked), s.Kind)
	}
}

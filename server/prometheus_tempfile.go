package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"tollkeeper/store/tempfile"
)

// temporaryFiles shows what the temporary files of this server take of their place.
type temporaryFiles struct{ place *tempfile.Place }

var (
	tempUsed = prometheus.NewDesc("tollkeeper_temp_bytes",
		"Bytes of temporary files: large requests with events, and workbooks.", nil, nil)
	tempBound = prometheus.NewDesc("tollkeeper_temp_bound_bytes",
		"Bytes that temporary files may have (TOLLKEEPER_TEMP_MB), half of them for one account.", nil, nil)
	tempRefusals = prometheus.NewDesc("tollkeeper_temp_refusals_total",
		"Requests that found no room for temporary files: full (of others, or of the same account), too_large (one alone is larger than the share of an account), unusable (the system fails to write).", []string{"reason"}, nil)
)

// Describe is of prometheus.Collector.
func (temporaryFiles) Describe(to chan<- *prometheus.Desc) {
	to <- tempUsed
	to <- tempBound
	to <- tempRefusals
}

// Collect is of prometheus.Collector.
func (t temporaryFiles) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.MustNewConstMetric(tempUsed, prometheus.GaugeValue, float64(t.place.Used()))
	to <- prometheus.MustNewConstMetric(tempBound, prometheus.GaugeValue, float64(t.place.Bound()))
	for reason, name := range map[tempfile.Reason]string{tempfile.Full: "full", tempfile.TooLarge: "too_large", tempfile.Unusable: "unusable"} {
		to <- prometheus.MustNewConstMetric(tempRefusals, prometheus.CounterValue, float64(t.place.Refused(reason)), name)
	}
}

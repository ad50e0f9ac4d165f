package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// queues shows what waits in this server and how many events it took. All of it is in memory, so a scrape costs
// no query.
type queues struct{ server *Server }

var (
	eventsTaken = prometheus.NewDesc("tollkeeper_events_total",
		"Events that were sent, by result: stored, duplicate (stored before), refused (invalid).", []string{"result"}, nil)
	ingestWaiting = prometheus.NewDesc("tollkeeper_ingest_waiting_events",
		"Events that wait to be stored, and are not answered yet.", nil, nil)
	ingestRequests = prometheus.NewDesc("tollkeeper_ingest_waiting_requests",
		"Requests whose events wait to be stored.", nil, nil)
	usageLag = prometheus.NewDesc("tollkeeper_usage_lag_seconds",
		"How long ago the first event was stored that is in no bucket of usage yet, of accounts on real time. Readings count it all the same.", nil, nil)
	webhooksWaiting = prometheus.NewDesc("tollkeeper_webhooks_waiting",
		"Webhooks that are still to be sent to enabled endpoints, also by other servers. Of one endpoint at most 10,000 are counted.", nil, nil)
	webhookLag = prometheus.NewDesc("tollkeeper_webhook_lag_seconds",
		"How long ago the first webhook was to be sent that is not.", nil, nil)
	connectionsUsed = prometheus.NewDesc("tollkeeper_connections_used",
		"Connections to the database that transactions have, by use.", []string{"use"}, nil)
	connectionsWaiting = prometheus.NewDesc("tollkeeper_connections_waiting",
		"Transactions that wait for a connection, by use.", []string{"use"}, nil)
	connectionWaits = prometheus.NewDesc("tollkeeper_connection_waits_total",
		"Transactions that had to wait for a connection, by use.", []string{"use"}, nil)
	connectionsWaited = prometheus.NewDesc("tollkeeper_connection_wait_seconds_total",
		"How long transactions waited for a connection, in all, by use.", []string{"use"}, nil)
	connectionsRefused = prometheus.NewDesc("tollkeeper_connection_refusals_total",
		"Transactions that had no connection in time, by use.", []string{"use"}, nil)
)

// Describe is of prometheus.Collector.
func (queues) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		eventsTaken, ingestWaiting, ingestRequests, usageLag, webhooksWaiting, webhookLag,
		connectionsUsed, connectionsWaiting, connectionWaits, connectionsWaited, connectionsRefused,
	} {
		to <- desc
	}
}

// Collect is of prometheus.Collector.
func (q queues) Collect(to chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	counter := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, labels...)
	}
	now := time.Now()
	counts := q.server.recorder.Counts()
	counter(eventsTaken, float64(counts.Stored), "stored")
	counter(eventsTaken, float64(counts.Duplicate), "duplicate")
	counter(eventsTaken, float64(counts.Refused), "refused")
	requests, events := q.server.recorder.Waiting()
	gauge(ingestWaiting, float64(events))
	gauge(ingestRequests, float64(requests))
	gauge(usageLag, q.server.worker.UsageLag(now).Seconds())
	if backlog := q.server.metrics.backlog.Load(); backlog != nil {
		gauge(webhooksWaiting, float64(backlog.Deliveries))
		lag := time.Duration(0)
		if backlog.FirstAt != nil {
			lag = max(0, now.Sub(*backlog.FirstAt))
		}
		gauge(webhookLag, lag.Seconds())
	}
	for _, s := range q.server.store.ConnectionStates() {
		use := s.Use.String()
		gauge(connectionsUsed, float64(s.Used), use)
		gauge(connectionsWaiting, float64(s.Waiting), use)
		counter(connectionWaits, float64(s.Waits), use)
		counter(connectionsWaited, s.Waited.Seconds(), use)
		counter(connectionsRefused, float64(s.Refused), use)
	}
}

package server

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"tollkeeper/server/contract"
	"tollkeeper/store"
)

// costlyReads are the operations beside lists that a replica may do, and that take a share of the processors. What
// reads one record is asked of the database: asking the replica costs a statement there as well.
var costlyReads = []string{
	"fetchSubscriptionUsage", "fetchUpcomingInvoice", "fetchLicenseUsage", "fetchLicenseUsageByExternalID",
	"explainInvoiceLineItem", "searchEvents", "evaluatePrice", "evaluatePrices", "evaluatePreviewEvents", "previewMetric", "fetchUncountedEvents",
}

// readsMuch reports whether an operation, nil included, may read and answer with much.
func readsMuch(o *contract.Operation) bool {
	return o != nil && (strings.HasPrefix(o.ID, "list") || slices.Contains(costlyReads, o.ID))
}

// longReads are of one record, which may be as long as a page of a list: they take a share of the processors too.
var longReads = []string{
	"fetchInvoice", "fetchCreditNote", "fetchCustomer", "fetchCustomerByExternalID", "fetchAlert", "fetchWebhookDelivery", "fetchSubscriptionChange",
	"fetchSubscriptionSchedule", "simulatePlan", "previewPlanChange", "fetchSubscription", "fetchPlan", "fetchPlanByExternalID", "fetchPlanVersion", "fetchPlanVersionByExternalID",
}

// readsLong reports whether an operation, nil included, reads one record that may be long.
func readsLong(o *contract.Operation) bool { return o != nil && slices.Contains(longReads, o.ID) }

// replicaReads counts the reads that a replica may do by where they were done, and why.
func replicaReads(st *store.Store) (all []prometheus.Collector) {
	for how, name := range map[store.ReplicaRead]string{store.ReadThere: "replica", store.ReplicaBehind: "behind", store.ReplicaAway: "away"} {
		all = append(all, prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name:        "tollkeeper_replica_reads_total",
			Help:        "Reads that a replica may do: done there, or in the database because the replica was behind or away.",
			ConstLabels: prometheus.Labels{"done": name},
		}, func() float64 { return float64(st.ReplicaReads(how)) }))
	}
	return all
}

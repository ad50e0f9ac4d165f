package worker

import (
	"slices"
	"time"

	"tollkeeper/domain/alerting"
	"tollkeeper/domain/allocation"
	"tollkeeper/domain/backfill"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/due"
	"tollkeeper/domain/event"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/license"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// job is a kind of due work. Nothing queues it: next returns the earliest instant, at or
// before by, at which a unit of it is due, and do does one unit that is due at tx.Now. do
// reports false when no unit is left, or other servers have locked all of them. Both leave out
// what a parked unit of the lane holds up.
type job struct {
	name string // kept in the database with a unit that fails, so it never changes
	lane due.Lane
	next func(tx *store.Tx, by time.Time) (at time.Time, found bool, err error)
	do   func(tx *store.Tx) (more bool, err error)
}

// immediateJobs are due at the request that causes them. They are done at once, also where
// the clock is stopped.
var immediateJobs = []job{
	{"close backfills", due.Billing, backfill.NextClosing, backfill.CloseNext},
	{"revert backfills", due.Billing, backfill.NextRevert, backfill.RevertNext},
}

// thresholdJobs are due when usage reaches the invoicing threshold of a subscription.
var thresholdJobs = []job{
	{"notice usage", due.UsageScan, billing.NextThresholdScan, billing.ScanThresholdsNext},
	{"invoice partially", due.Billing, billing.NextThresholdInvoice, billing.ThresholdInvoiceNext},
}

// jobs in the order in which units due at one instant are done.
var jobs = slices.Concat(immediateJobs, []job{
	{"settle credits", due.Billing, billing.NextDeduction, billing.DeductNext},
	{"expire pending changes", due.PendingChanges, subscription.NextExpiry, subscription.ExpireNext},
	{"change subscriptions", due.Billing, billing.NextChange, billing.ChangeNext},
	{"migrate subscriptions", due.Billing, billing.NextMigration, billing.MigrateNext},
	{"notify of unmatched events", due.UnmatchedEvents, event.NextUnmatched, event.TellUnmatchedNext},
	{"notify of subscriptions", due.Notices, subscription.NextNotice, subscription.NotifyNext},
	{"notify of invoice dates", due.Notices, billing.NextDateNotice, billing.NotifyDateNext},
	{"grant allocations", due.Billing, allocation.NextDue, billing.GrantNext},
	{"reset licenses", due.Billing, license.NextReset, license.ResetNext},
	{"top up credits", due.Billing, billing.NextTopUp, billing.TopUpNext},
	{"open invoices", due.Billing, billing.NextOpening, billing.OpenNext},
}, thresholdJobs, []job{
	{"issue invoices", due.Billing, billing.NextIssue, billing.IssueNext},
	{"collect payments", due.Payments, invoice.NextCollection, invoice.CollectNext},
	{"send reminders", due.Notices, mail.NextReminder, mail.RemindNext},
}, alertJobs)

// billingInOrder are the threshold jobs in their place among the jobs that make or change documents and terms.
// Such units may be due where the clock is stopped: an advance is on its way, or ended in an outage. A
// threshold invoice before them would charge by other terms, and have another number. Ledgers are left out,
// as requests make them due, and a threshold invoice works out itself what credits pay.
var billingInOrder = slices.DeleteFunc(slices.Clone(jobs), func(j job) bool {
	return j.lane != due.Billing && j.lane != due.UsageScan || j.name == "settle credits"
})

// alertJobs evaluate alerts on what changed. They are done soon after a request, also where
// the clock is stopped.
var alertJobs = []job{
	{"look at subscriptions", due.Alerts, alerting.NextEvaluation, alerting.EvaluateNext},
}

// parallelJobs are those of which several units run at once, and several in one transaction. Each unit keeps other
// units of its customer from starting, so these run in order. The function does units that are due at tx.Now, at
// most so many, and begins no other than the first once over says so. It returns how many it did.
var parallelJobs = map[string]func(tx *store.Tx, most int, over func() bool) (done int, err error){
	"settle credits": billing.DeductSeveral,
	"open invoices":  billing.OpenSeveral,
	"issue invoices": billing.IssueSeveral,
}

// repeatedJobs are those whose units at one instant are done one after the other, without a search for other work in
// between: they make nothing due that is listed before them. The searches cost as much as such a unit.
var repeatedJobs = []string{"notify of subscriptions", "notify of invoice dates"}

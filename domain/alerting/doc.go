// Package alerting evaluates the alerts of subscriptions. It also brings balances up to date for
// which there are alerts or top-ups.
//
// Evaluations are not scheduled by the clock. A change of the costs of a subscription schedules one
// in its transaction ([alert.ScheduleEvaluation]), new events are found by their numbers, and
// changes by time have an instant. So no evaluation is lost when a server ends, and without alerts
// there is no work.
//
// An evaluation compares the present billing period with the thresholds, and each earlier period
// for which events may still arrive. A reached threshold is stored in the transaction that
// announces it, once for the period. So several servers may evaluate at the same time.
//
// # Choices
//
// Usage is the value of the metric for the whole billing period, including events up to an hour in
// the future, as on the draft. Costs are those of the billing period, as in GET costs. They include
// the fees of the period itself, not the fees for the next period on its invoice.
//
// A billing period is cut where another plan begins. A migration does not cut it; the alerts of the
// version at its end apply to all of it.
//
// If the usage of a subscription cannot be read because a metric takes too long, the evaluation is
// repeated ten minutes later.
package alerting

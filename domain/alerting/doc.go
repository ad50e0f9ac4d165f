// Package alerting evaluates the alerts of subscriptions, and brings balances up to date that
// alerts or top-ups are on for.
//
// Nothing is evaluated by the clock: what changes the costs of a subscription says so
// ([alert.ScheduleEvaluation]) in the transaction of the change, events that come in are noticed
// by their numbers, and what changes by itself has an instant. So nothing is forgotten when
// a server dies, and where there is no alert nothing is done.
//
// One look compares the billing period of now, and each one before that events may still
// come in for, with the thresholds. A threshold that is reached is written down in the
// transaction that announces it, once for the period: many servers may look at once.
//
// # Choices
//
// Usage is what the metric counts for the whole billing period, events up to an hour ahead
// included, as on the draft. Costs are those of the billing period, as GET costs has them,
// with the fees of the period itself rather than those that its invoice has for the next.
//
// A billing period is cut where another plan begins. Over a migration it is one, and the
// alerts of the plan that count are those of the version that it ends on.
//
// A subscription whose usage cannot be read, since a metric takes too long, is looked at
// again ten minutes later.
package alerting

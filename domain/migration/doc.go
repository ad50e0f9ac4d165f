// Package migration plans how the subscriptions of a plan move to another version of it (semantics
// 5.2.6).
//
// A [Migration] has a [Step] for each subscription that was on the plan when the migration was
// created. A step first determines when it takes effect for its subscription: at once, at an instant,
// with the next billing period, or with the next term. At that time, package billing changes the
// subscription and its invoices. The step then records success, or the reason of a failure. A failed
// step does not delay others.
//
// The subscription itself stores nothing about a future step. So canceling a migration has nothing
// to undo. A migration can be canceled until its first subscription has changed. A subscription that
// was created later is not part of it. A subscription whose step failed needs another migration.
package migration

// Package migration plans how the subscriptions of a plan are put on another version of it (semantics 5.2.6).
//
// A [Migration] has a [Step] for each subscription that was on the plan when it was created. The step first
// finds out when it takes effect for that subscription: at once, at an instant, with its billing period or
// with its term. When that has come, package billing changes the subscription and its invoices, and the step
// says whether that was done or why not. One that failed keeps no other from being done.
//
// Nothing is planned ahead on the subscription itself: it is changed as it is when its time has come, so
// that canceling a migration has nothing to undo. A migration can be canceled until the first of its
// subscriptions is changed. A subscription that was created after it is not part of it, and one that
// could not be changed takes another migration.
package migration

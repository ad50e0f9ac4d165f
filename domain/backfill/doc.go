// Package backfill adds and replaces past usage.
//
// A backfill is opened for a timeframe and for one customer or all. Events of any age can be sent
// into it. They do not count until the backfill is closed, by a request or by the clock. From then
// on they count, and the events that they replace do not. A revert undoes all of that.
//
//	pending ──close──► pending, closed ──► reflected ──revert──► pending_revert ──► reverted
//	   └─────────────────────────────── revert ──────────────────────────────────────►┘
//
// Package usage counts: a backfill is a usage.Replacement, which is applied and reverted as a whole,
// whatever its size. So the states "pending, closed" and pending_revert last only until the
// transaction after the request.
//
// What was decided where the rules are silent is in DECISIONS.md.
package backfill

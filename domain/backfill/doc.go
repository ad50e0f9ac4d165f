// Package backfill adds and replaces usage of the past.
//
// A backfill is opened for a timeframe and one customer or all. Events are sent into
// it, of any age, and count for nothing until it is closed, by hand or by the clock.
// From then on they count, and what they replace does not. All of that can be taken
// back.
//
//	pending ──close──► pending, closed ──► reflected ──revert──► pending_revert ──► reverted
//	   └─────────────────────────────── revert ──────────────────────────────────────►┘
//
// What counts is package usage's to know: a backfill is a usage.Replacement, put in
// place and taken back as a whole, whatever its size. So the two states on the way
// last only as long as a transaction takes to follow the one that answered.
//
// # Choices
//
// The moment of closing is the transaction that closes, for what exists then and for
// readers alike; that the backfill is reflected is told by the next one.
//
// Who records events into a backfill holds its row, and so does who closes or reverts
// it. An event is either taken before, and counts, or not taken at all.
//
// That two backfills at work do not overlap is a constraint of the table. It also
// holds for a revert: one that would undo what a pending backfill is about is refused.
//
// Who belongs to the scope is told by the customer's id and, if it has one, its alias
// when the backfill closes. How long a timeframe may be is counted in hours, 24 to a
// day, whatever clocks do meanwhile; the bound is a setting of the account.
//
// An idempotency key belongs to an event for ever, unless that event's backfill is
// reverted: then the key is free at once, however many there are.
//
// Where a month of events was dropped there is nothing to add to or to go back to: no
// backfill is opened there, and none that was closed is reverted. Until it is closed, or
// reverted, it keeps its months from being dropped.
//
// reverted_at is when the revert was asked for.
package backfill

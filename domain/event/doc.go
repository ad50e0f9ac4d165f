// Package event takes events in, once each, and keeps them. What they cost is not its
// business: that is told by package usage.
//
// # The way in
//
// [Receive] reads a request as a stream and checks what the request alone can
// tell. A large one it puts into a file: only when all of it is known to be JSON without
// contradictions may the first event be stored, and memory does not hold it all. The
// events are then stored in portions. [Recorder] puts requests of one account that
// arrive together into one transaction, which checks the rest (customers, ages), gives
// each key to the first event that claims it, and stores the events of the keys that
// were new.
// That transaction is one call of the function record_events, because under load
// each round trip waits for a turn of the processor and all requests wait with it.
// The rules and their words are here; the function takes all events or none, by
// bounds that it reports, so that none gets past the rules.
//
// Keys are inserted in their order, so transactions of several servers never
// wait for each other in a circle; events are inserted in the order of arrival,
// which is what breaks ties between equal timestamps.
//
// # Events of backfills
//
// Events sent under the id of a [Backfill] are stored like others, and bear that id.
// [Recorder.Into] takes them; the function record_events holds the row of the
// backfill meanwhile, counts them there, and tells when it takes no more. It also
// makes a key lead to another event if its own belongs to a backfill that was reverted.
//
// What was decided where the rules are silent is in DECISIONS.md.
package event

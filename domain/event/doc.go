// Package event ingests usage events, each exactly once, and stores them. Package usage knows what
// they count.
//
// # Ingestion
//
// [Receive] reads a request as a stream, and makes the checks that need no database. A large request
// is written to a file, because the first event may be stored only when the whole request is known to
// be valid JSON without contradictions, and it may not fit in memory. Its events are then stored in
// portions.
//
// [Recorder] puts requests of one account that arrive together into one transaction. The transaction
// makes the other checks (customers, ages), gives each key to the first event that claims it, and
// stores the events with new keys. It is one call of the database function record_events, because
// under load each round trip waits for the processor, and all requests wait with it. The rules and
// their messages are in this package. The function checks their limits again and takes all events or
// none, so no event gets past the rules.
//
// Keys are inserted in their own order, so that transactions of several servers cannot deadlock.
// Events are inserted in the order of arrival, which breaks ties between equal timestamps.
//
// # Events of backfills
//
// Events that are sent under the id of a [Backfill] are stored like others, with that id.
// [Recorder.Into] records them. Meanwhile record_events locks the row of the backfill, counts the
// events there, and reports when the backfill is closed. It also assigns a key to a new event if the
// backfill of its former event was reverted.
//
// What was decided where the rules are silent is in DECISIONS.md.
package event

// Package event takes events in, once each, and keeps them. What they come to is not its
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
// # Where events lie
//
// [Search] finds events by their keys, as they are now. [Lock] holds the row of one,
// which [Stored.Amend] and [Stored.Deprecate] change in place; what it was they keep as a
// [Correction]. A key that was known already is looked up among the few deprecated
// ones, so an ingestion of new keys pays nothing for that.
//
// Keys lie in parts by arrival; [MakeRoom] begins a new one when the last is full. Their number
// grows with the logarithm of the keys. Recordings hold a lock on the list of parts which the
// beginning of a part waits for, so no key is taken in two of them, and a part that is not the
// last takes none any more. For such a part [Recorder.Learn] holds a Bloom filter in
// memory, which tells of a new key that it is certainly not there: the database looks up only
// what a filter leaves in doubt, and what lies in parts that the recorder has no filter of.
// Filters are made of digests, once, and kept in the database for all servers.
//
// [DropMonth] drops a month of events that nobody needs as events: they are in buckets,
// and old by the clock of each account that has some. What counts there is frozen then:
// [RefuseDropped] refuses whatever would have it counted anew. [Held] tells whether a
// reading of the past could be repeated, for nothing came in there since.
//
// # Decisions where the sources are silent
//
//   - A null stands for a member that is not there, in every member of an event.
//   - An empty customer_id or external_customer_id names nobody. Both hold at
//     most 255 characters: a longer one could not be looked up.
//   - A member or property given twice is a failure of its event, and so is
//     U+0000, which the database cannot hold. Half of a surrogate pair is not
//     JSON, and ends the request.
//   - Properties of one event are at most 256 KiB: a metric may go through them a
//     thousand times, and no deadline stops it within an event. A request with an event,
//     or another member, of more than 32 MiB is refused.
//   - Of one event 100 wrong properties and names are listed.
//   - The answer to a request of more than 10,000 events or 4 MiB lists at most 8 MiB of
//     keys and failures. Where that is not enough the request is refused, with nothing
//     stored if the request alone can tell. A shorter list would lie, since an event that
//     is not listed counts as stored.
//   - Such a request is refused by a full queue only before anything of it is stored.
//   - Each event that fails is listed, also when its twin in the same request
//     is. Two events under one key that both cannot be read are taken for the
//     same when what could be read of them is.
//   - The first of two requests in the queue owns a key that both send.
//   - A request that finds its account's queue full is refused; one that is
//     larger than the queue is taken when the queue is empty.
//   - A search finds the events of a backfill that is not in effect: they are stored.
//     Those of one that was reverted cannot be found, since their keys are free.
//     It has no end of its own but the present instant, which is in it.
package event

// Package usage takes events in, once each, and tells what metrics count of them.
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
// # The way out
//
// [Measure] is the only reader of quantities. It compiles each question to a SELECT
// over the events of some customers and a time; what several questions have in common
// is asked by [MeasureAll]. A [Sample] takes the place of the table for events that
// are not stored, in the same SELECT.
//
// # Events of backfills
//
// Events sent under the id of a [Revision] are stored like others and count while it is in
// effect. [Recorder.Into] takes them; the function record_events holds the row of the
// backfill meanwhile, counts them there, and tells when it takes no more. It also
// makes a key lead to another event if its own belongs to a backfill that was reverted.
//
// # Changing what came in
//
// [Amend] and [Deprecate] change an event in place and keep what it was as a
// [Correction]. Each holds the row of the event and that of its customer until it is
// done: versions of one event follow each other, and no customer gets more corrections
// than are allowed. A key that was known already is looked up among the few deprecated
// ones, so an ingestion of new keys pays nothing for that.
//
// # Growing
//
// Keys lie in parts by arrival; [MakeRoom] begins a new one when the last is full. Each
// part is searched for each new key, so a part may be as large as an eighth of all keys:
// their number grows with the logarithm of the keys. Recordings hold a lock on the list
// of parts which the beginning of a part waits for, so no key is taken in two of them.
//
// [DropMonth] drops a month of events that nobody needs as events: they are in buckets,
// and old by the clock of each account that has some. What counts there is frozen then:
// [Kept] refuses whatever would have it counted anew.
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
//   - A metric that does not come to an end within the deadline of a statement is
//     refused, since the same question would not the next time. Due work that meets one
//     fails.
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
//   - An event of a sample that names somebody else than is asked for does not count, as
//     a stored one would not.
//   - An event without one of the values that usage is grouped by is in no group.
//   - The usage of a subscription lists a metric once for each set of values that its prices
//     give the metric's parameters. Told apart by a property it is that of the first.
//   - The day of a metric that does not add up counts from the start of the billing period
//     in which the day ends, and outside of billing periods from the start of the
//     timeframe. Added up over a timeframe (cumulative) every metric counts from its start.
//   - Usage by a property tells values apart as text, so 7, 7.0 and '7' are one group. Only
//     sums and counts can be told apart, since no price by another metric has an invoice
//     grouping key. Groups times days are bounded; a request for more is refused.
//   - An event can be corrected in a billing period of any of its customer's
//     subscriptions: one that has begun, until its end plus the grace period. A grace
//     period longer than a billing period leaves several of them open.
//   - Each amendment counts against the limit, also of one event; a second deprecation
//     is none and does not. The 100 days are days of 24 hours before the correction.
//   - The amended event names its customer by id or by alias, whichever way the event
//     did; the event stays filed as it was sent.
//   - A search finds the events of a backfill that is not in effect: they are stored.
//     Those of one that was reverted cannot be found, since their keys are free.
//     It has no end of its own but the present instant, which is in it.
//   - The answer of a volume lists every hour and has no room for a cursor, so it is not
//     paged, and its timeframe is at most 366 days long.
//   - A request that finds its account's queue full is refused; one that is
//     larger than the queue is taken when the queue is empty.
package usage

// Package usage tells what metrics count of the events that were taken in.
//
// # The way out
//
// [Measure] is the only reader of quantities. It compiles each question to a SELECT
// over the events of some customers and a time; what several questions have in common
// is asked by [MeasureAll]. A [Sample] takes the place of the table for events that
// are not stored, in the same SELECT.
//
// # Buckets
//
// A question that is asked again and again must not read all events each time.
// [Watch] begins a series for each such question: a metric at a grain, which is the
// properties or columns that it is asked by (metric.Name). Buckets keep the value of a series by customer, hour
// and values of those properties. All series of a grain have their totals in one row.
// What a metric counts once however often it comes up (COUNT DISTINCT) cannot be added
// up, so usage_values keeps of each value in which hours of a month it came up.
//
// Six-hour buckets of a day in UTC that are over by the account's clock have totals of their own,
// put together from those of their hours: a month is read with a sixth of the rows. An
// event that comes later for one goes into its hour and its six hours at once, and where
// hours are rebuilt, their six-hour buckets are too. So a six-hour bucket always says what its hours do,
// and a reading may take either. Of a local day it takes the six-hour buckets that lie within,
// three at least where the zone's hours are whole.
//
// The aggregator, [Fold], follows the events behind a mark. That is a seq below the
// oldest transaction under way, and the upper part of a seq is the transaction that
// stored the event: so no event can come in behind the mark. A new series catches up
// with it, and one that fails is left behind and tried again later.
//
// A reading takes whole hours from buckets, hours that the edge of a period cuts or that
// lie in a gap from events, and from events too what is newer than the mark; all in one
// statement. choose, in kept.go, is the only place that decides which. Outside of a
// snapshot each statement sees the latest, so a reading checks that neither the mark nor
// history moved since it was decided, and begins again if one did. A reading as of a moment
// ([AsOf]) takes no buckets that hold anything newer.
//
// History changes when a revision is put into effect or taken back ([Revise], [Restore])
// or an event is changed ([Reopen]). That takes effect at once, in full and for
// all customers, of any size: it leaves a gap, whole hours that are read from events
// until the aggregator has rebuilt their buckets.
//
// Metrics that look at more than totals (LATEST_BY, percentiles, sub-queries that fold),
// filters and computed groups are read from events alone.
//
// Refused were:
//
//   - The upkeep of buckets in the transaction that takes events in. It cost a third of
//     the throughput, and a metric that fails would fail ingestion.
//   - A row for each series. So many upserts cost more than the aggregation itself.
//   - Totals of whole days. Those of UTC are of no use to a day of another zone, and whose
//     zone is which can change.
//   - Totals of six-hour buckets kept up from the first event on. That is twice the upserts where
//     events come in as they happen.
//
// # Events of backfills
//
// Events that were sent under the id of a [Revision] count while it is in effect, and not
// before nor after.
//
// # Changing what came in
//
// [Amend] and [Deprecate] decide whether an event may be changed. Each holds the row of
// the event and that of its customer until it is done: versions of one event follow each
// other, and no customer gets more corrections than are allowed.
//
// # Decisions where the sources are silent
//
//   - A metric that does not finish within the deadline of a statement is
//     refused, since the same question would not the next time. Due work that meets one
//     fails.
//   - An event of a sample that names another customer than is asked for does not count, as
//     a stored one would not.
//   - An event without one of the values that usage is grouped by is in no group.
//   - The usage of a subscription lists a metric once for each set of values that its prices
//     give the metric's parameters, and for each set of customers that they count; a filter
//     of a price does not come into it. Told apart by a property it is that of the first.
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
//   - The answer of a volume lists every hour and has no room for a cursor, so it is not
//     paged, and its timeframe is at most 366 days long.
package usage

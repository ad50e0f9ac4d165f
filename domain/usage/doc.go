// Package usage answers what metrics count of the stored events.
//
// # Readings
//
// [Measure] is the only reader of quantities. It compiles a question to a SELECT over the events of
// some customers in some time. [MeasureAll] answers several questions, and does their common work
// once. A [Sample] replaces the table in the same SELECT, for events that are not stored.
//
// # Buckets
//
// A question that is asked repeatedly must not read all events each time. [TrackMetrics] begins a
// series for each such question: a metric with the properties or columns by which it is asked
// (metric.Name), called its grain. Buckets store the value of a series for each customer, hour and
// tuple of these properties. All series of a grain have their totals in one row. Distinct values
// (COUNT DISTINCT) cannot be added up. So usage_values stores, for each value, the hours of a month
// in which it occurred.
//
// Six-hour buckets hold the totals of six hours of a past UTC day, by the account's clock. So a
// reading of a month needs a sixth of the rows. A late event is added to its hour and to its six
// hours at once, and rebuilding hours also rebuilds their six-hour buckets. So both always agree,
// and a reading may use either. A local day contains at least three of them if the offset of its
// zone is whole hours.
//
// What was decided where the rules are silent is in DECISIONS.md.
package usage

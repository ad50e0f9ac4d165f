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
// [TrackMetrics] begins a series for each such question: a metric at a grain, which is the
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
// What was decided where the rules are silent is in DECISIONS.md.
package usage

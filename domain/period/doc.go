// Package period holds spans of time and the local calendars that cut them.
//
// An instant is a time.Time in UTC; a span is half-open; a day is a calendar day
// in some zone. Nothing here reads a clock.
//
// # Days in zones with odd midnights
//
// A local day begins when the clock first reads its midnight, or, where midnight
// is skipped, with the first instant after the gap (semantics 1.1.8). All else
// follows from that one rule, so every instant belongs to exactly one day:
//
//   - Where the clock falls back over midnight, the hour that reads as yesterday
//     for the second time belongs to today. [DateOf] says so too.
//   - A day that a zone left out (30 December 2011 in Apia) is empty. It is no
//     window of a day, but it counts in [Days], as a date like any other.
//   - A date-time without offset is read by the same rule: in a gap it means the
//     first instant after it, and of two readings the first.
//
// # Cycles
//
// Boundaries extend both ways from the anchor. The first period of a subscription
// is therefore the rest of a full cycle, whose length proration needs.
package period

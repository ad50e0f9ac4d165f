// Package metric is the language in which metrics and filters are written.
// A text is parsed once into a checked tree, and the tree is compiled to
// parameterised SQL over rows of the table events (semantics 4).
//
// Nothing a client wrote reaches the SQL: the compiler writes every word of it
// from its own templates, and constants and property names travel as
// arguments. Only what the grammar names can be said, so a text that parses
// reads events and nothing else; the statement runs as a role that could not
// read more.
//
// # Stages
//
// A metric is a chain of SELECTs, each over the rows of the one within it and the
// innermost over events. A SELECT with an aggregate, GROUP BY or HAVING folds rows:
// its groups and totals become columns, and what it selects is computed of these.
//
// One statement answers for all slices of time and all keys that a metric is asked
// by (Frame). Keys and slice go with each row through all stages and part every fold.
// The first fold, the one that meets every event, puts events together slice by slice
// and then the slices, so an event is read and aggregated once; only a percentile,
// which cannot be put together of parts, repeats it in all slices it counts in.
//
// # Types
//
// A property has a type only at run time. The tree therefore knows six static
// types: the three of the language, time for the column timestamp, null for
// what is always missing, and any for what the row decides. Any is jsonb in
// SQL, the others are numeric, text, boolean and timestamptz. An expression is
// asked for in one of two ways: in a numeric context, which CASE, COALESCE,
// NULLIF, GREATEST and LEAST hand on to their results (semantics 4.2.1), or as
// a value of some type, which is NULL when the row holds another type.
//
// # No row fails
//
// A compiled statement never fails on what a row holds. What could (a cast, a
// division, a length below zero) goes through a function metric_… of the
// database that gives NULL instead. Numbers cannot overflow, since each node
// knows how many digits its values may have and a tree beyond a thousand is
// refused. That rests on the bounds of an event's number (semantics 2.1.8).
//
// # Decisions where the sources are silent
//
//   - Division rounds its 20th digit half away from zero.
//   - A computed value that is aggregated obeys the bounds of an event's
//     number: NULL from 1e30 on, rounded to 60 places after the point.
//   - timestamp is a time where it is compared with times and ISO strings (a
//     date alone is its midnight, no offset is UTC, digits beyond the
//     microsecond are cut); elsewhere it is a string such as
//     2025-03-01T10:00:00+00:00, so SUBSTR(timestamp, 1, 10) is the day. In a
//     numeric context it is NULL; timestamp_millis is the number.
//   - Names of columns are case-sensitive, as property names are. A quoted name
//     without the prefix properties means the column of that name too, as in
//     SQL; properties.timestamp is the property.
//   - Strings are ordered by code point, false before true.
//   - GREATEST and LEAST over values of different types are NULL.
//   - The order of LATEST_BY and EARLIEST_BY must be total: over values of
//     different types strings come first, then numbers, then booleans.
//   - Text functions take strings only; CONCAT reads a number in its shortest
//     form (5.0 as 5) and a boolean as true or false, like CAST to VARCHAR, and
//     cuts at 65,536 characters. What LOWER and UPPER take for a letter is
//     the database's matter; ASCII always is.
//   - CAST of a string reads JSON-like numbers in the bounds of an event's, with
//     blanks around; BIGINT rounds half away from zero and is NULL beyond 64
//     bits; BOOLEAN reads true, t, yes, y, on, 1 and their opposites in any case,
//     and 0 as false and other numbers as true; a boolean is never a number.
//   - A condition is no value: (a = b) = TRUE is refused, as the grammar has it,
//     and what cannot be a boolean is refused where a condition must stand.
//   - A computed property to group by may be a condition as well, whose groups are
//     true and false. One that is written with nothing but letters, digits, _ - and .
//     is a name, so that user-id and group can be grouped by without quotes.
//   - What prices, usage, alerts and licenses tell events apart by is one name: see Name. It is
//     read as a computed property is, and a text that is no name is refused where it is sent.
//   - In SELECTs over a sub-query a name is one of its columns, alone or behind the
//     name of the sub-query; a column without AS has the name that it selects, if it
//     is one. Names of sub-queries and columns are case-sensitive too.
//   - GROUP BY takes calculations, not positions. Rows that lack the value are a
//     group, as in SQL. In a SELECT that folds, a name stands in an aggregate or in an
//     expression that GROUP BY has in the same words.
//   - A grouped value is that of its expression out of any numeric context.
//   - Without GROUP BY an aggregate has a value over nothing too: COALESCE(SUM(n), 7)
//     is 7 where there are no events. With keys, those are asked for whose events come
//     as far as the first fold.
//   - An outermost HAVING that is not true makes the quantity 0.
//   - A row that a fold gives is as late as the last event in it, which decides ties
//     of LATEST_BY and EARLIEST_BY over such rows.
//   - PERCENTILE_CONT takes its fraction as a number of the text, from 0 to 1. What is
//     computed of aggregates obeys the bounds of an event's number, like every
//     computed value; a bare aggregate is exact.
//   - {{name}} stands where a constant may, but not for a pattern or a fraction. It is a
//     number or a string of up to 255 bytes, given for a price interval or an evaluation,
//     and NULL without that: COALESCE({{x}}, 10) gives it a default. The metric with its
//     values is checked like one that is written so.
//   - Comments are refused rather than skipped, and so is a closing semicolon.
//   - Messages name the place and the rule, and never repeat the text.
package metric

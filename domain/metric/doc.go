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
// What was decided where the rules are silent is in DECISIONS.md.
package metric

// Package export writes what an account has, as files: a report in a format. A report is a view of
// the database (migration 0043), which analysts can query too.
//
// # Choices
//
// A file is of one snapshot, and so are the sums in it. Rows come from a cursor, some at a time. So
// the size of a report bounds neither the memory of the server nor the time of a statement.
//
// Numbers. CSV and NDJSON have them as the database does: exact decimals, with all their digits. An
// XLSX file has binary floating-point numbers, of which Excel keeps 15 digits. A number that
// keeps its value there is a number cell, so that it can be added up. Any other is a text cell, with
// all its digits (semantics 22.2.1).
//
// Instants are in UTC, as text in the form of the API (semantics 22.2.2). In XLSX too: its dates have no time zone,
// and less than a microsecond is lost in them.
//
// Formulas. A program that opens a CSV file takes a cell that begins with = + - @ for a formula, and
// so a customer could name themselves one. See [guard]. NDJSON has texts as they are. XLSX knows what
// is text.
//
// Refused: CSV for one language's spreadsheets (semicolons, decimal commas). XLSX opens everywhere.
package export

// Package importevents stores the events of a file, in CSV or as a JSON object on each line.
//
// Every event passes the checks of package event and is stored by its recorder: a file
// is one more client. Its parts are stored one after another, in the file's order.
//
// # Decisions
//
//   - An event that is not stored is written to another file, in the same form and with
//     the reason beside it. That file can be corrected and imported in turn; the reasons in it
//     are passed over.
//   - How far a file was stored is kept in a journal beside it while it is imported, so
//     that the same command goes on after an interruption. What was stored after the
//     journal was written is sent twice and, by its keys, counted once.
//   - A key that is twice in a file is the same as in two requests: the first event
//     has it, and the second is known already.
//   - In CSV, a value that reads as a JSON number is a number, true and false are
//     booleans, an empty one is missing and all others are text. Columns of numbers that
//     are text, such as telephone numbers, can be named.
//   - What is not in UTF-8 is not stored: read as if it were, two keys could become one.
package importevents

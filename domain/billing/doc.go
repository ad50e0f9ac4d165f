// Package billing holds the processes that make and change documents: subscribing, opening
// and issuing invoices, changes of a subscription with their corrections, invoices of a
// threshold, selling credits, top-ups, and verification.
//
// What was decided where the rules are silent is in DECISIONS.md.
package billing

// Package server is everything that speaks HTTP: it turns requests into inputs
// of the domain, records into answers, and faults into problems. A file per
// resource holds its handlers and its mapping; the others hold what all
// resources share.
//
// A request passes, in this order: its id, log and metrics, the key, the body's
// limits, the contract, the idempotency key, the handler.
//
// # Choices
//
// Shape is judged by the contract, meaning by the domain. Text is judged first
// (one JSON value, no member twice, bounded numbers), then the shape; all that is
// wrong at one of the two is told at once. Members that the contract does not
// know are found by a walk of our own, since a schema cannot close the parts of
// an allOf.
//
// Two keys of a body that differ in case only are two keys: outside maps at
// least one of them is unknown and refused, and binding matches names exactly.
//
// Numbers reach handlers without an exponent and without trailing zeros, so a
// 5.0 or 5e0 is an integer like any other 5.
//
// A text with a character that PostgreSQL cannot hold (U+0000, broken UTF-8) is
// refused in a body; in a path or a query it names nothing, so there it becomes
// one that exists nowhere and the ordinary 404 or empty page follows.
//
// Discounts, the minimum and the maximum of an invoice, like those of its lines, are
// shown as they were asked for, for a full billing period. What was used of them in a
// shorter one is in the explanation of a line.
//
// A full ingest queue is a 503 with Retry-After, the one status besides those of
// the contract's introduction: the official clients wait and send again, and a
// load balancer understands it.
package server

// Package contract checks requests against openapi.yaml and writes failures as problems. It
// knows no domain: meaning is checked by the operations.
//
// A body is checked in this order. The text first: one JSON value in UTF-8, no member twice,
// numbers within bounds (json.go). Then its shape: members that the schema does not know, and
// all that kin-openapi checks (body_schema.go). All violations of one step are reported at
// once, in the order of the text (positions.go).
//
// # Choices
//
// Unknown members are found by a walk of our own, since a schema cannot close the parts of an
// allOf.
//
// Two keys of a body that differ only in case are two keys. Outside maps at least one of them
// is unknown and refused, and binding matches names exactly.
//
// Numbers reach operations without an exponent and without trailing zeros, so 5.0 and 5e0 are
// integers like 5.
//
// A text with a character that PostgreSQL cannot hold (U+0000, broken UTF-8) is refused in a
// body. In a path or a query it names nothing: it is replaced, so that the ordinary 404 or
// empty page follows.
//
// kin-openapi checks long arrays and maps in parts, since it keeps an error with all its
// surroundings for each violation (long_bodies.go).
package contract

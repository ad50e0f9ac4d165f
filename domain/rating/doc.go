// Package rating turns usage into charges. It is pure: no clock, no database, no
// rounding, and no error once a configuration has been accepted.
//
// A price model is one file: a type that holds the configuration, a function that
// reads it, and the formula. The registry in model.go lists them all. To add one,
// write its file, its golden table, and its line in the registry.
//
//	config JSON ── Decode ──► Model ── Rate(Usage) ──► Charge: subtotal and parts
//
// # Exactness
//
// Amounts are exact. Proration is the only division and comes last. Its result is
// cut at the 20th digit, where a division that does not end has to stop anyway;
// cutting, unlike rounding, never changes what rounding to cents gives afterwards.
// Parts are cut so that they still sum to the subtotal to the last digit.
//
// # Choices
//
// The configuration that a client sent is kept by the caller and shown as it was.
// A Model holds numbers, and the text of an amount only where a part shows it.
//
// The line's quantity of a model that rates one number is that number as measured,
// also below zero, where all but linear models charge nothing.
//
// A matrix part whose value is missing is named "none": an invoice line called
// "eu / " looks broken, and null is no word for a customer.
//
// Tiers that are bounded by last_unit or maximum_units may come in any order, like
// those with a lower bound, and each must hold something: bounds strictly increase
// from above 0.
package rating

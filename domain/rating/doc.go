// Package rating turns usage into charges. It is pure: no clock, no database, and no
// error once a configuration has been accepted. Charges are not rounded.
//
// A price model is one file: a type that holds the configuration, a function that
// reads it, and the formula. The registry in model.go lists them all. To add one,
// write its file, its golden table, and its line in the registry.
//
//	config JSON ── Decode ──► Model ── Rate(Usage) ──► Charge: subtotal and parts
//
// What an invoice makes of the charges, once the caller has rounded them, is here
// too: Adjust takes discounts off its lines and adds minimums, and rounds each step;
// Conversion turns what is left of a custom unit into money.
//
// # Exactness
//
// Amounts are exact. Days of a period and shares of a quantity are divisions, which
// come last in a formula. Their results are cut at the 20th digit, where a division
// that does not end has to stop anyway; cutting, unlike rounding, never changes what
// rounding to cents gives afterwards. Parts are cut so that they still sum to the
// subtotal to the last digit. Packages are counted by a quotient that is rounded up.
//
// What was decided where the rules are silent is in DECISIONS.md.
package rating

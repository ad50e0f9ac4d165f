// Package reference computes what is owed a second time, from the rules alone: price
// models, discounts, minimums and maximums, metrics and the calendar. It is the check of
// the code that bills, so it shares nothing with it: it imports the standard library only,
// counts in rational numbers of math/big, and prefers plain loops over speed.
//
// Only verification and specs use it. Nothing that bills may import it, or the check would
// be part of what it checks; .golangci.yml refuses both directions.
//
// A rule that the package does not know is ErrNotCovered, never a guess: the caller counts
// such cases and shows the count.
//
// Sources are cited by section: "price models" are the rules of the price models, "semantics"
// the rules of behaviour.
package reference

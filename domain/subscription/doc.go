// Package subscription determines which prices a customer is billed, for which time, and on which
// dates. It does not compute amounts.
//
// What was decided where the rules are silent is in DECISIONS.md.
package subscription

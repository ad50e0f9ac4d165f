// Package subscription knows which prices a customer is billed, over which
// time, and on which dates. What they cost is not decided here.
//
// What was decided where the rules are silent is in DECISIONS.md.
package subscription

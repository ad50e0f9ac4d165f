// Package license knows who may use a subscription: its licenses, by names of the
// client's, and what each of them used.
//
// A license type names the property of events whose value is the name of a license.
// Usage of a price of that type belongs to the license of the name in the event. A
// license price of the type grants credits to each license that is active in a period of
// its cadence. What a license uses while it is active draws on its own credits first;
// the rest, and all that is used while it is not, is left to the customer's credits,
// which all share (semantics 17.1.4). draw.go is where that is decided, for reports and,
// by way of cover.go, for what is charged.
//
// What was decided where the rules are silent is in DECISIONS.md.
package license

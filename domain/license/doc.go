// Package license owns the licenses of subscriptions. A license gives one user or unit of the
// client, named by the client, the use of a subscription. The package also reports the usage of
// each license.
//
// A license type names a property of events. The value of that property is the name of a license,
// and the event is usage of that license. A license price grants credits to each license that is
// active in a period of its cadence. The usage of an active license is paid from its own credits
// first. The rest, and usage while it is inactive, is paid from the customer's credits, which all
// licenses share (semantics 17.1.4). draw.go decides that, for reports and, through cover.go, for
// charges.
//
// What was decided where the rules are silent is in DECISIONS.md.
package license

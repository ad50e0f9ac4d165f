// Package allocation grants the credits that subscriptions include.
//
// An allocation price grants credits each time a period of its cadence begins. Each grant is a
// block of its own; the schema allows one for each price and period. [Sync] makes the grants of a
// subscription match its terms, whenever the terms change and when a period begins. The price of
// the credits, if any, is invoiced like any other fee.
//
// What was decided where the rules are silent is in DECISIONS.md.
package allocation

// Package catalog is what can be sold: items, metrics, prices and plans.
//
// An item is a product or feature; it gives invoice lines their heading. A
// metric measures use of it. A price turns a quantity into an amount, and a
// plan is a row of prices that customers subscribe to.
//
// Rating a price is package rating's work; the configuration of its model is
// kept here as the client sent it, checked once, when the price is made.
//
// What was decided where the rules are silent is in DECISIONS.md.
package catalog

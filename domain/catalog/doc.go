// Package catalog owns what can be sold: items, metrics, prices and plans.
//
// An item is a product or feature; it is the heading of invoice lines. A metric measures the use of
// an item. A price turns a quantity into an amount. A plan is a list of prices to which customers
// subscribe.
//
// Package rating computes amounts. The catalog stores the configuration of a price model as the
// client sent it, and checks it once, when the price is created.
//
// What was decided where the rules are silent is in DECISIONS.md.
package catalog

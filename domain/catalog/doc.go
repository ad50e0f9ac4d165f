// Package catalog is what can be sold: items, metrics, prices and plans.
//
// An item is a product or feature; it gives invoice lines their heading. A
// metric measures use of it. A price turns a quantity into an amount, and a
// plan is a row of prices that customers subscribe to.
//
// Rating a price is package rating's work; the configuration of its model is
// kept here as the client sent it, checked once, when the price is made.
//
// # Choices
//
// Prices belong to a version of a plan through a table of their own, because
// versions share the prices they do not change. A plan begins with version 1.
//
// Cycles. A price knows the length of its billing cycle, in months or days. One
// that is billed once has none, and shows a month, since the wire wants some.
// A billing_cycle_configuration beside another cadence than custom is accepted
// when it says the same, so that what was read can be sent back.
//
// Currencies. Until prices can carry a conversion rate, one in a custom unit is
// refused: nothing could turn what credits leave over into money.
//
// A fixed fee has one quantity, so a model that splits usage by properties
// cannot price it.
//
// An operation that changes a record takes the edit as a function. It locks
// the record, applies the edit, and checks the rules on before and after.
package catalog

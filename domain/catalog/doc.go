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
// Items. An archived item stays in the list, and its prices go on being billed, also to
// new subscribers. What would be made of it, by its id, is refused: prices, metrics, lines
// and credits sold. A name finds items that can be sold. Archiving is for good, and leaves
// the item to be renamed. Documents that are issued keep the name.
//
// Versions. Prices and adjustments belong to a version of a plan through tables of
// their own, because versions share what they do not change. A plan begins with
// version 1, which is a difference to nothing. What a difference replaces or removes
// is named by its id in the highest version, once; a replacement stands where the
// replaced price stood.
//
// An adjustment that names a price goes with it: a client who replaces the price, for a
// version or for one subscription, has the adjustment replaced by one that names the
// new price. Left alone, a discount would end in silence. An adjustment of a price
// that is removed stays, and is for nothing.
//
// Phases belong to the plan, since no request about a version has any. A duration
// without a unit counts months, and none is longer than a hundred years, so that it
// ends at an instant that can be written. A price or an adjustment keeps its phase for
// good. What is made for one subscription may be in no phase, and so in all of them.
//
// Adjustments. Targets and what narrows them are kept as filters, one list of what a
// client may ask for in several ways. An empty list of targets is as good as none,
// since empty filters mean every price. Below invoice level a list names one price.
// Only plain percentages may be of prices of several cadences: all others, bands
// included, need one sum to work on. Amounts are kept as they were sent as well.
//
// Cycles. A price knows the length of its billing cycle, in months or days. One
// that is billed once has none, and shows a month, since the wire wants some.
// A billing_cycle_configuration beside another cadence than custom is accepted
// when it says the same, so that what was read can be sent back.
//
// Invoicing cycles. A price may be invoiced more often than its billing cycle ends,
// if its invoices come at whole parts of it. It is never invoiced more rarely: a
// longer cycle is refused (price models 5.1).
//
// Currencies. A price in a custom unit needs a rate to money. One in money may say
// a rate too: it is checked, shown again, and not used.
//
// A fixed fee has one quantity, so a model that splits usage by properties
// cannot price it. For the same reason an invoice shows a price by groups only
// where the model rates one number: that is what the groups share.
//
// Dimensions. A price keeps the dimensions of its group beside its own values,
// since a group never changes them, and so is billed without asking for the group.
// It need not name the metric: that is the group's.
//
// Allocations. An allocation price is a fixed fee like others, of as many units as
// it grants credits, so that it is invoiced the same way. One that grants nothing
// is refused, as a grant of no credits is. Among the fields that say when a grant
// expires at most one may be given, whatever it says.
//
// What a request names is loaded once for all of its prices. A price that is wrong
// in itself is refused as such before it is looked at what does not exist.
//
// An operation that changes a record takes the edit as a function. It locks
// the record, applies the edit, and checks the rules on before and after.
package catalog

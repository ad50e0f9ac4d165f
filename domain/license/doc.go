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
// # Choices
//
// Names. A license and another with the same name never overlap, whichever way they were
// made: of each event there is one answer to the question whose license it used.
//
// Quantity. The fee for licenses says how many there may be at the same time. It is asked
// when a license is made, for the days on which one begins to be there. Without such a fee there may be any number. A fee
// whose quantity becomes less ends no license.
//
// Past and future. A license may begin in the past: what was used since counts. A license
// that is to begin is inactive until then. One that ends may end earlier, and may end
// later as long as it fits.
//
// Credits of licenses are counted day by day: a day is drawn before the next, and on one
// day the prices draw in their order. A period in which a license is active at any time
// gives it all of the amount. What is left at the end of the period is gone.
//
// Where another license price takes the place of one amid a period, also by a change of the plan,
// licenses are granted the difference for the rest of it: what they drew before counts. One that
// grants less takes back what is unspent at most. A license that begins afterwards has all of the
// new amount, and where a period of its own begins with the new price, so have all.
//
// A price draws what its rate makes of the quantity, before discounts. Only metrics that
// add up can be told apart by license.
//
// On a line they are credits applied, those that are written off too: its adjusted
// subtotal is what was used, and what is left after them is what the customer's credits
// and money pay. A discount lowers that; it makes no credits of a license last longer.
// Thresholds, alerts of costs and the daily costs look at what is left; costs told apart by
// groups, and evaluations of a price, know of no licenses. What an issued invoice covered
// stays, even if licenses of its time change: drafts alone follow.
//
// A subscription is told when licenses have all of it again, if any is active then. The
// first period of a price is no such news.
//
// What a report calls consumed is what was drawn on the license's own credits, so that
// what remains is never below 0. Allocated is what the license had to draw on: what was
// left when the time of the row began, and what it was granted in it. Rows by day alone
// are sums over the licenses.
package license

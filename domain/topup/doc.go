// Package topup owns automatic purchases of credits: a top-up buys credits whenever the balance is
// at or below its threshold.
//
// The package stores agreements and finds due ones; billing makes the purchase and its invoice. The
// check of a balance records how many changes the ledger had then. A top-up is due again when its
// ledger has changed since (see [NextDue]). While a customer has a top-up, its ledger is brought up to
// date soon after events arrive or are corrected, or a subscription changes.
//
// # Choices
//
// A customer has one top-up in each unit. A new one replaces it at once, also if the new one becomes
// active later.
//
// A top-up that was deleted, replaced or disabled is not shown and cannot be enabled again.
//
// Amounts are stored and shown as they were sent. A request with an expiry without its unit, or a
// unit without an expiry, is invalid.
package topup

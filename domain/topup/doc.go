// Package topup knows which customers buy credits by themselves, and when: a top-up adds
// credits whenever no more than its threshold are left.
//
// What is bought, and the invoice of it, is made where invoices are. Here is what was
// agreed, and what is due: the check of a balance notes how often the ledger had
// changed by then, so that a top-up is due again when it changed since (see [NextDue]).
// While a customer has a top-up, its ledger is brought up to date soon after what may
// have moved it: usage that came in or was corrected, a subscription that changed.
//
// # Choices
//
// A customer has one top-up in a unit. Another takes its place at once, also where that
// is to be active later.
//
// A top-up that is deleted, replaced or disabled is shown no more, and never comes back.
//
// Amounts are kept, and shown, as they were sent. An expiry without its unit, or a unit
// without it, is a mistake in the request.
package topup

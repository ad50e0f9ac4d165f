// Package credit is what customers have paid for or been given before they use
// it.
//
// Credits lie in blocks. A block has one unit, which is a real currency or the
// unit credits, perhaps an expiry date, what one credit cost, and the items it
// pays for. Each customer has one ledger per unit: entries, numbered from 1,
// that tell every change of a block.
//
//	Add, Decrement, Void ... ── lock ──► Ledger ── numbers ──► Entry ── tells of ──► Block
//	Deduct: charges of days ── replay ──► draws ── entries that are pending, later committed
//
// What lines of invoices charge for each local day comes from package invoice. [Deduct]
// pays it out of the blocks that are in force on that day; replay.go is the rule, over
// values alone. What is not committed is computed again as a whole each time, from the
// charges and from what committed entries left in the blocks, so it does not matter when
// or how often anybody looked. An entry keeps its id and number meanwhile, and the
// balances of the entries after it move along: they follow from the order of entries,
// and are no part of what is committed.
//
// A ledger knows when time changes it next: a block takes effect or expires, a day is
// closed. That is due work; a read of a ledger brings it up to date before.
//
// What was decided where the rules are silent is in DECISIONS.md.
package credit

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
// # Choices
//
// A block that does not count yet, because its day has not come or it is not paid for,
// is written with an entry whose ending balance is its starting balance. When it comes to
// count, that entry moves the balance from its place on, and those after it move along.
//
// Work by hand is committed at once, and so goes before what is pending: a decrement may
// leave less for a day that was paid already, which is overage then.
//
// Voided credits stay entries of their block. A block of their own would hold nothing.
//
// What an amendment by hand gives back is bounded by what the block lost by then, pending
// usage included. If that usage is corrected away, the block holds more than it began with.
//
// A day that is closed is charged as it was; but what its line could not be paid then,
// blocks may still pay that take effect on that day, as long as the line is on a
// draft. A block that paid for a line and day does not pay for it twice.
//
// A deleted block keeps its entries: what it paid of drafts is given back, the rest is
// void, and other blocks pay instead where they can.
//
// Credits that are given back to a block that has expired expire at once, unless they come
// from an invoice that is void. Those go on to a block of their own, from that day on, but
// for what they pay of other days on which the old block was in force. The old block has an
// amendment and then an expiration_change. Each day that was paid has its own new block,
// since the time that was left is another. What comes back to a deleted block is void.
//
// What a committed entry paid never changes, but the line and the invoice that it names do
// where another document bills the day ([Carry]). A change of a subscription does that once
// its documents are drawn, works the ledger out once, and then tells alerts what the
// balance came to ([Together]).
//
// Entries are listed by their number. Instants would not do: two requests read
// the clock in one order and get the lock in the other.
//
// Metadata given with an increment is that of the entry and of its block.
//
// A filter names at least one item: one that names none would make credits that
// can never be used, or say nothing.
package credit

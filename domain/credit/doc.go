// Package credit is what customers have paid for or been given before they use
// it.
//
// Credits lie in blocks. A block has one unit, which is a real currency or the
// unit credits, perhaps an expiry date, what one credit cost, and the items it
// pays for. Each customer has one ledger per unit: entries, numbered from 1,
// that tell every change of a block.
//
//	Add ── locks ──► Ledger ── numbers ──► Entry ── tells of ──► Block
//
// The balance of a ledger is the sum of what is left in the blocks that count:
// paid for, in effect, not expired (semantics 10.1.1). It is worked out from the
// blocks under the ledger's lock and kept nowhere else, so it cannot disagree
// with them, and it changes by itself when a block takes effect.
//
// # Choices
//
// A block that does not count yet is written with an entry whose ending balance
// is its starting balance: entries show the balance there is, and these credits
// cannot pay for anything so far.
//
// Entries are listed by their number. Instants would not do: two requests read
// the clock in one order and get the lock in the other.
//
// Metadata given with an increment is that of the entry and of its block.
//
// A filter names at least one item: one that names none would make credits that
// can never be used, or say nothing.
package credit

// Package credit owns the credits that customers buy or get before they use them.
//
// Credits are in blocks. A block has one unit (a real currency, or credits), what one credit cost,
// and optionally an expiry date and the items that it pays for. Each customer has one ledger for each
// unit. Its entries, numbered from 1, record every change of a block.
//
//	Add, Decrement, Void ... ── lock ──► Ledger ── numbers ──► Entry ── describes a change of ──► Block
//	Deduct: charges of days ── replay ──► draws ── entries that are pending, later committed
//
// Package invoice determines what invoice lines charge for each local day. [Deduct] pays these
// charges from the blocks that are in force on the day. The rule is in replay.go, a function of
// values. Everything that is not committed is computed again as a whole each time, from the charges
// and from the balances that committed entries left. So the result does not depend on when or how
// often it is computed. An entry keeps its id and number meanwhile. The balances of later entries
// may change: they follow from the order of entries, and are not part of what is committed.
//
// A ledger knows when time changes it next: a block takes effect or expires, or a day is closed. That
// change is due work. A read of a ledger brings it up to date first.
//
// What was decided where the rules are silent is in DECISIONS.md.
package credit

// Package allocation grants the credits that subscriptions come with.
//
// An allocation price grants credits each time a period of its cadence begins: a block of
// its own, which the schema allows once for each period. [Bring] brings the grants of a
// subscription into line with its terms, whenever these change and when a period begins.
// What the credits cost, if anything, is invoiced like any other fee.
//
// # Choices
//
// A partial period, such as the first one often is, is granted in full, and so is its fee
// (semantics 11.2.3). So is a period that has begun when a subscription moves to another plan.
//
// Credits are in effect from the midnight that began the day on which the period begins,
// so that they can pay for all of that day. How long they last counts from there.
//
// However long they would last, they expire where the subscription ends or leaves the
// plan (semantics 11.2.4). As long as that lies ahead it can be taken back, and then they
// last as long as before. A migration to another version of the plan does not leave it.
//
// Where a price ends within a period, the credits of that period expire there, and those of
// earlier periods stay as long as the plan does. The fee is then refunded (semantics 11.2.5):
// the smaller of its share of the days that are left and what the unspent credits cost. What
// was refunded is gone for good: usage that comes late does not draw it any more. Credits that
// would have expired before the end anyway are not refunded, nor are those of a price that is
// charged once.
//
// Where another allocation price takes the place of one in the middle of a period, also by a
// change of the plan, only the difference is granted and charged (semantics 11.2.5). It is one
// for the same unit, items and cadence that begins as the other ends; where a period of its own
// begins with it, it is granted whole. What is left of the old grant lasts as the new price says.
// A price that grants less takes back the difference, or what is unspent of it, of what was
// granted last. Refunded is the smaller of its share of the days that are left and what the
// credits cost that were taken. What could not be taken
// back was spent, and counts as granted: an increase afterwards grants only what exceeds all that
// was granted and not taken back. So takings come before the grants of later prices.
//
// A grant whose period is taken back expires. It is never granted again. Its fee stays for what was
// spent: where its invoice is replaced for another reason, it is on an invoice of its own. A fee
// that is still on a draft then is not charged.
//
// Credits are taken back once. Where a price takes the place of another on another day than it did,
// what was taken counts for that day. One that is inserted before a price whose grant is made takes
// back nothing that this would grant again.
package allocation

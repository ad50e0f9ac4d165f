// Package billing holds the processes that make and change documents: subscribing, opening
// and issuing invoices, changes of a subscription with their corrections, invoices of a
// threshold, selling credits, top-ups, and verification.
//
// # Choices
//
// Opening. A subscription opens the invoice of its next billing date on the
// billing date before, so during the grace period two drafts stand side by
// side. On a start date without anything billed in advance there is only the
// draft of the next date.
//
// Unopened invoices. A service that is billed later than on the next billing date has an
// invoice with an id and no draft. Credits pay for its days under that id, and the draft has
// it once it is opened.
//
// Changes. When the terms of a subscription change, its invoices are compared with them
// and brought into line (change.go): what was charged in advance for days that are not
// served is credited (correct.go), an invoice of a time that is not billed so any more
// is voided and replaced, drafts are refreshed (refresh_drafts.go). So no change says by itself
// what it costs. A fee that ends on a day ahead is credited on that day; terms say when
// the next such day is. What stands wrong on a paid invoice is credited if it is a fee;
// otherwise the change is refused. A price that is charged once is not given back.
//
// Credits and changes. What credits paid for a day stays paid when another document bills
// the day: the entries, and what the day charged, go on to its line (carry_credits.go). That is the
// line of the same price interval or, if the interval was made anew, of the same price. It
// takes a day over if it charges all of the time that the old line charged of the day. What
// no line takes over is given back before the days are worked out, so the same block pays
// for what is still charged of them, also if it has expired since.
//
// Thresholds. Usage is looked at by account when events came or their history changed, and
// compared by subscription when that used something, its terms changed or a period began.
// It is what the lines of usage would charge, up to the present and a little beyond where
// events are stamped ahead. Adjustments that are minimums wait for the period's end; what
// is a minimum in the model of a price is a part of its rate. A partial invoice is issued
// whatever the settings of issuing say. Credits are those that the draft of the period
// takes: it pays with them, and the partial invoice only shows so.
//
// A partial invoice that reaches beyond a price's end, or is of a price that is gone, is
// void while it is not paid; what holds of it comes again with the next. A paid one gives
// back the lines of what is gone. What it charged beyond an end the invoice of that end
// takes off, below 0 if need be: late usage still counts there. A subscription cannot be
// canceled as of before one that is paid.
//
// Beside the invoice of a date, once that is issued, another one of the same date takes
// what a change adds to it.
//
// A line in advance holds while the terms have its service, for its quantity, in its cycle,
// under its adjustments, and take no less of it back than was taken. One that does not is
// credited whole and marked as undone, and what the terms have in its place is charged
// anew. What the lines of a fee are to give back by now is worked out from the terms alone,
// and what they gave is taken off (advance_fee.go): by which changes it came to that does not
// matter. A charge that is not made yet, or is void, gives to a decrease in its turn, so
// that no older one does. What a client credited stays credited, for the days it named.
// Usage that other adjustments would have worked on is like usage that is billed
// otherwise: replaced while it is unpaid, else a reason to refuse.
//
// Shared adjustments. Discounts of an amount or by tiers, minimums and maximums work once on
// the lines of an invoice. Where one of these lines was removed, or its quantity was another
// from the start, the others of a paid invoice are looked at again: unless they come to what
// they charged, they are charged anew with it, so that a minimum is owed in full by those
// that are left. A line that only ends early leaves the others: its days are credited as
// they were charged. Where usage shared the adjustment, nothing is charged anew.
//
// A fee that an adjustment made 0 has nothing to credit; a mark of its own says that it is
// undone.
//
// Automatic credit notes bear the reason order_change, and move the balance as
// prorated_refund; those on request as credit_note_applied. An invoice that another
// system collects is refunded like a paid one.
//
// Money collected for a pending change goes to the balance before the change is made, so
// that its invoices take it from there. Where they are marked as paid instead, what they
// ask for is taken as paid, after the balance has paid its part; if less was collected, the
// balance owes the rest.
//
// Verifying. What an invoice says is checked against itself, and worked out anew, by the
// terms of its issue, while no event of its time came, was corrected or was replaced since.
// One of a threshold is for what was used up to an instant, amid its time: it keeps the
// moment as of which it counts events, and is worked out anew from those.
package billing

// Package customer is who buys.
//
// A customer has our id and, if the client gives one, an alias. Time for a
// customer means its own zone: days, periods and dates begin at its midnights.
//
// # Choices
//
// What is fixed. The time zone never changes; the currency and the alias are
// set once. The database refuses such changes too, since invoices, credits and
// usage were worked out with them.
//
// Deletion is soft: invoices and ledgers still name the customer, but every
// look-up misses it and its alias is free. What may be deleted, and what ends
// with it, is for the packages that own subscriptions and invoices to say.
//
// Invoice numbers are taken under the lock of the row that counts them, the
// customer's or the account's, so they have no holes and a prefix belongs to
// one counter only. Each customer has a prefix even where the account's is
// used: the setting can be changed back.
//
// Hierarchies. A request that says where a customer stands says all of it: a parent or
// children that it leaves out are none. Who is deleted leaves the hierarchy. A child whose
// usage a subscription of its parent counts stays its child until that has ended.
//
// A balance is moved under the customer's lock, and each move is a row that never
// changes: the balance is the end of the last. No operation refunds an overpayment
// (overpayment_refund), so no move is of that kind.
//
// What is said of accounting, reporting, payment and tax providers is kept and shown:
// none is connected here (semantics 8.3.4, 8.4.2). There are no saved payment methods
// either, so none can be the default one.
//
// E-mails are sent unless the client says otherwise (email_delivery).
package customer

// Package customer owns the customers of an account: their settings, balances, invoice numbers and
// hierarchy.
//
// A customer has an id of ours and, if the client gives one, an alias (external_customer_id). Each
// customer has a time zone; its days, periods and dates begin at local midnight.
//
// What was decided where the rules are silent is in DECISIONS.md.
package customer

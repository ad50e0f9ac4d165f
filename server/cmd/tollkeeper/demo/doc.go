// Package demo fills an empty test account with a small business, over the API as a client would: a
// company that sells maps by API. It has 3 plans and 20 customers with 90 days of usage, and of all
// that people look for in a billing system at least one: prepaid credits that run low, an alert that
// fired, an overdue invoice, a credit note, a coupon, a scheduled change, a backfill, and a webhook
// that cannot be delivered.
//
// What it makes is the same each time, but for ids: the test clock is set to fixed instants, and what
// is random comes from a fixed seed.
package demo

// Package search finds records of all kinds by the beginning of what people know of them: a name,
// an alias, an e-mail address, a number, a code or an id. It knows no other package: the database
// function search_records names the tables, because row-level security would keep their indexes
// from being used.
package search

import (
	"strings"

	"tollkeeper/store"
)

// Kind is a kind of record.
type Kind string

// Kinds, in the order in which they are found.
const (
	Customers        Kind = "customer"
	Subscriptions    Kind = "subscription"
	Invoices         Kind = "invoice"
	CreditNotes      Kind = "credit_note"
	Plans            Kind = "plan"
	Prices           Kind = "price"
	Metrics          Kind = "metric"
	Coupons          Kind = "coupon"
	Backfills        Kind = "backfill"
	Alerts           Kind = "alert"
	WebhookEndpoints Kind = "webhook_endpoint"
)

// Found is a record that was found.
type Found struct {
	Kind   Kind
	ID     string `gorm:"column:record"`
	Title  string // its name, number or code; "" for an invoice without a number
	Detail string // what tells it from others of the name: an alias, an address, the customer
	State  string // "" for kinds without states
}

// longest is the longest text that is looked for, in bytes: no name or address is longer.
const longest = 255

// Find returns the records whose name, alias, address, number, code or id begins with the text,
// in upper or lower case; at most so many of each kind. With a customer come its subscriptions and
// its newest invoices. Nothing begins with an empty text.
func Find(tx *store.Tx, text string, most int) (found []Found, err error) {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), ""))
	if text == "" || len(text) > longest {
		return nil, nil
	}
	err = tx.Raw("SELECT * FROM search_records(?, ?)", text, most).Scan(&found).Error
	return found, err
}

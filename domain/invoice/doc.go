// Package invoice holds the documents: invoices, their lines, credit notes and payments. It
// asks charge for every amount, and shows drafts and issued documents alike. When a document
// is opened, issued or corrected is decided in billing.
//
// What was decided where the rules are silent is in DECISIONS.md.
package invoice

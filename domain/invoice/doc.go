// Package invoice owns the documents: invoices, their lines, credit notes and payments. It asks
// charge for every amount, and presents drafts and issued documents in the same way. Package billing
// decides when a document is opened, issued or corrected.
//
// What was decided where the rules are silent is in DECISIONS.md.
package invoice

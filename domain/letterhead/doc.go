// Package letterhead owns what the documents of an account say about the seller: names, address,
// tax numbers, bank details, colors. Rows never change. Documents name the row that they were
// issued with, so a later change of the letterhead does not change them.
package letterhead

// Package ubl writes invoices and credit notes as XML by EN 16931, in the syntax UBL 2.1.
//
// Tollkeeper computes no taxes. So every line and the document are "not subject to VAT" (category
// O, semantics 19.4.2), with which the standard allows no VAT identifiers: the VAT number of the seller stands as its
// registration with a tax office (BT-32), and that of the buyer is left out. A line has its subtotal
// as price times quantity; what discounts, credits and earlier invoices took off is an allowance of
// the line. So the lines sum to the total of the invoice (semantics 19.4.3). What the balance of the customer paid is
// the prepaid amount.
package ubl

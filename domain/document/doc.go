// Package document is the one view of an invoice, a credit note or a receipt, from which pages,
// PDF, mail and XML are made. It holds what is shown, in the order in which it is shown, and the
// words and figures of the customer's language. It computes no amount (semantics 19.1.1): those of lines and the
// totals are the invoice's, and what stands between subtotal and total are sums of the lines'
// columns.
//
// What a document says is fixed by its issue. Amounts, addresses and names of lines are in the rows
// of the invoice, which cannot change; the rest is in its particulars (invoice.Particulars) and in
// the letterhead that they name, a row that cannot change either. Documents that were issued before
// there were particulars are shown with the present names. Marks that come later, such as the
// payment, are not part of the invoice's document; a void invoice says so.
package document

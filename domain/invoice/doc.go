// Package invoice holds the documents: invoices, their lines, credit notes and payments. It
// asks charge for every amount, and shows drafts and issued documents alike. When a document
// is opened, issued or corrected is decided in billing.
//
// # Choices
//
// Drafts. A draft is a row with a date. Its lines and amounts are worked out
// when it is read and therefore never stale; issuing works them out once more,
// in the transaction that freezes them. The id of a line follows from its
// invoice, price and start, so it is the same in the draft and afterwards.
//
// Parts of a cycle. A line that charges to date takes off what earlier invoices charged of
// its time. Those that are void did not: what they charged comes again with the next. Of
// several drafts the earlier is issued first. An installment of a fee takes nothing off: its
// rounding follows from its place.
//
// Lines by hand. A one-off invoice has the same kind of lines as any: each has a price
// of its own and is charged by it, under the discount of the invoice. So has a line that
// is put on a draft of a subscription, which no discount of that touches. A line for an
// amount is one of as many units at the rate that comes to it.
//
// What is due. The amount due of an invoice is fixed when it is issued; what its credit
// notes took off is counted beside it. Paying does not lower it. Credit notes subtract
// from figures on documents, so nothing is rated twice.
//
// Credit notes of a void invoice are void with it: they gave nothing but a lower amount
// due. A note that is voided while its invoice is still to be paid makes that due again;
// afterwards the money is taken out of the balance, since paid is final.
//
// Addresses and the tax number are the customer's until the invoice is issued, and then
// those it was issued with.
//
// Payments. A gateway decides inside the transaction that records the outcome, so an
// attempt is made once. One that asks over a network would need to claim, ask and record
// apart from each other, as webhooks do. A failed attempt on request is an answer, not a
// refusal: it must be recorded. Retries are at the same time of the customer's day.
//
// Taxes are off: totals are sums of lines, and the tax fields are empty.
//
// Filters by amount look at issued invoices only: a draft has no amount in the
// database.
//
// Hidden lines. The account setting that hides lines of quantity zero takes
// them out of what is shown, not out of what is kept.
package invoice

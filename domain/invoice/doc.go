// Package invoice owns the documents: invoices, their lines, credit notes and payments. It asks
// charge for every amount, and presents drafts and issued documents in the same way. Package billing
// decides when a document is opened, issued or corrected.
//
// The life of an invoice (semantics 8.1):
//
//	draft ──► issued ──► paid
//	  │         │ └────► synced   an accounting system has it
//	  │         └──────► void     by hand, or as a change replaces it
//	  └──► removed                a draft of what is billed no more
//
// A draft has no lines in the database: they are computed as they are read ([LinesOn]), so it shows what it would
// charge if it were issued now. An issue writes lines, totals and particulars ([Finalize]); from then on only marks
// change. A [View] is an invoice as a reader sees it, in any state.
//
// Who calls what, and when:
//
//	a billing date            billing.OpenNext makes the draft, or [ExpectInvoices] notes it where nothing needs the row
//	the end of a period,
//	and of its grace period   billing.IssueNext: [Finalize], a number, credits, the balance, the first attempt to collect
//	a reached threshold       billing.ThresholdInvoiceNext: a partial invoice. The later ones of the cycle take it off:
//	                          [PriorCharges] is what other documents charged of the same time
//	a request                 [MarkPaid], [Pay], [CreateCreditNote], [AddLine], [CreateOneOff], void
//	a change of the terms     billing credits or replaces what was charged ([Credit], the void of a replaced one)
//	usage that is corrected   drafts follow as they are read; issued invoices stay
//
// A credit note takes off what an invoice asks for, and gives to the customer's balance what was paid. [Invoice.Due] is
// what is left, [Invoice.Overdue] whether it is late.
//
// What was decided where the rules are silent is in DECISIONS.md.
package invoice

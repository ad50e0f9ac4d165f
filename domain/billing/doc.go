// Package billing holds the processes that make and change documents: subscribing, opening
// and issuing invoices, changes of a subscription with their corrections, invoices of a
// threshold, selling credits, top-ups, and verification.
//
// Each process locks what it needs in the order of domain/README.md, lets the packages below do their part, and
// brings the documents into line, in one transaction: a failure in the middle leaves all as it was.
//
//	a request to subscribe      [Subscribe]: the terms, then the documents of the dates that have passed
//	a request to change         change: [ChangePlan], [Cancel], [ChangeQuantity], [ChangeIntervals] ... edit the terms;
//	                            then what was charged is compared with what the terms now say
//	a billing date              [OpenNext]: the draft of what is billed on it
//	the end of a period         [IssueNext], after the grace period of usage; [Issue] by hand
//	usage beyond a threshold    [ScanThresholdsNext] notices it, [ThresholdInvoiceNext] invoices it
//	a date of the terms         [ChangeNext], [MigrateNext]: as a change of now
//	a day of credits that ends  [DeductNext] closes it ([BurnDown])
//	credits that run low        [TopUpNext] sells the next ones ([SellCredits])
//
// A change corrects what was charged in one of three ways (semantics 6.3): the draft follows, since it is computed as it is
// read; an invoice that is not paid is replaced by another one; of a paid one, a credit note gives back what is left.
//
// Credits that paid too much come back in one of four ways:
//
//	the draft falls             what is pending is computed again (credit.Deduct)
//	a part of a cycle falls     an amendment of what earlier parts drew (credit.GiveBackOfParts)
//	an invoice is replaced      its entries are those of the replacement, the rest comes back (credit.Carry,
//	                            credit.GiveBackOfInvoice)
//	an invoice is voided        all of it, in new blocks where the old ones have expired (credit.GiveBackVoid)
//
// What was decided where the rules are silent is in DECISIONS.md.
package billing

// Package subscription determines which prices a customer is billed, for which time, and on which
// dates. It does not compute amounts.
//
// A subscription is upcoming, active and ended, by the clock. It is on a plan, and another one later, for
// a [PlanInterval] each; what is billed are [PriceInterval]s, with [AdjustmentInterval]s over them. Intervals
// are half-open and in the customer's days. Changes end intervals and begin others, so what was billed can
// always be found again.
//
//	Terms              all of a subscription at once: most questions are asked of it
//	ServicePeriod      what a line of an invoice is for: a price interval, and a time of it
//	AdjustmentPeriods  the time over which a minimum, a maximum or a discount is worked out (price models 6.7)
//
// Who calls what, and when:
//
//	a request             package billing: Subscribe, ChangePlan, Cancel ..., which lock it ([Lock]) and call
//	                      this package's function of the same name, then bring its documents into line
//	a pending change      kept as it was asked for, until it is applied, cancelled or expires ([ExpireNext])
//	a billing date        billing.OpenNext; NextBillingAt is the next one
//	a date of the terms   billing.ChangeNext: a phase, a planned end or quantity; NextChangeAt is the next one
//	a begin, an end       [NotifyNext] tells webhooks; NextNewsAt is the next one
//
// What was decided where the rules are silent is in DECISIONS.md.
package subscription

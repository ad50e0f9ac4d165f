// Package charge turns service periods and their usage into amounts. It is the only path from
// usage to money: invoices, drafts, costs, evaluations and alerts call it.
//
//	Measure:   the usage of each service period
//	Calculate: rating.Rate -> rounding -> composite prices -> rating.Adjust -> licenses -> credits -> conversion
//
// Service periods on one invoice are calculated together, because composite prices and adjustments
// use several of them: a [Document] is these, with what other documents of the same periods charged. The package
// stores nothing.
//
// Who calls what:
//
//	invoice.LinesOn         the lines of a draft as it is read, and of an issue
//	[CustomerCosts]         the same for each day: what a document to its end would charge
//	billing thresholds      what has accrued: the same without minimums that later documents settle
//	invoice alert_costs.go  costs and spend for alerts
//	[Evaluate]              one price with made-up events
//	[Simulate]              a plan as it would be, over the usage of its customers
//	billing verify          all of it again, compared with what is stored and with domain/reference
//
// What was decided where the rules are silent is in DECISIONS.md.
package charge

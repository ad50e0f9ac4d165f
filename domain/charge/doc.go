// Package charge turns service periods and their usage into amounts. It is the only path from
// usage to money: invoices, drafts, costs, evaluations and alerts call it.
//
//	Measure:   the usage of each service period
//	Calculate: rating.Rate -> rounding -> composite prices -> rating.Adjust -> licenses -> credits -> conversion
//
// Service periods on one invoice are calculated together, because composite prices and adjustments
// use several of them. The package knows no documents and stores nothing.
//
// What was decided where the rules are silent is in DECISIONS.md.
package charge

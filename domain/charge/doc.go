// Package charge turns service periods and their usage into amounts. It is the one path from
// usage to money: invoices, drafts, costs, evaluations and alerts all ask it.
//
//	Measure:   what each service period used
//	Calculate: rating.Rate -> rounding -> composite prices -> rating.Adjust -> licenses -> credits -> conversion
//
// Service periods that are on one invoice are calculated together, since composite prices and
// adjustments look at several of them. The package knows no document and saves nothing.
//
// # Choices
//
// A line that is charged to date has in a shared adjustment only what it adds to earlier invoices
// of its cycle, for the days that it adds. What such an adjustment did there stays, also if it is
// in force no more. The line shows both together. Percentages, usage discounts, and adjustments
// that work on this price alone, work on all of the line to date.
//
// Costs. The cost of a service is the amount of its line on its own invoice, beside the other
// lines of that invoice. A minimum, maximum or discount over several prices works once for
// each invoice, and shows in full from the first day. So the costs of a time add up to its
// lines (cumulative_by_invoice.go).
//
// Invoice groups. A price that invoices show by the values of a property is rated on
// the whole; its subtotal is then split over the groups. Its steps are kept beside.
//
// Steps. A line keeps the parts of its charge as they were rated. Sub-line items are
// the same parts rounded to the line's subtotal; an explanation shows them exactly.
//
// Evaluation. A price is evaluated for one customer and a timeframe, which counts as a
// full billing period: nothing is prorated, and adjustments, credits and conversion do
// not come into it. A fixed fee is worth its quantity, and has nothing to filter or to
// group. A composite price is refused. Usage that lacks a value it is grouped by is in
// no group. Only stored usage has to be recent: a preview reads none.
package charge

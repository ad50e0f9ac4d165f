package main

// emphasis is a model, a metric and a cycle that the first plan of a history has, each in turn
// by the seed, so that rare ones come as often as others.
func (g *generator) emphasis(p *priceSpec) {
	n := int(g.seed)
	all := []string{"tiered_package", "tiered_with_minimum", "threshold_total_amount", "package_with_allocation", "unit_with_percent", "unit_with_proration",
		"tiered_with_proration", "bulk_with_proration", "matrix", "grouped_tiered", "grouped_allocation", "grouped_with_min_max_thresholds",
		"grouped_with_prorated_minimum", "package", "bulk", "tiered", "unit"}
	if n%2 == 0 {
		p.Model = all[n/2%len(all)]
	}
	if n%3 == 0 {
		p.Metric = []string{"parameter", "max", "distinct", "count"}[n/3%4]
	}
	if n%5 == 0 {
		p.Cycle = []cycle{{Months: 3}, {Months: 6}, {Months: 12}, {Days: 7}, {Days: 10}}[n/5%5]
		p.Invoiced = nil
	}
}

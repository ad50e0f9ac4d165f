package main

// A history steers toward pairs of a step and a feature that it has not had: of some steps that
// it could do next it takes the one with the most new pairs. What a seed plays depends on the
// seed alone, so it can be played again.

// candidates are how many steps are thought up to take one.
const candidates = 12

// steered takes one of the kinds' steps.
func (g *generator) steered(kinds []func() (step, bool)) step {
	var best step
	most := -1
	for n := 0; n < candidates || most < 0; n++ {
		s, ok := pick(g, kinds...)()
		if !ok {
			continue
		}
		if fresh := g.fresh(s); fresh > most {
			best, most = s, fresh
		}
	}
	return best
}

// fresh is how many pairs of a step the history has not had. A step of a kind that it has had
// often counts for less.
func (g *generator) fresh(s step) int {
	had := g.r.pairs[s.kind()]
	fresh, often := 0, 0
	for _, f := range g.w.features(s) {
		if had[f] == 0 {
			fresh++
		}
		often = max(often, had[f])
	}
	return max(0, 10+fresh-5*often)
}

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
	}
}

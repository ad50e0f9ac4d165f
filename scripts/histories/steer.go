package main

// A history steers toward pairs of a step and a feature that it has not had: of some steps that
// it could do next it takes the one with the most new pairs. What a seed plays depends on the
// seed alone, so it can be played again.

// steered takes one of the kinds' steps, of which it thinks up two of each.
func (g *generator) steered(kinds []func() (step, bool)) step {
	var best step
	for most := -1; most < 0; {
		for range 2 {
			for _, k := range g.Perm(len(kinds)) {
				s, ok := kinds[k]()
				if !ok {
					continue
				}
				if fresh := g.fresh(s); fresh > most {
					best, most = s, fresh
				}
			}
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

// rareSteps come seldom of themselves. A history has those of one of these kinds more often, each
// in turn by the seed, so that they meet all features in the long run.
var rareSteps = []struct {
	name  string
	steps []func(*generator) (step, bool)
}{
	{"invoice", []func(*generator) (step, bool){(*generator).invoice, (*generator).settleInvoice, (*generator).issueInvoice}},
	{"customers", []func(*generator) (step, bool){(*generator).counting}},
	{"trial", []func(*generator) (step, bool){(*generator).trial}},
	{"plan change", []func(*generator) (step, bool){(*generator).planChange, (*generator).unschedulePlanChange}},
	{"balance", []func(*generator) (step, bool){(*generator).moveBalance, (*generator).settleInvoice, (*generator).invoice}},
	{"quantity", []func(*generator) (step, bool){(*generator).quantity, (*generator).unscheduleQuantity}},
	{"backfill", []func(*generator) (step, bool){(*generator).backfill, (*generator).closeBackfill}},
	{"block", []func(*generator) (step, bool){(*generator).credit, (*generator).byHand, (*generator).decrement}},
	{"coupon", []func(*generator) (step, bool){(*generator).coupon}},
	{"document", []func(*generator) (step, bool){(*generator).document}},
	{"sale", []func(*generator) (step, bool){(*generator).sale, (*generator).settleSold}},
	{"top-up", []func(*generator) (step, bool){(*generator).topUp}},
	{"allocation", []func(*generator) (step, bool){(*generator).planChange, (*generator).cancel, (*generator).endPrice}},
	{"license", []func(*generator) (step, bool){(*generator).license}},
	{"version", []func(*generator) (step, bool){(*generator).version, (*generator).planChange}},
}

// rare are the steps that the history has more often.
func (g *generator) rare() (all []func() (step, bool)) {
	for range 4 {
		for _, one := range rareSteps[g.seed%uint64(len(rareSteps))].steps {
			all = append(all, func() (step, bool) { return one(g) })
		}
	}
	return all
}

// often reports whether the history has steps of a name more often.
func (g *generator) often(name string) bool {
	return rareSteps[g.seed%uint64(len(rareSteps))].name == name
}

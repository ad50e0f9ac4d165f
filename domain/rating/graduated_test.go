package rating_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

// graduated models never charge less for more. Bulk models may, beyond a bound, and
// so may models whose tiers have minimums, where that of a higher tier is lower.
var graduated = []string{
	"tiered", "tiered_with_proration", "grouped_tiered", "grouped_tiered_matrix", "scalable_matrix_with_tiered_pricing",
	"package", "package_with_allocation", "tiered_package", "grouped_tiered_package", "max_group_tiered_package",
	"grouped_allocation", "cumulative_grouped_allocation", "matrix_with_allocation", "daily_credit_allowance",
	"matrix_with_threshold_discounts",
}

var _ = Describe("more usage", func() {
	for _, modelType := range graduated {
		It("never lowers a "+modelType+" price", func() {
			rapid.Check(GinkgoT(), func(t *rapid.T) {
				s := drawSample(t, modelType)
				u := s.fullUsage(t)
				less, more := rating.Rate(s.model, u), rating.Rate(s.model, raised(t, u))
				if more.Subtotal.Cmp(less.Subtotal) < 0 {
					t.Fatalf("%s: %+v costs %s, more of it %s", s.config, u, less.Subtotal, more.Subtotal)
				}
			})
		})
	}
})

// raised is u with more or as much of everything.
func raised(t *rapid.T, u rating.Usage) rating.Usage {
	u.Quantity = u.Quantity.Add(drawMore(t))
	u.Cells = slices.Clone(u.Cells)
	for i, cell := range u.Cells {
		u.Cells[i].Quantity = cell.Quantity.Add(drawMore(t))
	}
	return u
}

func drawMore(t *rapid.T) money.Decimal {
	return money.Must(rapid.StringMatching(`0|[0-9]{1,3}(\.[0-9]{1,3})?`).Draw(t, "more"))
}

var _ = Describe("the order of usage", func() {
	It("changes no price and no part of it", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			s := drawSample(t, rapid.SampledFrom(rating.Types()).Draw(t, "model"))
			u := s.usage(t)
			c := rating.Rate(s.model, u)
			u.Cells = rapid.Permutation(u.Cells).Draw(t, "order")
			again := rating.Rate(s.model, u)
			if !again.Subtotal.Equal(c.Subtotal) || !slices.Equal(parts(again), parts(c)) {
				t.Fatalf("%s over %+v: parts %v, in another order %v", s.config, u, parts(c), parts(again))
			}
		})
	})
})

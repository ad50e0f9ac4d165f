package rating_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/rating"
	"tollkeeper/domain/reference"
)

var _ = Describe("The independent reference model", func() {
	for _, modelType := range rating.Types() {
		It("gives the amounts of the worked examples of "+modelType, func() {
			for _, e := range tables[modelType] {
				u := plainUsage(model(modelType, e.config), e.usage)
				got, err := reference.Rate(modelType, json.RawMessage(e.config), u)
				Expect(err).NotTo(HaveOccurred(), e.name)
				Expect(difference(got, rat(e.subtotal))).To(Satisfy(tiny), "%s: %s", e.name, got.FloatString(25))
			}
		})

		It("asks of usage what the price model "+modelType+" asks", func() {
			for _, e := range tables[modelType] {
				in, err := reference.InputsOf(modelType, json.RawMessage(e.config))
				Expect(err).NotTo(HaveOccurred())
				needs := model(modelType, e.config).Needs()
				Expect(slices.Compact(slices.Sorted(slices.Values(in.Properties)))).To(Equal(slices.Compact(slices.Sorted(slices.Values(needs.Split)))), e.name)
				filter := map[string]string{}
				for _, p := range needs.Filter {
					filter[p.Key] = p.Value
				}
				Expect(maps.Equal(in.Filters, filter)).To(BeTrue(), e.name)
				Expect(in.Components).To(Equal(needs.Composite), e.name)
			}
		})
	}

	It("knows every price model, and says that it does not know another", func() {
		Expect(rating.Types()).To(HaveLen(35))
		_, err := reference.Rate("bps", json.RawMessage(`{}`), reference.Usage{})
		Expect(err).To(MatchError(reference.ErrNotCovered))
	})
})

// tiny says that a number is below what a division leaves in parts of an amount.
func tiny(off *big.Rat) bool {
	return new(big.Rat).Abs(off).Cmp(rat("1e-18")) < 0
}

package rating_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
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

		It("agrees with rating over random configurations and usage of "+modelType, func() {
			cases, paid := 0, 0
			rapid.Check(GinkgoT(), func(t *rapid.T) {
				s := propertySamples[modelType](t)
				m := model(s.modelType, s.config)
				u := s.usage(t, m)
				quotients := rapid.Bool().Draw(t, "divided")
				if quotients {
					u = divided(u)
				}
				c := rating.Rate(m, u)
				want, err := reference.Rate(s.modelType, json.RawMessage(s.config), plainUsage(m, u))
				if err != nil {
					t.Fatal(err)
				}
				off := difference(want, rat(c.Subtotal.String()))
				least := product(rat("1e-20"), big.NewRat(int64(1+len(c.Parts)), 1))
				if off.Abs(off).Cmp(least) >= 0 {
					t.Fatalf("%s over %+v costs %s, by the reference model %s", s.config, u, c.Subtotal, want.FloatString(30))
				}
				// Cents decide: a tail that was cut may not turn a half. The price of a quotient of 20 digits has more
				// digits than a share is cut to, so there it may.
				if quotients && fromHalfACent(want).Cmp(least) < 0 {
					return
				}
				if cents := rat(c.Subtotal.WithoutTail().Round(2).String()); cents.Cmp(reference.Round(want, 2)) != 0 {
					t.Fatalf("%s over %+v costs %s, by the reference model %s", s.config, u, c.Subtotal, want.FloatString(30))
				}
				if cases++; want.Sign() != 0 {
					paid++
				}
			})
			fmt.Fprintf(GinkgoWriter, "%s: %d cases, %d of them with an amount\n", modelType, cases, paid)
			Expect(paid).To(BeNumerically(">", cases/10))
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

// plainUsage is usage as the reference model takes it.
func plainUsage(m rating.Model, u rating.Usage) reference.Usage {
	plain := reference.Usage{
		Quantity: rat(u.Quantity.String()), Matching: rat(u.Filtered.String()),
		Components: rat(u.Components.String()), Share: rateOf(u.Fraction), Fixed: u.Fixed,
	}
	for _, c := range u.Cells {
		g := reference.Group{Values: map[string]string{}, Quantity: rat(c.Quantity.String())}
		if c.Exact != nil {
			plain.Quotients, g.Quantity = true, rat(c.Exact.String())
		}
		for k, name := range m.Needs().Split {
			if v := c.Values[k]; v != nil {
				g.Values[name] = *v
			}
		}
		plain.Groups = append(plain.Groups, g)
	}
	return plain
}

// fromHalfACent is how far an amount is from the nearest half cent.
func fromHalfACent(amount *big.Rat) *big.Rat {
	halves := product(amount, big.NewRat(200, 1))
	whole := new(big.Rat).SetInt(new(big.Int).Quo(halves.Num(), halves.Denom()))
	off := difference(halves, whole)
	off.Abs(off)
	if other := difference(big.NewRat(1, 1), off); other.Cmp(off) < 0 {
		off = other
	}
	return product(off, big.NewRat(1, 200))
}

// divided is usage by a metric that divides by 60.
func divided(u rating.Usage) rating.Usage {
	exact := func(q money.Decimal) money.Decimal { return q.Quo(money.FromInt(60)).Round(40) }
	u.Quantity = exact(u.Quantity).Round(rating.QuotientPlaces)
	u.Filtered = exact(u.Filtered).Round(rating.QuotientPlaces)
	u.Cells = slices.Clone(u.Cells)
	for k, c := range u.Cells {
		u.Cells[k] = rating.Quotient(c.Values, exact(c.Quantity))
	}
	return u
}

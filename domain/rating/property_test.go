package rating_test

import (
	"encoding/json"
	"fmt"
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/reference"
)

// generators draw configurations, by model_type.
var generators = map[string]func(*rapid.T) string{}

// propertyOf declares that a model costs what the reference model says, for all configurations that draw draws. It
// is beside the golden table of the model.
func propertyOf(modelType string, draw func(*rapid.T) string) bool {
	generators[modelType] = draw
	return Describe("every "+modelType+" price", func() {
		It("costs what the reference model says, in parts that sum to it", func() {
			cases, paid := 0, 0
			rapid.Check(GinkgoT(), func(t *rapid.T) {
				s := drawSample(t, modelType)
				u := s.usage(t)
				byQuotients := rapid.Bool().Draw(t, "divided")
				if byQuotients {
					u = divided(u)
				}
				if cases++; compareRated(t, s, u, byQuotients).Sign() != 0 {
					paid++
				}
			})
			fmt.Fprintf(GinkgoWriter, "%s: %d cases, %d of them with an amount\n", modelType, cases, paid)
			Expect(paid).To(BeNumerically(">", cases/10))
		})
	})
}

// compareRated compares a charge with the reference model, and returns the subtotal of the latter.
func compareRated(t *rapid.T, s sample, u rating.Usage, byQuotients bool) *big.Rat {
	c := rating.Rate(s.model, u)
	want, err := reference.Rate(s.modelType, json.RawMessage(s.config), plainUsage(s.model, u))
	if err != nil {
		t.Fatal(err)
	}
	differs := func() {
		t.Fatalf("%s over %+v costs %s, by the reference model %s", s.config, u, c.Subtotal, want.FloatString(30))
	}
	// What a division leaves below the 20th digit is cut, of each part at most.
	least := product(rat("1e-20"), big.NewRat(int64(1+len(c.Parts)), 1))
	if off := difference(want, rat(c.Subtotal.String())); off.Abs(off).Cmp(least) >= 0 {
		differs()
	}
	// Cents decide: a tail that was cut may not turn a half. The price of a quotient of 20 digits has more digits than
	// a share is cut to, so there it may.
	mayTurn := byQuotients && fromHalfACent(want).Cmp(least) < 0
	if cents := rat(c.Subtotal.WithoutTail().Round(2).String()); cents.Cmp(reference.Round(want, 2)) != 0 && !mayTurn {
		differs()
	}
	var parts money.Decimal
	for _, p := range c.Parts {
		parts = parts.Add(p.Amount)
	}
	if !parts.Equal(c.Subtotal) {
		t.Fatalf("%s over %+v: parts of %s, line of %s", s.config, u, parts, c.Subtotal)
	}
	if s.model.Needs().Single() && !c.Quantity.Equal(u.Quantity) {
		t.Fatalf("%s over %+v: a line of %s", s.config, u, c.Quantity)
	}
	return want
}

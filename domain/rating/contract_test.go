package rating_test

import (
	"fmt"
	"maps"
	"os"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

// leastExamples is how many a golden table must have.
const leastExamples = 6

// offered are the models of the contract: what a price in a response may be.
func offered() []string {
	text, err := os.ReadFile("../../openapi.yaml")
	Expect(err).NotTo(HaveOccurred())
	var contract struct {
		Components struct {
			Schemas struct {
				Price struct {
					Discriminator struct {
						Mapping map[string]string
					}
				} `yaml:"Price"`
			}
		}
	}
	Expect(yaml.Unmarshal(text, &contract)).To(Succeed())
	return slices.Sorted(maps.Keys(contract.Components.Schemas.Price.Discriminator.Mapping))
}

// gaps says which models are not offered, decoded and pinned alike.
func gaps(offered, decoded []string, tables map[string][]example, generators map[string]func(*rapid.T) string) (gaps []string) {
	gap := func(modelType, what string, args ...any) {
		gaps = append(gaps, modelType+" "+fmt.Sprintf(what, args...))
	}
	for _, m := range decoded {
		if !slices.Contains(offered, m) {
			gap(m, "is not in the contract")
		}
	}
	for _, m := range offered {
		if !slices.Contains(decoded, m) {
			gap(m, "cannot be decoded")
		}
		if n := len(tables[m]); n < leastExamples {
			gap(m, "has %d examples", n)
		}
		if !slices.ContainsFunc(tables[m], func(e example) bool { return e.bound }) {
			gap(m, "has no example on a bound")
		}
		if generators[m] == nil {
			gap(m, "has no property")
		}
	}
	return gaps
}

var _ = Describe("the models of the contract", func() {
	It("are those that can be decoded, each with examples, one on a bound, and a property", func() {
		Expect(offered()).NotTo(BeEmpty())
		Expect(gaps(offered(), rating.Types(), tables, generators)).To(BeEmpty())
	})

	type table = []example
	pinned := append(make(table, leastExamples-1), atBound("", "", rating.Usage{}, ""))
	drawn := map[string]func(*rapid.T) string{"flat": drawRate}
	one, two := []string{"flat"}, []string{"flat", "sharp"}

	DescribeTable("have a gap where one",
		func(offered, decoded []string, pinned table, generators map[string]func(*rapid.T) string, want ...string) {
			Expect(gaps(offered, decoded, map[string][]example{"flat": pinned}, generators)).To(Equal(want))
		},
		Entry("is invented by the contract", two, one, pinned, drawn,
			"sharp cannot be decoded", "sharp has 0 examples", "sharp has no example on a bound", "sharp has no property"),
		Entry("is unknown to the contract", one, two, pinned, drawn, "sharp is not in the contract"),
		Entry("has too few examples", one, one, pinned[1:], drawn, "flat has 5 examples"),
		Entry("has none on a bound", one, one, make(table, leastExamples), drawn, "flat has no example on a bound"),
		Entry("has no property", one, one, pinned, nil, "flat has no property"),
	)

	It("have no gap where each has all", func() {
		Expect(gaps(one, one, map[string][]example{"flat": pinned}, drawn)).To(BeEmpty())
	})
})

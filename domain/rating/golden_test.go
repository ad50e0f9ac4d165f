package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

// An example is a worked example of a price model.
type example struct {
	name     string // a sentence of the contract
	config   string
	usage    rating.Usage
	subtotal string
	parts    []string // as the function parts writes them
	bound    bool
}

// tables are the golden tables by model_type.
var tables = map[string][]example{}

// golden declares the golden table of a model; it is beside the model's file.
func golden(modelType string, examples ...example) bool {
	tables[modelType] = append(tables[modelType], examples...)
	return Describe(modelType, func() {
		for _, e := range examples {
			It(e.name, func() {
				m := model(modelType, e.config)
				c := rating.Rate(m, e.usage)
				Expect(c.Subtotal.String()).To(Equal(e.subtotal))
				if m.Needs().Single() {
					Expect(c.Quantity).To(Equal(e.usage.Quantity))
				}
				Expect(parts(c)).To(Equal(append([]string{}, e.parts...)))
				var sum money.Decimal
				for _, p := range c.Parts {
					sum = sum.Add(p.Amount)
				}
				Expect(sum.String()).To(Equal(e.subtotal), "the sum of the parts")
			})
		}
	})
}

// costs is an example away from all bounds.
func costs(name, config string, u rating.Usage, subtotal string, parts ...string) example {
	return example{name: name, config: config, usage: u, subtotal: subtotal, parts: parts}
}

// atBound is an example exactly on a bound, a package or an allowance.
func atBound(name, config string, u rating.Usage, subtotal string, parts ...string) example {
	return example{name: name, config: config, usage: u, subtotal: subtotal, parts: parts, bound: true}
}

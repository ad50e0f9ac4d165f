package console

import (
	"maps"
	"slices"
)

// labelFacts are the entries of metadata by their names.
func labelFacts(labels map[string]string) (facts []fact) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		facts = append(facts, fact{name, text(labels[name])})
	}
	return facts
}

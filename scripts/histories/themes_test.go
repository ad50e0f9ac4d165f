package main

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("themes of histories", func() {
	It("are the same each time for a seed", func() {
		for seed := range uint64(50) {
			Expect(drawTheme(seed)).To(Equal(drawTheme(seed)))
		}
	})

	It("name kinds and features that are counted, each at some seed, and rare ones more often", func() {
		kinds, features := map[string]int{}, map[string]int{}
		for seed := range uint64(3000) {
			t := drawTheme(seed)
			for _, kind := range t.kinds {
				Expect(makers).To(HaveKey(kind))
				kinds[kind]++
			}
			for _, f := range t.features {
				Expect(allFeatures).To(ContainElement(f))
				features[f]++
			}
		}
		for _, kind := range kindsOfSteps {
			if w, told := rareKinds[kind]; !told || w > 0 {
				Expect(kinds[kind]).To(BeNumerically(">", 20), kind)
			}
		}
		Expect(features["grant of a difference"]).To(BeNumerically(">", 2*features["coupon"]))
		Expect(features["clock changes"]).To(BeZero()) // most histories have it
	})

	It("give every rare name a weight, and know how steps of every kind are made", func() {
		for name := range rareFeatures {
			Expect(allFeatures).To(ContainElement(name))
		}
		for name := range rareKinds {
			Expect(kindsOfSteps).To(ContainElement(name))
		}
		for kind, before := range needs {
			Expect(makers).To(HaveKey(kind))
			for _, one := range before {
				Expect(makers).To(HaveKey(one))
			}
		}
		for _, f := range allFeatures {
			for _, kind := range bringsAbout(f) {
				Expect(makers).To(HaveKey(kind))
			}
		}
		Expect(slices.IsSorted(allFeatures)).To(BeTrue())
	})
})

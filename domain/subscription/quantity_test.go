package subscription_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("QuantityAt", func() {
	It("has a charge resume with the quantity in force, also where that was changed later", func() {
		two, five := money.Must("2"), money.Must("5")
		fee := subscription.PriceInterval{Price: catalog.Price{Quantity: &two}, Transitions: []subscription.Transition{
			{Record: store.Record{ID: "qty_2"}, EffectiveAt: at("2025-02-11", time.UTC), Quantity: &five},
			{Record: store.Record{ID: "qty_1"}, EffectiveAt: at("2025-02-18", time.UTC), Resumes: true},
		}}
		Expect(fee.QuantityAt(at("2025-02-10", time.UTC))).To(Equal(two))
		Expect(fee.QuantityAt(at("2025-02-18", time.UTC))).To(Equal(five))
		Expect(fee.QuantityAt(at("2025-03-01", time.UTC))).To(Equal(five))
	})
})

package credit_test

import (
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("An increment", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	It("CR-1: adds a block and tells of it", func() {
		entry := s.added(func(g *credit.Grant) { g.ExpiresAt = midnight("2025-12-28") })
		Expect(entry.Sequence).To(BeEquivalentTo(1))
		Expect(entry.Kind).To(Equal(credit.KindIncrement))
		Expect(entry.Status).To(Equal(credit.EntryCommitted))
		Expect(entry.StartingBalance.String()).To(Equal("0"))
		Expect(entry.EndingBalance.String()).To(Equal("100"))
		Expect(entry.Block.ExpiresAt).To(HaveValue(BeTemporally("==", instant("2025-12-28T08:00:00Z"))))
		Expect(entry.Block.EffectiveAt).To(BeTemporally("==", instant("2025-03-10T07:00:00Z")), "today's midnight in the customer's zone")
		Expect(s.balance()).To(Equal("100"))
	})

	It("makes a block of its own each time, and counts on", func() {
		first := s.added(nil)
		second := s.added(func(g *credit.Grant) { g.Amount = money.Must("0.5") })
		Expect(second.BlockID).NotTo(Equal(first.BlockID))
		Expect(second.Sequence).To(BeEquivalentTo(2))
		Expect(second.StartingBalance.String()).To(Equal("100"))
		Expect(second.EndingBalance.String()).To(Equal("100.5"))
		dollars := s.added(func(g *credit.Grant) { g.Currency = "USD" })
		Expect(dollars.Sequence).To(BeEquivalentTo(1), "another unit has another ledger")
		Expect(dollars.StartingBalance.String()).To(Equal("0"))
	})

	It("counts from the day it takes effect until the day it expires", func() {
		entry := s.added(func(g *credit.Grant) {
			g.EffectiveAt, g.ExpiresAt = midnight("2025-03-12"), midnight("2025-03-20")
		})
		Expect(entry.EndingBalance.String()).To(Equal("0"))
		s.clock("2025-03-12T06:59:59Z")
		Expect(s.balance()).To(Equal("0"))
		s.clock("2025-03-12T07:00:00Z")
		Expect(s.balance()).To(Equal("100"))
		s.clock("2025-03-20T07:00:00Z")
		Expect(s.balance()).To(Equal("0"))
	})

	It("reads a date-time as its local date", func() {
		entry := s.added(func(g *credit.Grant) {
			g.EffectiveAt, g.ExpiresAt = midnight("2025-03-12T06:00:00Z"), midnight("2025-03-20T23:00:00")
		})
		Expect(entry.Block.EffectiveAt).To(BeTemporally("==", instant("2025-03-11T07:00:00Z")))
		Expect(entry.Block.ExpiresAt).To(HaveValue(BeTemporally("==", instant("2025-03-20T07:00:00Z"))))
	})

	DescribeTable("is refused as wrong in itself",
		func(change func(*credit.Grant), violation string) {
			_, err := s.add(change)
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue(), "%v", err)
			Expect(err.Error()).To(HavePrefix(violation))
		},
		Entry("of nothing", func(g *credit.Grant) { g.Amount = money.Decimal{} }, "amount: "),
		Entry("of less than nothing", func(g *credit.Grant) { g.Amount = money.FromInt(-1) }, "amount: "),
		Entry("of parts of a cent", func(g *credit.Grant) { g.Currency, g.Amount = "USD", money.Must("1.005") }, "amount: "),
		Entry("in a unit that is none", func(g *credit.Grant) { g.Currency = "tokens" }, "currency: "),
		Entry("at a negative cost", func(g *credit.Grant) { g.PerUnitCostBasis = ref("-0.01") }, "per_unit_cost_basis: "),
		Entry("at a cost that is none", func(g *credit.Grant) { g.PerUnitCostBasis = ref("free") }, "per_unit_cost_basis: "),
		Entry("that expires as it takes effect", func(g *credit.Grant) { g.EffectiveAt, g.ExpiresAt = midnight("2025-04-01"), midnight("2025-04-01") }, "expiry_date: "),
		Entry("that expires today", func(g *credit.Grant) { g.ExpiresAt = midnight("2025-03-10") }, "expiry_date: "),
		Entry("for items, naming none", func(g *credit.Grant) { g.Filters = []credit.ItemFilter{{Operator: credit.Includes}} }, "filters[0].values: "),
	)

	It("is refused in real money that is not the customer's", func() {
		_, err := s.add(func(g *credit.Grant) { g.Currency = "EUR" })
		Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
		s.buyer.Currency = nil
		_, err = s.add(func(g *credit.Grant) { g.Currency = "USD" })
		Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
	})

	It("can be for items that exist", func() {
		only := func(id string) func(*credit.Grant) {
			return func(g *credit.Grant) {
				g.Filters = []credit.ItemFilter{{Operator: credit.Includes, ItemIDs: []string{id}}}
			}
		}
		Expect(s.added(only(s.item.ID)).Block.Filters).To(HaveLen(1))
		_, err := s.add(only("nope"))
		Expect(err).To(Equal(fault.Missing("Item", "nope")))
	})

	It("leaves nothing behind when it is refused", func() {
		_, err := s.add(func(g *credit.Grant) { g.Amount = money.Decimal{} })
		Expect(err).To(HaveOccurred())
		Expect(s.added(nil).Sequence).To(BeEquivalentTo(1))
	})

	It("is numbered without holes when many come at once", func() {
		const many = 12
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				defer GinkgoRecover()
				s.added(func(g *credit.Grant) { g.Amount = money.FromInt(1) })
			})
		}
		all.Wait()
		s.update(func(tx *store.Tx) error {
			entries, next, err := credit.ListEntries(tx, s.buyer.ID, credit.EntryFilter{Currency: money.Credits}, store.Page{Limit: 100})
			Expect(err).NotTo(HaveOccurred())
			Expect(next).To(BeEmpty())
			Expect(entries).To(HaveLen(many))
			for i, e := range entries {
				Expect(e.Sequence).To(BeEquivalentTo(many - i))
				Expect(e.EndingBalance.Equal(money.FromInt(e.Sequence))).To(BeTrue())
			}
			return nil
		})
	})

	It("cannot be changed or taken away", func() {
		entry := s.added(nil)
		for _, statement := range []string{"UPDATE ledger_entries SET amount = 1 WHERE id = ?", "DELETE FROM ledger_entries WHERE id = ?"} {
			Expect(s.try(func(tx *store.Tx) error {
				return tx.Exec(statement, entry.ID).Error
			})).To(MatchError(ContainSubstring("is committed")))
		}
	})
})

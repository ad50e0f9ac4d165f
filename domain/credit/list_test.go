package credit_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("A ledger", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	amounts := func(filter credit.EntryFilter, page store.Page) (found []string, next string) {
		GinkgoHelper()
		filter.Currency = money.Credits
		s.update(func(tx *store.Tx) error {
			entries, after, err := credit.ListEntries(tx, s.buyer.ID, filter, page)
			for _, e := range entries {
				Expect(e.Block.ID).To(Equal(e.BlockID))
				found = append(found, e.Amount.String())
			}
			next = after
			return err
		})
		return found, next
	}
	grant := func(amount int64) {
		GinkgoHelper()
		s.added(func(g *credit.Grant) { g.Amount = money.FromInt(amount) })
	}

	It("is paged, the newest entry first, and stays so while it grows", func() {
		for n := range int64(5) {
			grant(n + 1)
		}
		first, next := amounts(credit.EntryFilter{}, store.Page{Limit: 2})
		Expect(first).To(Equal([]string{"5", "4"}))
		grant(6)
		second, next := amounts(credit.EntryFilter{}, store.Page{Limit: 2, Cursor: next})
		Expect(second).To(Equal([]string{"3", "2"}))
		last, next := amounts(credit.EntryFilter{}, store.Page{Limit: 2, Cursor: next})
		Expect(last).To(Equal([]string{"1"}))
		Expect(next).To(BeEmpty())
	})

	It("knows only its own cursors", func() {
		other := s.added(func(g *credit.Grant) { g.Currency = "USD" })
		for _, cursor := range []string{"nope", other.ID} {
			Expect(fault.Is(s.try(func(tx *store.Tx) error {
				_, _, err := credit.ListEntries(tx, s.buyer.ID, credit.EntryFilter{Currency: money.Credits}, store.Page{Limit: 2, Cursor: cursor})
				return err
			}), fault.KindInvalid)).To(BeTrue())
		}
	})

	DescribeTable("can be narrowed",
		func(filter credit.EntryFilter, left ...string) {
			grant(1)
			s.clock("2025-03-11T09:00:00Z")
			grant(2)
			found, _ := amounts(filter, store.Page{Limit: 10})
			Expect(found).To(HaveExactElements(left))
		},
		Entry("by nothing", credit.EntryFilter{}, "2", "1"),
		Entry("to amounts from one on", credit.EntryFilter{MinimumAmount: ref(money.FromInt(2))}, "2"),
		Entry("to a kind", credit.EntryFilter{Kind: credit.KindIncrement}, "2", "1"),
		Entry("to another kind", credit.EntryFilter{Kind: credit.KindVoid}),
		Entry("to a status", credit.EntryFilter{Status: credit.EntryPending}),
		Entry("to a time", credit.EntryFilter{CreatedAt: store.Range{Lt: ref(instant("2025-03-11T09:00:00Z"))}}, "1"),
	)
})

var _ = Describe("A list of blocks", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	left := func(filter credit.BlockFilter) (balances []string) {
		GinkgoHelper()
		filter.Currency = money.Credits
		s.update(func(tx *store.Tx) error {
			blocks, _, err := credit.ListBlocks(tx, s.buyer.ID, filter, store.Page{Limit: 10})
			for _, b := range blocks {
				balances = append(balances, b.Balance.String())
			}
			return err
		})
		return balances
	}

	BeforeEach(func() {
		s.added(func(g *credit.Grant) { g.Amount, g.ExpiresAt = money.FromInt(1), midnight("2025-03-12") })
		s.added(func(g *credit.Grant) { g.Amount, g.EffectiveAt = money.FromInt(2), midnight("2025-04-01") })
		s.added(func(g *credit.Grant) { g.Amount = money.FromInt(3) })
		s.added(func(g *credit.Grant) { g.Amount, g.Currency = money.FromInt(4), "USD" })
	})

	It("has those of one unit, the newest first, those to come as well", func() {
		Expect(left(credit.BlockFilter{})).To(Equal([]string{"3", "2", "1"}))
	})

	It("leaves out what has expired, unless all are asked for", func() {
		s.clock("2025-03-12T07:00:00Z")
		Expect(left(credit.BlockFilter{})).To(Equal([]string{"3", "2"}))
		Expect(left(credit.BlockFilter{All: true})).To(Equal([]string{"3", "2", "1"}))
	})

	It("can be narrowed to when blocks take effect", func() {
		from := instant("2025-03-20T00:00:00Z")
		Expect(left(credit.BlockFilter{EffectiveAt: store.Range{Gte: &from}})).To(Equal([]string{"2"}))
	})
})

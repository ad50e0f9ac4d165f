package credit_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

var _ = Describe("The balances of all customers", func() {
	It("are paged, the lowest first, and know only their own cursors", func() {
		s := open()
		for currency, amount := range map[money.Currency]int64{"USD": 30, "credits": 20} {
			s.added(func(g *credit.Grant) { g.Currency, g.Amount = currency, money.FromInt(amount) })
		}
		list := func(cursor string) (found []string, next string) {
			GinkgoHelper()
			s.update(func(tx *store.Tx) error {
				ledgers, after, err := credit.ListBalances(tx, store.Page{Limit: 1, Cursor: cursor})
				for _, l := range ledgers {
					Expect(l.CustomerID).To(Equal(s.buyer.ID))
					found = append(found, l.Balance.String()+" "+string(l.Currency))
				}
				next = after
				return err
			})
			return found, next
		}
		first, next := list("")
		Expect(first).To(Equal([]string{"20 credits"}))
		second, next := list(next)
		Expect(second).To(Equal([]string{"30 USD"}))
		Expect(next).To(BeEmpty())
		for _, cursor := range []string{"nope", "x y z"} {
			Expect(fault.Is(s.try(func(tx *store.Tx) error {
				_, _, err := credit.ListBalances(tx, store.Page{Limit: 1, Cursor: cursor})
				return err
			}), fault.KindInvalid)).To(BeTrue(), cursor)
		}
	})
})

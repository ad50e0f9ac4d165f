package credit_test

import (
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

var _ = Describe("A ledger that many write at once", func() {
	It("comes out as if they had come one after the other", func() {
		const writers, each = 64, 3
		s := open()
		var all sync.WaitGroup
		answers := make([][]credit.Entry, writers)
		for k := range writers {
			all.Go(func() {
				defer GinkgoRecover()
				for range each {
					s.update(func(tx *store.Tx) error {
						ledger, err := credit.Lock(tx, s.buyer.ID, money.Credits)
						if err != nil {
							return err
						}
						var entry credit.Entry
						if k%2 == 0 {
							entry, err = credit.Add(tx, s.buyer, credit.Grant{Currency: money.Credits, Amount: money.FromInt(int64(k + 1))})
						} else {
							entry, err = credit.Decrement(tx, ledger, s.buyer, money.FromInt(int64(k+1)), credit.Note{})
						}
						answers[k] = append(answers[k][:len(answers[k]):len(answers[k])], entry)
						return err
					})
				}
			})
		}
		all.Wait()
		var total int64
		for k := range int64(writers) {
			total += each * (k + 1) * (1 - k%2*2)
		}
		Expect(s.balance()).To(Equal(money.FromInt(total).String()))
		s.update(func(tx *store.Tx) error {
			var entries []credit.Entry
			Expect(tx.Where("customer_id = ?", s.buyer.ID).Order("sequence").Find(&entries).Error).To(Succeed())
			byID := map[string]credit.Entry{}
			var before money.Decimal
			for n, e := range entries {
				Expect(e.Sequence).To(BeEquivalentTo(n + 1))
				Expect(e.StartingBalance.Equal(before)).To(BeTrue())
				before, byID[e.ID] = e.EndingBalance, e
			}
			for _, told := range answers {
				Expect(told).To(HaveLen(each))
				last := int64(0)
				for _, e := range told { // what each was told is so, and in the order in which it asked
					Expect(byID[e.ID].EndingBalance.Equal(e.EndingBalance)).To(BeTrue())
					Expect(e.Sequence).To(BeNumerically(">", last))
					last = e.Sequence
				}
			}
			for _, wrong := range []func(*store.Tx) ([]string, error){credit.BrokenLedgers, credit.UnbalancedLedgers, credit.WrongBlocks} {
				Expect(wrong(tx)).To(BeEmpty())
			}
			return nil
		})
	})
})

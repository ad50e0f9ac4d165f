package due_test

import (
	"context"
	"errors"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/due"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("A parked unit", func() {
	var st *store.Store
	var account context.Context
	monthEnd := time.Date(2025, 3, 31, 22, 0, 0, 0, time.UTC) // an hour into the first of April in Berlin, whose clock has changed
	acme, globex, sub, other := new("cus_acme"), new("cus_globex"), new("sub_1"), new("sub_2")

	BeforeEach(func() {
		st = storetest.Shared()
		account = storetest.Account(st, "test")
	})

	do := func(fn func(tx *store.Tx) error) {
		GinkgoHelper()
		Expect(st.Update(account, fn)).To(Succeed())
	}
	park := func(of due.Subject, text string) (attempts int) {
		GinkgoHelper()
		do(func(tx *store.Tx) (err error) {
			attempts, err = due.Park(tx, due.Failure{Kind: "open invoices", Lane: due.Billing, Of: of, DueAt: monthEnd, Err: errors.New(text)})
			return err
		})
		return attempts
	}
	list := func() (all []due.Parked) {
		GinkgoHelper()
		do(func(tx *store.Tx) (err error) {
			all, err = due.List(tx, 100)
			return err
		})
		return all
	}
	retry := func() { do(due.RetryAll) }
	free := func(condition string) (is bool) {
		GinkgoHelper()
		do(func(tx *store.Tx) error { return tx.Raw("SELECT "+condition, tx.AccountID).Scan(&is).Error })
		return is
	}
	ofSubscription := func(lane due.Lane, customer, subscription *string) bool {
		GinkgoHelper()
		return free(lane.FreeSubscription("?", "'"+*customer+"'", "'"+*subscription+"'"))
	}
	ofCustomer := func(lane due.Lane, customer *string) bool {
		GinkgoHelper()
		return free(lane.FreeCustomer("?", "'"+*customer+"'"))
	}

	It("holds up the same throughout a search, and for what the search found, though its next try comes meanwhile", func() {
		park(due.Subject{CustomerID: acme}, "no")
		condition := "SELECT " + due.Billing.FreeCustomer("?", "'"+*acme+"'")
		var looked due.State
		var isFree bool
		Expect(st.View(account, func(tx *store.Tx) (err error) {
			if looked, err = due.Look(tx); err != nil {
				return err
			}
			Expect(looked.Trying).To(BeEmpty())
			time.Sleep(1300 * time.Millisecond) // longer than the first wait
			return tx.Raw(condition, tx.AccountID).Scan(&isFree).Error
		})).To(Succeed())
		Expect(isFree).To(BeFalse(), "in the search")
		do(func(tx *store.Tx) error {
			if err := due.AsOf(tx, looked.At); err != nil {
				return err
			}
			return tx.Raw(condition, tx.AccountID).Scan(&isFree).Error
		})
		Expect(isFree).To(BeFalse(), "as of the search")
		Expect(ofCustomer(due.Billing, acme)).To(BeTrue(), "now")
		do(func(tx *store.Tx) (err error) {
			looked, err = due.Look(tx)
			return err
		})
		Expect(looked.Trying).To(HaveLen(1))
	})

	It("says what it concerns, why it failed, and when it is tried again: later each time, and at most for twelve minutes", func() {
		of := due.Subject{CustomerID: acme, SubscriptionID: sub}
		Expect(park(of, "no "+strings.Repeat("x", 3000)+"\x00")).To(Equal(1))
		first := list()[0]
		Expect(first).To(And(HaveField("Subject", of), HaveField("Kind", "open invoices"), HaveField("Lane", due.Billing), HaveField("Error", HaveLen(2000))))
		Expect(first.DueAt).To(BeTemporally("==", monthEnd))
		Expect(first.NextTryAt.Sub(first.LastFailedAt)).To(BeNumerically("~", time.Second, 200*time.Millisecond))
		var wait time.Duration
		for n := 2; n < 15; n++ {
			retry()
			Expect(park(of, "still")).To(Equal(n))
			p := list()[0]
			Expect(p.FirstFailedAt).To(BeTemporally("==", first.FirstFailedAt))
			Expect(p.ID).To(Equal(first.ID))
			Expect(p.NextTryAt.Sub(p.LastFailedAt)).To(BeNumerically(">", wait))
			wait = min(p.NextTryAt.Sub(p.LastFailedAt), 7*time.Minute)
		}
		Expect(list()[0].NextTryAt.Sub(list()[0].LastFailedAt)).To(BeNumerically("~", 10*time.Minute, 2*time.Minute))
	})

	It("counts one attempt where two servers failed at it together", func() {
		of := due.Subject{CustomerID: acme}
		Expect(park(of, "one")).To(Equal(1))
		Expect(park(of, "two")).To(BeZero())
		Expect(list()).To(HaveExactElements(And(HaveField("Attempts", 1), HaveField("Error", "one"))))
	})

	It("of a subscription holds up that, and units of its customer as a whole, in its lane", func() {
		park(due.Subject{CustomerID: acme, SubscriptionID: sub}, "no")
		Expect(ofSubscription(due.Billing, acme, sub)).To(BeFalse())
		Expect(ofCustomer(due.Billing, acme)).To(BeFalse())
		Expect(ofSubscription(due.Billing, acme, other)).To(BeTrue())
		Expect(ofSubscription(due.Alerts, acme, sub)).To(BeTrue())
		Expect(ofCustomer(due.Billing, globex)).To(BeTrue())
		retry()
		Expect(ofSubscription(due.Billing, acme, sub)).To(BeTrue())
	})

	It("of a customer holds up all of the customer", func() {
		park(due.Subject{CustomerID: acme}, "no")
		Expect(ofSubscription(due.Billing, acme, sub)).To(BeFalse())
		Expect(ofCustomer(due.Billing, acme)).To(BeFalse())
		Expect(ofSubscription(due.Billing, globex, other)).To(BeTrue())
	})

	It("of an account holds up all of the lane in the account, and nothing of another", func() {
		park(due.Subject{}, "no")
		Expect(ofSubscription(due.Billing, acme, sub)).To(BeFalse())
		Expect(ofCustomer(due.Billing, globex)).To(BeFalse())
		Expect(ofCustomer(due.Notices, globex)).To(BeTrue())
		account = storetest.Account(st, "live")
		Expect(ofCustomer(due.Billing, globex)).To(BeTrue())
		Expect(list()).To(BeEmpty())
	})

	It("is deleted when nothing of it is due, unless it failed again meanwhile", func() {
		park(due.Subject{CustomerID: acme}, "no")
		park(due.Subject{CustomerID: globex}, "no")
		retry()
		var state due.State
		do(func(tx *store.Tx) (err error) {
			state, err = due.Look(tx)
			return err
		})
		Expect(state.Trying).To(HaveLen(2))
		park(due.Subject{CustomerID: globex}, "again")
		do(func(tx *store.Tx) error { return due.Unpark(tx, state.Trying) })
		Expect(list()).To(HaveExactElements(And(HaveField("CustomerID", globex), HaveField("Attempts", 2))))
	})

	It("is counted beside those of other accounts", func() {
		park(due.Subject{CustomerID: acme}, "no")
		park(due.Subject{CustomerID: globex}, "no")
		counts, err := due.CountAll(context.Background(), st)
		Expect(err).NotTo(HaveOccurred())
		Expect(counts).To(ContainElement(And(HaveField("AccountID", store.AccountID(account)), HaveField("Kind", "open invoices"), HaveField("Units", 2))))
	})
})

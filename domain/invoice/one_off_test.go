package invoice_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// bill makes a one-off invoice of one unit of that price, which is issued at once; change makes
// it another one.
func (a testAccount) bill(buyer customer.Customer, amount string, change func(*invoice.NewOneOff)) (v invoice.View, err error) {
	err = a.Try(func(tx *store.Tx) (err error) {
		today := period.DateOf(tx.Now, buyer.Location())
		in := invoice.NewOneOff{
			CustomerID: &buyer.ID, Currency: "USD", Date: today.String(), AutoIssues: true,
			Lines: []invoice.NewOneOffLine{{
				Name: "Service", ItemID: a.Item, Quantity: money.FromInt(1), Config: json.RawMessage(`{"unit_amount": "` + amount + `"}`), Start: today, End: today,
			}},
		}
		if change != nil {
			change(&in)
		}
		v, err = invoice.CreateOneOff(tx, in)
		return err
	})
	return v, err
}

// billed is bill for what must succeed.
func (a testAccount) billed(buyer customer.Customer, amount string, change func(*invoice.NewOneOff)) invoice.View {
	GinkgoHelper()
	v, err := a.bill(buyer, amount, change)
	Expect(err).NotTo(HaveOccurred())
	return v
}

// moves changes the customer's balance.
func (a testAccount) moves(buyer customer.Customer, amount string) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) error {
		return customer.Move(tx, buyer.ID, money.Must(amount), customer.Cause{Action: customer.ActionManual})
	})
}

func (a testAccount) balance(buyer customer.Customer) (text string) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) error {
		c, err := customer.Find(tx, buyer.ID)
		text = c.Balance.String()
		return err
	})
	return text
}

var _ = Describe("An invoice that is issued", func() {
	DescribeTable("takes what the customer's balance has (semantics 8.2.1)",
		func(balance, total, due, left string, status invoice.Status) {
			a := open("2025-02-01T12:00:00Z")
			buyer := a.CustomerIn("UTC")
			a.moves(buyer, balance)
			v := a.billed(buyer, total, nil)
			Expect([]string{v.Total.String(), v.AmountDue.String(), a.balance(buyer), string(v.Status)}).To(Equal([]string{total, due, left, string(status)}))
		},
		Entry("I-2: a positive one", "5", "10", "5", "0", invoice.StatusIssued),
		Entry("I-3: a negative one", "-4", "10", "14", "0", invoice.StatusIssued),
		Entry("I-4: more than it asks for", "25", "10", "0", "15", invoice.StatusPaid),
		Entry("exactly what it asks for", "10", "10", "0", "0", invoice.StatusPaid),
	)

	It("I-5: gives it back when it is void, once", func() {
		a := open("2025-02-01T12:00:00Z")
		buyer := a.CustomerIn("UTC")
		a.moves(buyer, "5")
		v := a.billed(buyer, "10", nil)
		void := func() error {
			return a.Try(func(tx *store.Tx) error { _, err := invoice.Void(tx, v.ID); return err })
		}
		Expect(void()).To(Succeed())
		Expect(a.balance(buyer)).To(Equal("5"))
		Expect(void()).To(domaintest.BeRefused("only an issued invoice"))
		Expect(a.balance(buyer)).To(Equal("5"))
	})

	It("loses no cent between its total, what is due and the balance, whatever they are", func() {
		a := open("2025-02-01T12:00:00Z")
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			buyer := a.CustomerIn("UTC")
			cents := func(n int) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }
			before := cents(rapid.IntRange(0, 5000).Draw(rt, "balance"))
			if rapid.Bool().Draw(rt, "owed") {
				before = "-" + before
			}
			a.moves(buyer, before)
			v := a.billed(buyer, cents(rapid.IntRange(0, 5000).Draw(rt, "total")), nil)
			after := money.Must(a.balance(buyer))
			if !v.AmountDue.Equal(v.Total.Sub(money.Must(before)).Add(after)) || v.AmountDue.Sign() < 0 || after.Sign() < 0 {
				rt.Fatalf("%s due of %s, balance %s and then %s", v.AmountDue, v.Total, before, after)
			}
		})
	})

	DescribeTable("is due at local midnight, net terms after the local date of its issue (semantics 8.1.9)",
		func(now, zone string, terms int, due string) {
			a := open(now)
			v := a.billed(a.CustomerIn(zone), "10", func(in *invoice.NewOneOff) { in.NetTermsDays = &terms })
			Expect(*v.DueAt).To(BeTemporally("==", domaintest.Instant(due)))
		},
		Entry("I-1: thirty days", "2025-02-01T12:00:00Z", "UTC", 30, "2025-03-03T00:00:00Z"),
		Entry("over a change to summer time", "2025-03-08T12:00:00Z", "America/New_York", 2, "2025-03-10T04:00:00Z"),
		Entry("over a change to winter time", "2025-11-01T12:00:00Z", "America/New_York", 2, "2025-11-03T05:00:00Z"),
		Entry("over the end of a month, where it is the next day already", "2025-01-31T15:00:00Z", "Asia/Tokyo", 0, "2025-01-31T15:00:00Z"),
	)

	It("I-7: has the customer's next number, which a draft does not take (semantics 8.1.8)", func() {
		a := open("2025-02-01T12:00:00Z")
		buyer := a.CustomerIn("UTC")
		draft := a.billed(buyer, "1", func(in *invoice.NewOneOff) { in.AutoIssues = false })
		Expect(draft.Number).To(HaveSuffix("-DRAFT"))
		Expect(a.billed(buyer, "1", nil).Number).To(MatchRegexp(`^[A-Z]{6}-00001$`))
		Expect(a.billed(buyer, "1", nil).Number).To(HaveSuffix("-00002"))
	})

	It("I-10: is not paid or void as a draft, nor void once it is paid", func() {
		a := open("2025-02-01T12:00:00Z")
		buyer := a.CustomerIn("UTC")
		draft := a.billed(buyer, "1", func(in *invoice.NewOneOff) { in.AutoIssues = false })
		received := invoice.Received{On: period.Date{Year: 2025, Month: 2, Day: 1}}
		pay := func(id string) error {
			return a.Try(func(tx *store.Tx) error { _, err := invoice.MarkPaid(tx, id, received); return err })
		}
		void := func(id string) error {
			return a.Try(func(tx *store.Tx) error { _, err := invoice.Void(tx, id); return err })
		}
		Expect(pay(draft.ID)).To(domaintest.BeRefused("draft"))
		Expect(void(draft.ID)).To(domaintest.BeRefused("draft"))
		issued := a.billed(buyer, "1", nil)
		Expect(pay(issued.ID)).To(Succeed())
		Expect(pay(issued.ID)).To(domaintest.BeRefused("paid"))
		Expect(void(issued.ID)).To(domaintest.BeRefused("paid"))
	})
})

var _ = Describe("A one-off invoice", func() {
	It("is dated at most a year ahead (semantics 8.1.12)", func() {
		a := open("2025-02-01T00:00:00Z")
		buyer := a.CustomerIn("UTC")
		a.billed(buyer, "1", func(in *invoice.NewOneOff) { in.Date = "2026-02-01" })
		_, err := a.bill(buyer, "1", func(in *invoice.NewOneOff) { in.Date = "2026-02-02" })
		Expect(err).To(domaintest.BeInvalid("invoice_date"))
	})

	It("is found in its account alone", func() {
		a, elsewhere := open("2025-02-01"), open("2025-02-01")
		v := a.billed(a.CustomerIn("UTC"), "1", nil)
		Expect(elsewhere.Try(func(tx *store.Tx) error { _, err := invoice.Find(tx, v.ID); return err })).To(domaintest.BeMissing())
	})
})

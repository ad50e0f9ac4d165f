package billing_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/domaintest"
	"tollkeeper/store"
)

// Two workers take the units of one customer one after the other. One that locked the subscription, or the draft, before the
// customer would keep it locked though another worker has the customer, who would then pass over it and do the later
// unit first, under the number of the earlier one.
var _ = DescribeTable("A unit whose customer another worker has is not locked",
	func(now, table string, next func(tx *store.Tx) (bool, error)) {
		a := domaintest.Open("2025-01-01")
		buyer := a.Customer()
		a.Subscribe(buyer, "2025-01-01", a.Fee("10"), a.Calls("unit", `{"unit_amount": "0.5"}`))
		if table == "invoices" { // the draft of the month that has ended
			a.Clock("2025-02-01T00:00:00")
			a.All(billing.OpenNext)
		}
		a.Clock(now)
		a.Do(func(other *store.Tx) error {
			Expect(other.Exec("SELECT FROM customers WHERE id = ? FOR UPDATE", buyer).Error).To(Succeed())
			a.Do(func(tx *store.Tx) error {
				more, err := next(tx)
				Expect(more).To(BeFalse(), "its customer is locked")
				a.Do(func(third *store.Tx) error {
					return third.Exec("SELECT FROM " + table + " FOR UPDATE NOWAIT").Error
				})
				return err
			})
			return nil
		})
		a.Do(func(tx *store.Tx) error {
			more, err := next(tx)
			Expect(more).To(BeTrue(), "it was due")
			return err
		})
	},
	Entry("where an invoice is opened", "2025-02-01T00:00:00", "subscriptions", billing.OpenNext),
	Entry("where an invoice is issued", "2025-02-01T13:00:00", "invoices", billing.IssueNext),
)

package customer_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
)

var _ = Describe("What an invoice leaves to pay", func() {
	DescribeTable("after the balance",
		func(balance, total, due string) {
			c := customer.Customer{Balance: money.Must(balance)}
			Expect(c.Due(money.Must(total)).String()).To(Equal(due))
		},
		Entry("a positive balance lowers it (I-2)", "5", "10", "5"),
		Entry("a negative balance raises it (I-3)", "-4", "10", "14"),
		Entry("a balance larger than the total covers it (I-4)", "25", "10", "0"),
		Entry("a negative total leaves nothing", "0", "-10", "0"),
		Entry("a negative total first pays what is owed", "-12", "-10", "2"),
		Entry("no balance, no change", "0", "10", "10"),
	)
})

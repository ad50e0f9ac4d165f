package rating_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

var _ = Describe("package", func() {
	thousands := `{"package_amount": "5.00", "package_size": 1000}`

	DescribeTable("charges packages that were begun",
		func(config string, u rating.Usage, subtotal string) {
			c := rating.Rate(model("package", config), u)
			Expect(c.Subtotal.String()).To(Equal(subtotal))
			Expect(c.Quantity).To(Equal(u.Quantity))
			Expect(parts(c)).To(BeEmpty())
		},
		Entry("four full ones and a rest", thousands, total("4300"), "25"),
		Entry("an exact multiple", thousands, total("4000"), "20"),
		Entry("the smallest rest", thousands, total("4000.00000000000000000001"), "25"),
		Entry("a fraction of a unit", thousands, total("0.1"), "5"),
		Entry("none", thousands, total("0"), "0"),
		Entry("nothing below zero", thousands, total("-1"), "0"),
		Entry("four units in tens", `{"package_amount": "10", "package_size": 10}`, total("4"), "10"),
		Entry("eleven units in tens", `{"package_amount": "10", "package_size": 1e1}`, total("11"), "20"),
		Entry("all of what was used in part of a period", thousands, over("4300", 1, 2), "25"),
		Entry("a fixed fee by days", thousands, fixed("4300", 1, 2), "12.5"),
	)

	DescribeTable("charges a package for the finest rest of the largest quantity",
		func(quantity, size, subtotal string) {
			rest, err := money.ParseNumber("1e-60")
			Expect(err).NotTo(HaveOccurred())
			u := rating.Usage{Quantity: money.Must(quantity).Add(rest)}
			c := rating.Rate(model("package", `{"package_amount": "1", "package_size": `+size+`}`), u)
			Expect(c.Subtotal.String()).To(Equal(subtotal))
		},
		Entry("in small packages", "999999999999999999999999999999", "3", "333333333333333333333333333334"),
		Entry("in middling ones", "999999999999999000000000000000", "999999999999999", "1000000000000001"),
		Entry("in one large one", "999999999999999999999999999999", "999999999999999999999999999999", "2"),
	)
})

package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

const thousands = `{"package_amount": "5.00", "package_size": 1000}`

var _ = golden("package",
	costs("four full packages and one that was begun", thousands, total("4300"), "25"),
	atBound("an exact multiple, no package more", thousands, total("4000"), "20"),
	costs("a package for the smallest rest", thousands, total("4000.00000000000000000001"), "25"),
	costs("a package for a fraction of a unit", thousands, total("0.1"), "5"),
	costs("nothing without usage", thousands, total("0"), "0"),
	costs("nothing below zero", thousands, total("-1"), "0"),
	costs("four units in tens as one package", `{"package_amount": "10", "package_size": 10}`, total("4"), "10"),
	costs("eleven units in tens as two", `{"package_amount": "10", "package_size": 1e1}`, total("11"), "20"),
	costs("all of what was used in part of a period", thousands, over("4300", 1, 2), "25"),
	costs("a fixed fee by days", thousands, fixed("4300", 1, 2), "12.5"),
)

var _ = Describe("a package price", func() {
	DescribeTable("has a package for the finest rest of the largest quantity",
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

var _ = propertyOf("package", func(t *rapid.T) string {
	return fmt.Sprintf(`{"package_amount": %q, "package_size": %d}`, drawRate(t), rapid.Int64Range(1, 500).Draw(t, "size"))
})

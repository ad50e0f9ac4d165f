package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const includedCalls = `{"allocation": "2000", "package_amount": "5.00", "package_size": "1000"}`

var _ = golden("package_with_allocation",
	costs("packages of what exceeds the allocation", includedCalls, total("4300"), "15"),
	atBound("nothing on the allocation", includedCalls, total("2000"), "0"),
	costs("a package for a fraction of a unit beyond it", includedCalls, total("2000.5"), "5"),
	atBound("a full package begins no other", includedCalls, total("4000"), "10"),
	costs("nothing within the allocation", includedCalls, total("1999.99"), "0"),
	costs("nothing without usage", includedCalls, total("0"), "0"),
	costs("nothing below zero", includedCalls, total("-4300"), "0"),
	costs("every package without an allocation", `{"allocation": "0", "package_amount": "5.00", "package_size": "0.5"}`, total("1.2"), "15"),
	costs("a full allocation in part of a period", includedCalls, over("4300", 10, 30), "15"),
	costs("a fixed fee by days", includedCalls, fixed("4300", 10, 30), "5"),
)

var _ = Describe("a package_with_allocation price", func() {
	It("says what packages are of, and shows the quantity as measured", func() {
		c := rating.Rate(model("package_with_allocation", includedCalls), total("4300"))
		Expect(c.Quantity.String()).To(Equal("4300"))
		Expect(working(c)).To(Equal([]string{"packages of 1000 above 2000: 3 at 5.00 for 15"}))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("package_with_allocation", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "allocation", "package_amount", "package_size"),
		Entry("with a negative allocation", `{"allocation": "-1", "package_amount": "1", "package_size": "1"}`, "allocation"),
		Entry("with a negative amount", `{"allocation": "1", "package_amount": "-1", "package_size": "1"}`, "package_amount"),
		Entry("with a package of nothing", `{"allocation": "1", "package_amount": "1", "package_size": "0.0"}`, "package_size"),
		Entry("with a package below zero", `{"allocation": "1", "package_amount": "1", "package_size": "-1"}`, "package_size"),
		Entry("with numbers", `{"allocation": 1, "package_amount": 1, "package_size": 1}`, "allocation", "package_amount", "package_size"),
		Entry("with an unknown key", `{"allocation": "1", "package_amount": "1", "package_size": "1", "prorated": true}`, "prorated"),
	)
})

var _ = propertyOf("package_with_allocation", func(t *rapid.T) string {
	return fmt.Sprintf(`{"allocation": %q, "package_amount": %q, "package_size": %q}`, drawRate(t), drawRate(t), drawPackageSize(t))
})

package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const seats = `{"grouping_key": "user", "allocation": "50", "overage_unit_rate": "0.20"}`

var _ = golden("grouped_allocation",
	costs("what each group uses beyond its own allocation", seats, cells("55 eve", "20 bob", "80 ann"), "7",
		`'null' "ann": 80 scaled 30 for 6 (user=ann)`,
		`'null' "bob": 20 scaled 0 for 0 (user=bob)`,
		`'null' "eve": 55 scaled 5 for 1 (user=eve)`),
	atBound("nothing on the allocation", seats, cells("50 ann"), "0", `'null' "ann": 50 scaled 0 for 0 (user=ann)`),
	costs("a fraction of a unit beyond it", seats, cells("50.25 ann"), "0.05", `'null' "ann": 50.25 scaled 0.25 for 0.05 (user=ann)`),
	costs("events without the property as one group, the first", seats, cells("51 ann", "60 -"), "2.2",
		`'null' "none": 60 scaled 10 for 2 (user=-)`,
		`'null' "ann": 51 scaled 1 for 0.2 (user=ann)`),
	costs("nothing for a group below zero, which takes nothing from others", seats, cells("-30 ann", "60 bob"), "2",
		`'null' "ann": 0 for 0 (user=ann)`,
		`'null' "bob": 60 scaled 10 for 2 (user=bob)`),
	costs("a full allocation in part of a period", seats, within(10, 30, cells("60 ann")), "2", `'null' "ann": 60 scaled 10 for 2 (user=ann)`),
	costs("every unit where nothing is allocated", `{"grouping_key": "user", "allocation": "0", "overage_unit_rate": "0.20"}`, cells("3 ann"), "0.6",
		`'null' "ann": 3 for 0.6 (user=ann)`),
	costs("nothing without usage", seats, cells(), "0"),
)

var _ = Describe("a grouped_allocation price", func() {
	It("is split by its grouping key, and its line is of all groups", func() {
		m := model("grouped_allocation", seats)
		Expect(m.Needs()).To(Equal(rating.Needs{Split: []string{"user"}}))
		Expect(rating.Rate(m, cells("80 ann", "20 bob", "-5 eve")).Quantity.String()).To(Equal("100"))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("grouped_allocation", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "grouping_key", "allocation", "overage_unit_rate"),
		Entry("without a property", `{"grouping_key": "", "allocation": "1", "overage_unit_rate": "1"}`, "grouping_key"),
		Entry("with a number for a property", `{"grouping_key": 1, "allocation": "1", "overage_unit_rate": "1"}`, "grouping_key"),
		Entry("with a negative allocation", `{"grouping_key": "a", "allocation": "-1", "overage_unit_rate": "1"}`, "allocation"),
		Entry("with a negative rate", `{"grouping_key": "a", "allocation": "1", "overage_unit_rate": "-1"}`, "overage_unit_rate"),
		Entry("with an unknown key", `{"grouping_key": "a", "allocation": "1", "overage_unit_rate": "1", "prorated": true}`, "prorated"),
	)
})

var _ = propertyOf("grouped_allocation", func(t *rapid.T) string {
	return fmt.Sprintf(`{"grouping_key": "k", "allocation": %q, "overage_unit_rate": %q}`, drawRate(t), drawRate(t))
})

package rating_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/rating"
)

const projects = `{"grouping_key": "project", "group_allocation": "40", "cumulative_allocation": "100", "unit_amount": "0.50"}`

var _ = golden("cumulative_grouped_allocation",
	costs("the larger of a group's own excess and what it adds to that of all", projects, cells("30 p3", "50 p2", "60 p1"), "30",
		`'null' "p1": 60 scaled 20 for 10 (project=p1)`,
		`'null' "p2": 50 scaled 10 for 5 (project=p2)`,
		`'null' "p3": 30 for 15 (project=p3)`),
	atBound("nothing where all allocations are just used up", projects, cells("40 p1", "40 p2", "20 p3"), "0",
		`'null' "p1": 40 scaled 0 for 0 (project=p1)`,
		`'null' "p2": 40 scaled 0 for 0 (project=p2)`,
		`'null' "p3": 20 scaled 0 for 0 (project=p3)`),
	costs("units that the first group paid count towards the excess of all", projects, cells("100 p1", "10 p2"), "35",
		`'null' "p1": 100 scaled 60 for 30 (project=p1)`,
		`'null' "p2": 10 for 5 (project=p2)`),
	costs("events without the property first", projects, cells("90 p1", "20.5 -"), "25",
		`'null' "none": 20.5 scaled 0 for 0 (project=-)`,
		`'null' "p1": 90 scaled 50 for 25 (project=p1)`),
	costs("another amount where the names come in another order", projects, cells("90 a", "20.5 b"), "30.25",
		`'null' "a": 90 scaled 50 for 25 (project=a)`,
		`'null' "b": 20.5 scaled 10.5 for 5.25 (project=b)`),
	costs("values by code point, so capitals first", projects, cells("20.5 a", "90 Z"), "30.25",
		`'null' "Z": 90 scaled 50 for 25 (project=Z)`,
		`'null' "a": 20.5 scaled 10.5 for 5.25 (project=a)`),
	costs("nothing for a group below zero, which makes no room for others", projects, cells("-50 p1", "40 p2", "61 p3"), "10.5",
		`'null' "p1": 0 for 0 (project=p1)`,
		`'null' "p2": 40 scaled 0 for 0 (project=p2)`,
		`'null' "p3": 61 scaled 21 for 10.5 (project=p3)`),
	costs("full allocations in part of a period", projects, within(1, 30, cells("60 p1")), "10", `'null' "p1": 60 scaled 20 for 10 (project=p1)`),
	costs("nothing without usage", projects, cells(), "0"),
)

var _ = Describe("a cumulative_grouped_allocation price", func() {
	It("is split by its grouping key", func() {
		Expect(model("cumulative_grouped_allocation", projects).Needs()).To(Equal(rating.Needs{Split: []string{"project"}}))
	})

	DescribeTable("is refused",
		func(config string, fields ...string) {
			Expect(refused("cumulative_grouped_allocation", config)).To(Equal(fields))
		},
		Entry("with nothing", `{}`, "grouping_key", "group_allocation", "cumulative_allocation", "unit_amount"),
		Entry("without a property", `{"grouping_key": "", "group_allocation": "1", "cumulative_allocation": "1", "unit_amount": "1"}`, "grouping_key"),
		Entry("with numbers", `{"grouping_key": "a", "group_allocation": 1, "cumulative_allocation": 1, "unit_amount": 1}`,
			"group_allocation", "cumulative_allocation", "unit_amount"),
		Entry("below zero", `{"grouping_key": "a", "group_allocation": "-1", "cumulative_allocation": "-1", "unit_amount": "-1"}`,
			"group_allocation", "cumulative_allocation", "unit_amount"),
	)
})

var _ = propertyOf("cumulative_grouped_allocation", func(t *rapid.T) string {
	return fmt.Sprintf(`{"grouping_key": "k", "group_allocation": %q, "cumulative_allocation": %q, "unit_amount": %q}`,
		drawRate(t), drawRate(t), drawRate(t))
})

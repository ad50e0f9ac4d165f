package rating_test

import (
	"fmt"

	"pgregory.net/rapid"
)

const (
	apiCalls = `{"unit_amount": "0.035"}`
	licenses = `{"unit_amount": "30", "prorated": true}`
)

var _ = golden("unit",
	costs("the same for every unit", apiCalls, total("5210"), "182.35"),
	costs("a fraction of a unit by its part", apiCalls, total("12.5"), "0.4375"),
	costs("nothing without usage", apiCalls, total("0"), "0"),
	costs("below zero, as a credit", apiCalls, total("-40"), "-1.4"),
	costs("nothing at a rate of zero", `{"unit_amount": "0"}`, total("5210"), "0"),
	costs("all of what was used in part of a period", apiCalls, over("5210", 10, 30), "182.35"),
	costs("usage in part of a period, if prorated", licenses, over("2", 10, 30), "20"),
	atBound("usage in a full period, if prorated", licenses, over("2", 30, 30), "60"),
	costs("to the 20th digit, where days do not divide evenly", licenses, over("1", 10, 31), "9.67741935483870967741"),
	atBound("nothing for no days", licenses, over("2", 0, 30), "0"),
	costs("a fixed fee by days", `{"unit_amount": "310.00"}`, fixed("1", 17, 31), "170"),
	costs("a fixed fee by days only once, though prorated", licenses, fixed("2", 10, 30), "20"),
	atBound("a fixed fee of a full period", `{"unit_amount": "900.00", "prorated": null}`, fixed("1", 90, 90), "900"),
	costs("a fixed fee of 49 days in 90 (T-7)", `{"unit_amount": "900.00"}`, fixed("1", 49, 90), "490"),
)

var _ = propertyOf("unit", func(t *rapid.T) string {
	return fmt.Sprintf(`{"unit_amount": %q, "prorated": %v}`, drawRate(t), rapid.Bool().Draw(t, "prorated"))
})

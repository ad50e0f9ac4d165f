package rating_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

// standing are lines in dollars of so much, of usage prices p0, p1, ...
func standing(subtotals ...string) []rating.Line {
	lines := make([]rating.Line, len(subtotals))
	for k, subtotal := range subtotals {
		lines[k] = rating.Line{
			Price:    rating.Priced{PriceID: "p" + string(rune('0'+k)), Currency: "USD", Usage: true},
			Subtotal: money.Must(subtotal),
		}
	}
	return lines
}

// used is a line in dollars for the charge of usage of a price.
func used(modelType, config string, u rating.Usage) rating.Line {
	m := model(modelType, config)
	return rating.Line{
		Price:    rating.Priced{PriceID: "p0", Currency: "USD", Usage: !u.Fixed, Fixed: u.Fixed},
		Model:    m,
		Usage:    u,
		Subtotal: rating.Rate(m, u).Subtotal.WithoutTail().Round(2),
	}
}

// of is an adjustment of all prices.
func of(kind rating.AdjustmentKind, value string) rating.Adjustment {
	return rating.Adjustment{ID: string(kind), Kind: kind, Value: money.Must(value), InvoiceLevel: true}
}

// only narrows an adjustment to one price.
func only(priceID string, a rating.Adjustment) rating.Adjustment {
	a.Filters = []rating.Filter{{Field: rating.FilterPriceID, Operator: rating.FilterIncludes, Values: []string{priceID}}}
	a.InvoiceLevel = false
	return a
}

// tiers are those of a discount, written "percentage upTo ...", the last without end.
func tiers(words string) (tiers []rating.PercentageTier) {
	var from money.Decimal
	fields := strings.Fields(words)
	for i := 0; i < len(fields); i += 2 {
		t := rating.PercentageTier{LowerBound: from, Percentage: money.Must(fields[i])}
		if i+1 < len(fields) {
			from = money.Must(fields[i+1])
			end := from
			t.UpperBound = &end
		}
		tiers = append(tiers, t)
	}
	return tiers
}

// subtotals are those of adjusted lines, in cents.
func subtotals(adjusted []rating.Adjusted) string {
	var texts []string
	for _, line := range adjusted {
		texts = append(texts, line.Subtotal.StringFixed(2))
	}
	return strings.Join(texts, " ")
}

// amountsOf are the amounts applied to a line.
func amountsOf(line rating.Adjusted) string {
	var texts []string
	for _, applied := range line.Applied {
		texts = append(texts, applied.Amount.StringFixed(2))
	}
	return strings.Join(texts, " ")
}

var _ = Describe("Adjust", func() {
	discounted := []rating.Adjustment{
		of(rating.Minimum, "300"), only("p1", of(rating.PercentageDiscount, "0.25")), of(rating.AmountDiscount, "50"),
	}

	It("discounts compute, storage and egress, then raises them to the minimum", func() {
		adjusted := rating.Adjust(standing("120", "80", "40"), discounted, nil)
		Expect(amountsOf(adjusted[0])).To(Equal("-25.00 68.63"))
		Expect(amountsOf(adjusted[1])).To(Equal("-16.67 -15.83 34.32"))
		Expect(amountsOf(adjusted[2])).To(Equal("-8.33 22.88"))
		Expect(subtotals(adjusted)).To(Equal("163.63 81.82 54.55"))
	})

	It("tells what each adjustment worked on and how it was split", func() {
		applied := rating.Adjust(standing("120", "80", "40"), discounted, nil)[1].Applied
		Expect(applied).To(HaveLen(3))
		minimum := applied[2]
		Expect(minimum.AdjustmentID).To(Equal("minimum"))
		Expect(minimum.Before.String()).To(Equal("47.5"))
		Expect(minimum.Lines).To(Equal(3))
		Expect(minimum.Base.String()).To(Equal("174.17"))
		Expect(minimum.Value.String()).To(Equal("300"))
		Expect(minimum.Whole.String()).To(Equal("125.83"))
		Expect(minimum.Amount.String()).To(Equal("34.32"))
	})

	DescribeTable("applies to lines",
		func(lines, adjusted string, adjustments ...rating.Adjustment) {
			Expect(subtotals(rating.Adjust(standing(strings.Fields(lines)...), adjustments, nil))).To(Equal(adjusted))
		},
		Entry("nothing without adjustments", "10 20", "10.00 20.00"),
		Entry("a minimum evenly over lines that cost nothing", "0 0", "12.51 12.50", of(rating.Minimum, "25.01")),
		Entry("a minimum to no line at 0 beside one that costs something", "0 10", "0.00 25.01", of(rating.Minimum, "25.01")),
		Entry("no minimum where it is reached", "10 20", "10.00 20.00", of(rating.Minimum, "30")),
		Entry("a minimum that counts what is below 0", "-10 20", "-10.00 40.00", of(rating.Minimum, "30")),
		Entry("two minimums, of which only the larger one shows", "0", "30.00", of(rating.Minimum, "20"), of(rating.Minimum, "30")),
		Entry("a minimum of one price, which counts towards that of all", "0 0", "20.00 0.00",
			of(rating.Minimum, "15"), only("p0", of(rating.Minimum, "20"))),
		Entry("a maximum in proportion", "100 50", "66.67 33.33", of(rating.Maximum, "100")),
		Entry("no maximum that is not exceeded", "60 40", "60.00 40.00", of(rating.Maximum, "100")),
		Entry("a maximum of nothing", "60 40", "0.00 0.00", of(rating.Maximum, "0")),
		Entry("a maximum below the minimum, which wins as the last", "10", "15.00", of(rating.Maximum, "15"), of(rating.Minimum, "20")),
		Entry("two percentages one after the other", "100", "45.00", of(rating.PercentageDiscount, "0.5"), of(rating.PercentageDiscount, "0.1")),
		Entry("half a cent of discount as a whole one", "0.50", "0.44", of(rating.PercentageDiscount, "0.11")),
		Entry("a percentage to what is given back as well", "-10 10", "-7.50 7.50", of(rating.PercentageDiscount, "0.25")),
		Entry("an amount before a percentage, whenever each was made", "100", "45.00",
			of(rating.PercentageDiscount, "0.5"), of(rating.AmountDiscount, "10")),
		Entry("no more of an amount than there is", "10 5", "0.00 0.00", of(rating.AmountDiscount, "20")),
		Entry("none of an amount to a line below 0", "-10 30", "-10.00 5.00", of(rating.AmountDiscount, "25")),
		Entry("an amount finer than a cent, rounded", "10", "9.99", of(rating.AmountDiscount, "0.005")),
		Entry("the amount of one price before that of all", "30 30", "10.00 20.00",
			of(rating.AmountDiscount, "15"), only("p0", of(rating.AmountDiscount, "15"))),
		Entry("CP-1: a coupon of 20 %", "50", "40.00", of(rating.PercentageDiscount, "0.2")),
		Entry("CP-3: a coupon of 15.00", "50", "35.00", of(rating.AmountDiscount, "15")),
		Entry("CP-3: a coupon of 15.00 on a fee of 10.00", "10", "0.00", of(rating.AmountDiscount, "15")),
	)

	DescribeTable("discounts spend tier by tier",
		func(lines, words, adjusted string) {
			discount := rating.Adjustment{Kind: rating.TieredPercentageDiscount, Tiers: tiers(words)}
			Expect(subtotals(rating.Adjust(standing(strings.Fields(lines)...), []rating.Adjustment{discount}, nil))).To(Equal(adjusted))
		},
		Entry("on a bound, in the tier below", "100", "0 100 0.5", "100.00"),
		Entry("above a bound", "110", "0.1 100 0.5", "95.00"),
		Entry("of several lines together, in proportion", "60 50", "0.1 100 0.5", "51.82 43.18"),
		Entry("up to where the last tier ends", "300", "0.1 100 0.5 200", "240.00"),
		Entry("less what is given back", "-10 110", "0.1 100 0.5", "-10.00 100.00"),
		Entry("not where more is given back than spent", "-20 10", "0.1 100 0.5", "-20.00 10.00"),
	)

	It("tells the spend in each tier", func() {
		discount := rating.Adjustment{Kind: rating.TieredPercentageDiscount, Tiers: tiers("0.1 100 0.5")}
		bands := rating.Adjust(standing("110"), []rating.Adjustment{discount}, nil)[0].Applied[0].Bands
		Expect(bands).To(HaveLen(2))
		Expect(bands[0].Name).To(Equal("0 - 100"))
		Expect(bands[1].Name).To(Equal("100+"))
		Expect(bands[1].Quantity.String()).To(Equal("10"))
		Expect(bands[1].Rate).To(Equal("0.5"))
		Expect(bands[1].Amount.String()).To(Equal("5"))
	})

	DescribeTable("prorates amounts by the days of their period",
		func(subtotal, adjusted string, a rating.Adjustment, part, whole int) {
			work := rating.Work{Adjustment: a, Lines: []int{0}, Fraction: period.Fraction{Part: part, Whole: whole}}
			Expect(subtotals(rating.AdjustPeriods(standing(subtotal), nil, []rating.Work{work}))).To(Equal(adjusted))
		},
		Entry("S-10: a minimum of a month that began on the 11th", "20", "66.67", of(rating.Minimum, "100"), 20, 30),
		Entry("a maximum", "100", "33.33", of(rating.Maximum, "50"), 20, 30),
		Entry("an amount discount", "100", "93.55", of(rating.AmountDiscount, "10"), 20, 31),
		Entry("no percentage", "100", "90.00", of(rating.PercentageDiscount, "0.1"), 20, 31),
		Entry("nothing in a full period", "20", "100.00", of(rating.Minimum, "100"), 0, 0),
		Entry("nothing in no days", "20", "20.00", of(rating.Minimum, "100"), 0, 30),
	)

	It("works once, on lines of one currency, and never on a custom unit", func() {
		lines := standing("100", "100", "100")
		lines[0].Price.Currency = "credits"
		lines[2].Price.Currency = "EUR"
		adjusted := rating.Adjust(lines, []rating.Adjustment{of(rating.AmountDiscount, "30")}, nil)
		Expect(subtotals(adjusted)).To(Equal("100.00 70.00 100.00"))
		Expect(adjusted[0].Applied).To(BeEmpty())
	})

	It("rounds to the minor unit of the currency", func() {
		lines := standing("1000", "500")
		for k := range lines {
			lines[k].Price.Currency = "JPY"
		}
		Expect(subtotals(rating.Adjust(lines, []rating.Adjustment{of(rating.PercentageDiscount, "0.0125")}, nil))).To(Equal("987.00 494.00"))
		Expect(subtotals(rating.Adjust(lines, []rating.Adjustment{of(rating.AmountDiscount, "100")}, nil))).To(Equal("933.00 467.00"))
	})

	It("touches the lines that it may", func() {
		second := func(_, line int) bool { return line == 1 }
		adjusted := rating.Adjust(standing("10", "10"), []rating.Adjustment{of(rating.Minimum, "100")}, second)
		Expect(subtotals(adjusted)).To(Equal("10.00 100.00"))
	})

	It("changes none of what it is given", func() {
		lines := []rating.Line{used("matrix", `{"dimensions": ["a"], "default_unit_amount": "1", "matrix_values": [{"dimension_values": ["x"], "unit_amount": "2"}]}`, cells("30 x", "10 y"))}
		rating.Adjust(lines, []rating.Adjustment{of(rating.UsageDiscount, "20"), of(rating.AmountDiscount, "5")}, nil)
		Expect(lines[0].Subtotal.String()).To(Equal("70"))
		Expect(lines[0].Usage.Cells[0].Quantity.String()).To(Equal("30"))
	})
})

var _ = Describe("a usage discount", func() {
	graduated := `{"tiers": [
		{"first_unit": 0, "last_unit": 100, "unit_amount": "0.10"},
		{"first_unit": 100, "unit_amount": "0.05"}]}`
	cheaper := `{"tiers": [{"maximum_units": 1000, "unit_amount": "0.06"}, {"unit_amount": "0.03"}]}`
	regions := `{"dimensions": ["region"], "default_unit_amount": "3", "matrix_values": [{"dimension_values": ["eu"], "unit_amount": "1"}]}`

	DescribeTable("charges for fewer units",
		func(modelType, config string, u rating.Usage, units, adjusted string) {
			line := used(modelType, config, u)
			got := rating.Adjust([]rating.Line{line}, []rating.Adjustment{of(rating.UsageDiscount, units)}, nil)
			Expect(subtotals(got)).To(Equal(adjusted))
		},
		Entry("some of them", "unit", `{"unit_amount": "2"}`, total("10"), "3", "14.00"),
		Entry("parts of a unit", "unit", `{"unit_amount": "2"}`, total("10"), "0.125", "19.75"),
		Entry("all of them", "unit", `{"unit_amount": "2"}`, total("10"), "10", "0.00"),
		Entry("no more than all", "unit", `{"unit_amount": "2"}`, total("10"), "11", "0.00"),
		Entry("none of what is given back", "unit", `{"unit_amount": "2"}`, total("-10"), "3", "-20.00"),
		Entry("from the top tier first", "tiered", graduated, total("120"), "30", "9.00"),
		Entry("down to a bound", "tiered", graduated, total("120"), "20", "10.00"),
		Entry("even where that costs more, as the tier of fewer units is dearer", "bulk", cheaper, total("1010"), "10", "60.00"),
		Entry("of whole packages", "package", `{"package_amount": "5", "package_size": 10}`, total("21"), "1", "10.00"),
		Entry("of part of a period, in full", "unit", `{"unit_amount": "2", "prorated": true}`, over("10", 1, 2), "4", "6.00"),
		Entry("of a fixed fee", "unit", `{"unit_amount": "2"}`, fixed("10", 1, 2), "4", "6.00"),
		Entry("in proportion to cells", "matrix", regions, cells("30 eu", "10 us"), "20", "30.00"),
		Entry("in shares that do not end", "matrix", regions, cells("1 eu", "1 us", "1 -"), "1", "4.67"),
		Entry("in shares of exactly half a cent", "matrix",
			`{"dimensions": ["region"], "default_unit_amount": "0.001", "matrix_values": [{"dimension_values": ["eu"], "unit_amount": "0.0055"}]}`,
			cells("1 us", "1 -", "1 eu"), "1", "0.01"),
		Entry("none of cells below 0", "matrix", regions, cells("30 eu", "-10 us"), "20", "-20.00"),
		Entry("down to a bound of all groups together", "cumulative_grouped_bulk",
			`{"group": "kind", "dimension_values": [
				{"grouping_key": "sms", "tier_lower_bound": "0", "unit_amount": "0.08"}, {"grouping_key": "push", "tier_lower_bound": "0", "unit_amount": "0.08"},
				{"grouping_key": "sms", "tier_lower_bound": "1000", "unit_amount": "0.06"}, {"grouping_key": "push", "tier_lower_bound": "1000", "unit_amount": "0.06"}]}`,
			cells("1000 sms", "500 push"), "500", "60.00"),
		Entry("that a filter selects, of which there are then fewer in all", "bulk_with_filters",
			`{"filters": [{"property_key": "source", "property_value": "api"}], "tiers": [{"unit_amount": "0.50"}, {"unit_amount": "0.40", "tier_lower_bound": "200"}]}`,
			rating.Usage{Quantity: money.Must("240"), Filtered: money.Must("150")}, "50", "50.00"),
	)

	It("goes on where another one stopped, and tells what is left", func() {
		line := used("tiered", graduated, total("120"))
		adjusted := rating.Adjust([]rating.Line{line}, []rating.Adjustment{of(rating.UsageDiscount, "20"), of(rating.UsageDiscount, "30")}, nil)
		Expect(amountsOf(adjusted[0])).To(Equal("-1.00 -3.00"))
		Expect(adjusted[0].Applied[0].Left.String()).To(Equal("100"))
		Expect(adjusted[0].Applied[1].Left.String()).To(Equal("70"))
	})

	It("gives each line the full number of units", func() {
		line := used("unit", `{"unit_amount": "2"}`, total("10"))
		adjusted := rating.Adjust([]rating.Line{line, line}, []rating.Adjustment{of(rating.UsageDiscount, "4")}, nil)
		Expect(subtotals(adjusted)).To(Equal("12.00 12.00"))
	})

	It("passes by a price of prices, and a line that was not rated", func() {
		composite := used("percent", `{"percent": 0.1}`, rating.Usage{Components: money.Must("500")})
		lines := append(standing("70"), composite)
		adjusted := rating.Adjust(lines, []rating.Adjustment{of(rating.UsageDiscount, "1")}, nil)
		Expect(subtotals(adjusted)).To(Equal("70.00 50.00"))
		Expect(adjusted[0].Applied).To(BeEmpty())
		Expect(adjusted[1].Applied).To(BeEmpty())
	})
})

var _ = Describe("costs to date", func() {
	DescribeTable("show adjusted totals that a later day may raise by less than its usage",
		func(rate string, a rating.Adjustment, quantities, cumulative, periodic string) {
			var totals, added []string
			var before money.Decimal
			for _, quantity := range strings.Fields(quantities) {
				line := used("unit", `{"unit_amount": "`+rate+`"}`, total(quantity))
				now := rating.Adjust([]rating.Line{line}, []rating.Adjustment{a}, nil)[0].Subtotal
				totals = append(totals, now.StringFixed(2))
				added = append(added, now.Sub(before).StringFixed(2))
				before = now
			}
			Expect(strings.Join(totals, " ")).To(Equal(cumulative))
			Expect(strings.Join(added, " ")).To(Equal(periodic))
		},
		Entry("C-1 and C-2: a minimum", "2.00", only("p0", of(rating.Minimum, "30")), "5 5 17 20", "30.00 30.00 34.00 40.00", "30.00 0.00 4.00 6.00"),
		Entry("C-5: a percentage", "4.00", of(rating.PercentageDiscount, "0.25"), "3 4", "9.00 12.00", "9.00 3.00"),
		Entry("nine uses under a minimum", "2.50", of(rating.Minimum, "50"), "9", "50.00", "50.00"),
	)
})

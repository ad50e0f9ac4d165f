package rating_test

import (
	"encoding/json"
	"errors"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

var _ = Describe("Decode", func() {
	DescribeTable("names every wrong field by its path",
		func(modelType, config string, fields ...string) {
			_, err := rating.Decode(modelType, json.RawMessage(config))
			var f *fault.Fault
			Expect(errors.As(err, &f)).To(BeTrue(), "%v", err)
			Expect(f.Kind).To(Equal(fault.KindInvalid))
			got := []string{}
			for _, v := range f.Violations {
				got = append(got, v.Field)
			}
			Expect(got).To(Equal(fields), "%v", f.Violations)
		},
		Entry("an unknown model", "bps", `{}`, "model_type"),
		Entry("no object", "unit", `[]`, ""),
		Entry("null", "unit", `null`, ""),
		Entry("nothing", "unit", ``, ""),
		Entry("broken JSON", "unit", `{"unit_amount": "1"`, ""),
		Entry("something behind the object", "unit", `{"unit_amount": "1"} 1`, ""),
		Entry("a required field missing", "unit", `{}`, "unit_amount"),
		Entry("a required field null", "unit", `{"unit_amount": null}`, "unit_amount"),
		Entry("an unknown key", "unit", `{"unit_amount": "1", "unit_price": "1"}`, "unit_price"),
		Entry("a key in capitals", "unit", `{"unit_amount": "1", "Prorated": true}`, "Prorated"),
		Entry("a key twice", "unit", `{"unit_amount": "1", "unit_amount": "2"}`, "unit_amount"),
		Entry("a number for a decimal string", "unit", `{"unit_amount": 1}`, "unit_amount"),
		Entry("a decimal string with exponent", "unit", `{"unit_amount": "1e3"}`, "unit_amount"),
		Entry("a decimal string too long", "unit", `{"unit_amount": "0.123456789012345678901"}`, "unit_amount"),
		Entry("a negative rate", "unit", `{"unit_amount": "-1"}`, "unit_amount"),
		Entry("a text for a flag", "unit", `{"unit_amount": "1", "prorated": "yes"}`, "prorated"),
		Entry("two fields at once", "unit", `{"prorated": 1}`, "unit_amount", "prorated"),

		Entry("no tiers", "tiered", `{}`, "tiers"),
		Entry("an empty list of tiers", "tiered", `{"tiers": []}`, "tiers"),
		Entry("tiers that are no list", "tiered", `{"tiers": {}}`, "tiers"),
		Entry("a tier that is no object", "tiered", `{"tiers": [null]}`, "tiers[0]"),
		Entry("a tier without fields", "tiered", `{"tiers": [{}]}`, "tiers[0].first_unit", "tiers[0].unit_amount"),
		Entry("an unknown key in a tier", "tiered", `{"tiers": [{"first_unit": 0, "unit_amount": "1", "flat": "1"}]}`, "tiers[0].flat"),
		Entry("no last tier", "tiered", `{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1"}]}`, "tiers"),
		Entry("two last tiers", "tiered",
			`{"tiers": [{"first_unit": 0, "unit_amount": "1"}, {"first_unit": 0, "last_unit": null, "unit_amount": "1"}]}`, "tiers[1].last_unit"),
		Entry("a gap", "tiered",
			`{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1"}, {"first_unit": 12, "unit_amount": "1"}]}`, "tiers[1].first_unit"),
		Entry("an overlap", "tiered",
			`{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1"}, {"first_unit": 9, "unit_amount": "1"}]}`, "tiers[1].first_unit"),
		Entry("a first tier that begins at 2", "tiered", `{"tiers": [{"first_unit": 2, "unit_amount": "1"}]}`, "tiers[0].first_unit"),
		Entry("a gap where the tiers are out of order", "tiered",
			`{"tiers": [{"first_unit": 12, "unit_amount": "1"}, {"first_unit": 0, "last_unit": 10, "unit_amount": "1"}]}`, "tiers[0].first_unit"),
		Entry("a tier that ends at 0", "tiered",
			`{"tiers": [{"first_unit": 0, "last_unit": 0, "unit_amount": "1"}, {"first_unit": 0, "unit_amount": "1"}]}`, "tiers[0].last_unit"),
		Entry("two tiers with one end", "tiered",
			`{"tiers": [{"first_unit": 0, "last_unit": 5, "unit_amount": "1"}, {"first_unit": 5, "last_unit": 5.0, "unit_amount": "1"}, {"first_unit": 5, "unit_amount": "1"}]}`,
			"tiers[1].last_unit"),
		Entry("a number written as a text", "tiered", `{"tiers": [{"first_unit": "0", "unit_amount": "1"}]}`, "tiers[0].first_unit"),
		Entry("a number beyond all bounds", "tiered", `{"tiers": [{"first_unit": 1e400000, "unit_amount": "1"}]}`, "tiers[0].first_unit"),

		Entry("no bulk tiers", "bulk", `{"tiers": []}`, "tiers"),
		Entry("two bulk tiers with one end", "bulk",
			`{"tiers": [{"unit_amount": "1", "maximum_units": 10}, {"unit_amount": "2", "maximum_units": 10}]}`, "tiers[1].maximum_units"),
		Entry("two bulk tiers without end", "bulk", `{"tiers": [{"unit_amount": "1"}, {"unit_amount": "2"}]}`, "tiers[1].maximum_units"),
		Entry("a bulk tier below zero", "bulk", `{"tiers": [{"unit_amount": "1", "maximum_units": -1}]}`, "tiers[0].maximum_units"),
		Entry("a bulk tier with a negative rate", "bulk", `{"tiers": [{"unit_amount": "-1"}]}`, "tiers[0].unit_amount"),

		Entry("a package of size 0", "package", `{"package_amount": "1", "package_size": 0}`, "package_size"),
		Entry("a package of half a unit", "package", `{"package_amount": "1", "package_size": 1.5}`, "package_size"),
		Entry("a package size as text", "package", `{"package_amount": "1", "package_size": "10"}`, "package_size"),
		Entry("an empty package", "package", `{}`, "package_amount", "package_size"),

		Entry("an empty matrix", "matrix", `{}`, "dimensions", "default_unit_amount", "matrix_values"),
		Entry("a matrix without rows", "matrix", `{"dimensions": ["a"], "default_unit_amount": "1", "matrix_values": []}`, "matrix_values"),
		Entry("a matrix without dimensions", "matrix",
			`{"dimensions": [], "default_unit_amount": "1", "matrix_values": [{"dimension_values": [], "unit_amount": "1"}]}`, "dimensions"),
		Entry("a matrix whose first dimension is null", "matrix",
			`{"dimensions": [null, "a"], "default_unit_amount": "1", "matrix_values": [{"dimension_values": ["x"], "unit_amount": "1"}, {"dimension_values": ["x"], "unit_amount": "1"}]}`,
			"dimensions"),
		Entry("a matrix of three dimensions", "matrix",
			`{"dimensions": ["a", "b", "c"], "default_unit_amount": "1", "matrix_values": [{"dimension_values": ["x"], "unit_amount": "1"}]}`, "dimensions"),
		Entry("a row with too few values", "matrix",
			`{"dimensions": ["a", "b"], "default_unit_amount": "1", "matrix_values": [{"dimension_values": ["x"], "unit_amount": "1"}]}`, "matrix_values[0].dimension_values"),
		Entry("a row with a value too many", "matrix",
			`{"dimensions": ["a"], "default_unit_amount": "1", "matrix_values": [{"dimension_values": ["x", "y"], "unit_amount": "1"}]}`, "matrix_values[0].dimension_values"),
		Entry("a row with a number", "matrix",
			`{"dimensions": ["a"], "default_unit_amount": "1", "matrix_values": [{"dimension_values": [1], "unit_amount": "1"}]}`, "matrix_values[0].dimension_values"),
		Entry("a row twice", "matrix",
			`{"dimensions": ["a", null], "default_unit_amount": "1", "matrix_values": [{"dimension_values": ["x"], "unit_amount": "1"}, {"dimension_values": ["x", null], "unit_amount": "2"}]}`,
			"matrix_values[1].dimension_values"),
	)

	It("never repeats what was sent", func() {
		_, err := rating.Decode("unit", json.RawMessage(`{"unit_amount": "secret"}`))
		Expect(err).To(HaveOccurred())
		Expect(err.Error()).NotTo(ContainSubstring("secret"))
	})

	It("keeps the text of an amount as it was sent", func() {
		Expect(model("unit", `{"unit_amount": "0.100"}`).(rating.Unit).UnitAmount.Text).To(Equal("0.100"))
	})

	It("lists the models it knows", func() {
		Expect(rating.Types()).To(ContainElements("bulk", "matrix", "package", "tiered", "unit"))
		Expect(slices.IsSorted(rating.Types())).To(BeTrue())
		Expect(rating.Known("unit")).To(BeTrue())
		Expect(rating.Known("bps")).To(BeFalse())
	})
})

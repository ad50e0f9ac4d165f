package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/rating"
)

// configs has a configuration of every model, with every field that it knows.
var configs = map[string]string{
	"unit":   `{"unit_amount": "0.10", "prorated": true}`,
	"tiered": `{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1.00"}, {"first_unit": 10, "last_unit": null, "unit_amount": "0.50"}], "prorated": false}`,
	"bulk":   `{"tiers": [{"maximum_units": 10, "unit_amount": "1.00"}, {"unit_amount": "0.50"}]}`,
	"bulk_with_filters": `{"filters": [{"property_key": "source", "property_value": "api"}],
		"tiers": [{"tier_lower_bound": null, "unit_amount": "0.50"}, {"tier_lower_bound": "200", "unit_amount": "0.40"}]}`,
	"package": `{"package_amount": "5.00", "package_size": 1000}`,
	"matrix": `{"default_unit_amount": "1", "dimensions": ["region", null],
		"matrix_values": [{"dimension_values": ["<eu>", null], "unit_amount": "2.0"}]}`,
	"threshold_total_amount": `{"consumption_table": [{"threshold": "0", "total_amount": "25"}, {"threshold": "500", "total_amount": "90"}], "prorate": null}`,
	"tiered_package":         `{"package_size": "100", "tiers": [{"tier_lower_bound": "0", "per_unit": "10"}, {"tier_lower_bound": "300", "per_unit": "8"}]}`,
	"tiered_with_minimum": `{"tiers": [{"tier_lower_bound": "0", "unit_amount": "1", "minimum_amount": "30"}, {"tier_lower_bound": "50", "unit_amount": "0.60", "minimum_amount": "70"}],
		"hide_zero_amount_tiers": true, "prorate": true}`,
	"grouped_tiered": `{"grouping_key": "cluster", "tiers": [{"tier_lower_bound": "0", "unit_amount": "0.10"}, {"tier_lower_bound": "100", "unit_amount": "0.07"}]}`,
	"tiered_package_with_minimum": `{"package_size": 25,
		"tiers": [{"tier_lower_bound": "0", "per_unit": "4", "minimum_amount": "12"}, {"tier_lower_bound": "100", "per_unit": "3", "minimum_amount": "40"}]}`,
	"package_with_allocation": `{"allocation": "2000", "package_amount": "5.00", "package_size": "1000"}`,
	"unit_with_percent":       `{"unit_amount": "2.40", "percent": "12.5"}`,
	"matrix_with_allocation": `{"allocation": "100", "default_unit_amount": "0.30", "dimensions": ["region", "tier"],
		"matrix_values": [{"dimension_values": ["eu", "hot"], "unit_amount": "0.50"}]}`,
	"matrix_with_threshold_discounts": `{"first_dimension": "colour", "second_dimension": "shape", "default_unit_amount": "1.00",
		"matrix_values": [{"first_dimension_value": "blue", "second_dimension_value": "circle", "unit_amount": "2.00"}],
		"threshold_discount_groups": [{"cell_coordinates": "blue, circle; green, triangle", "threshold_amount": "200",
			"below_threshold_discount_percentage": "0", "above_threshold_discount_percentage": "10", "description": "More for less"}]}`,
	"tiered_with_proration":         `{"tiers": [{"tier_lower_bound": "0", "unit_amount": "3"}, {"tier_lower_bound": "20", "unit_amount": "2"}]}`,
	"unit_with_proration":           `{"unit_amount": "9"}`,
	"grouped_allocation":            `{"grouping_key": "user", "allocation": "50", "overage_unit_rate": "0.20"}`,
	"bulk_with_proration":           `{"tiers": [{"unit_amount": "12"}, {"tier_lower_bound": "10", "unit_amount": "9"}]}`,
	"grouped_with_prorated_minimum": `{"grouping_key": "site", "minimum": "45", "unit_rate": "0.90"}`,
	"grouped_with_metered_minimum": `{"grouping_key": "table", "minimum_unit_amount": "0.05",
		"pricing_key": "kind", "unit_amounts": [{"pricing_value": "write", "unit_amount": "0.20"}],
		"scaling_key": "speed", "scaling_factors": [{"scaling_value": "fast", "scaling_factor": "1.5"}]}`,
	"grouped_with_min_max_thresholds": `{"grouping_key": "site", "per_unit_rate": "2", "minimum_charge": "20", "maximum_charge": "200"}`,
	"matrix_with_display_name":        `{"dimension": "model", "unit_amounts": [{"dimension_value": "gpt-s", "display_name": "Small model", "unit_amount": "0.002"}]}`,
	"grouped_tiered_package": `{"grouping_key": "cluster", "package_size": "20",
		"tiers": [{"tier_lower_bound": "0", "per_unit": "3"}, {"tier_lower_bound": "60", "per_unit": "2"}]}`,
	"max_group_tiered_package": `{"grouping_key": "hour", "package_size": "5",
		"tiers": [{"tier_lower_bound": "0", "unit_amount": "8"}, {"tier_lower_bound": "25", "unit_amount": "6"}]}`,
	"scalable_matrix_with_unit_pricing": `{"first_dimension": "gpu", "second_dimension": null, "grouping_key": "job", "prorate": false, "unit_price": "0.40",
		"matrix_scaling_factors": [{"first_dimension_value": "h100", "second_dimension_value": null, "scaling_factor": "5.5"}]}`,
	"scalable_matrix_with_tiered_pricing": `{"first_dimension": "gpu", "second_dimension": "zone",
		"matrix_scaling_factors": [{"first_dimension_value": "h100", "second_dimension_value": "eu", "scaling_factor": "5.5"}],
		"tiers": [{"tier_lower_bound": "0", "unit_amount": "0.40"}, {"tier_lower_bound": "200", "unit_amount": "0.30"}]}`,
	"cumulative_grouped_bulk": `{"group": "channel", "dimension_values": [
		{"grouping_key": "sms", "tier_lower_bound": "0", "unit_amount": "0.08"}, {"grouping_key": "sms", "tier_lower_bound": "1000", "unit_amount": "0.06"}]}`,
	"cumulative_grouped_allocation": `{"grouping_key": "project", "group_allocation": "40", "cumulative_allocation": "100", "unit_amount": "0.50"}`,
	"daily_credit_allowance": `{"daily_allowance": "5", "default_unit_amount": "0.10", "dimensions": ["size"], "event_day_property": "day",
		"matrix_values": [{"dimension_values": ["large"], "unit_amount": "1"}]}`,
	"metered_allowance": `{"grouping_key": "kind", "consumption_grouping_value": "download", "allowance_grouping_value": "snapshot", "unit_amount": "0.02",
		"consumption_display_name": "Downloads", "allowance_display_name": "Included"}`,
	"minimum_composite": `{"minimum_amount": "500", "prorated": true}`,
	"percent":           `{"percent": 0.04, "minimum_amount": "25", "maximum_amount": null, "prorated": false}`,
	"event_output":      `{"unit_rating_key": "price", "default_unit_rate": "0.5", "grouping_key": "order"}`,
	"grouped_tiered_matrix": `{"dimension": "region", "default_unit_amount": "0.5",
		"tiers": [{"dimension_value": "eu", "tier_lower_bound": "0", "unit_amount": "0.4"}]}`,
}

var _ = Describe("The models of prices", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-01-01T00:00:00Z") })

	// priced is the body of a price with that model.
	priced := func(model string) object {
		var config object
		Expect(json.Unmarshal([]byte(configs[model]), &config)).To(Succeed())
		body := with(s.calls("0"), object{"model_type": model, "unit_config": absent, model + "_config": config})
		if model == "percent" || model == "minimum_composite" {
			delete(body, "billable_metric_id") // it charges for other prices
		}
		return body
	}

	It("are all tried here", func() {
		Expect(slices.Sorted(maps.Keys(configs))).To(Equal(rating.Types()))
	})

	for _, model := range slices.Sorted(maps.Keys(configs)) {
		It(model+" is given back as it was sent, by add-on prices and by plans", func() {
			for _, made := range []value{
				s.post("/v1/prices", with(priced(model), object{"currency": "USD"})).expect(201),
				s.plan(nil, priced(model)).entry("prices", 0),
			} {
				text, err := json.Marshal(made.at(model + "_config"))
				Expect(err).NotTo(HaveOccurred())
				Expect(text).To(MatchJSON(configs[model]))
				Expect(made.at("model_type")).To(Equal(model))
			}
		})

		It(model+" refuses a field that it does not know, wherever that stands", func() {
			body := with(priced(model), object{"currency": "USD"})
			for place, fields := range objects(model+"_config", body[model+"_config"]) {
				fields["colour"] = "red"
				s.post("/v1/prices", body).invalid(place + ".colour: is not a field of this request")
				delete(fields, "colour")
			}
		})
	}

	DescribeTable("have bounds that the contract tells",
		func(model string, change object, violation string) {
			body := priced(model)
			body[model+"_config"] = with(body[model+"_config"].(object), change)
			s.post("/v1/prices", with(body, object{"currency": "USD"})).invalid(model + "_config." + violation)
		},
		Entry("one tier at least", "tiered", object{"tiers": list{}}, "tiers: must not be empty"),
		Entry("two tiers at least", "tiered_package", object{"tiers": list{object{"tier_lower_bound": "0", "per_unit": "10"}}}, "tiers: must have at least 2 entries"),
		Entry("two thresholds at least", "threshold_total_amount", object{"consumption_table": list{object{"threshold": "0", "total_amount": "25"}}}, "consumption_table: "),
		Entry("a filter at least", "bulk_with_filters", object{"filters": list{}}, "filters: must not be empty"),
		Entry("a package that holds something", "package", object{"package_size": 0}, "package_size: "),
		Entry("a package of whole units", "package", object{"package_size": 1.5}, "package_size: "),
		Entry("one dimension or two", "daily_credit_allowance", object{"dimensions": list{}}, "dimensions: must have from 1 to 2 entries"),
		Entry("a key that is named", "grouped_allocation", object{"grouping_key": ""}, "grouping_key: must not be empty"),
		Entry("a share above nothing", "percent", object{"percent": 0}, "percent: "),
		Entry("a share of no more than all", "percent", object{"percent": 1.01}, "percent: "),
		Entry("a rate that is no number", "event_output", object{"default_unit_rate": 0.5}, "default_unit_rate: must be a decimal string"),
		Entry("what must be there", "metered_allowance", object{"unit_amount": absent}, "unit_amount: is required"),
	)
})

// objects finds the objects of a JSON value at every depth, by their places.
func objects(place string, at any) map[string]object {
	found := map[string]object{}
	switch v := at.(type) {
	case object:
		found[place] = v
		for name, inner := range v {
			maps.Copy(found, objects(place+"."+name, inner))
		}
	case list:
		for i, inner := range v {
			maps.Copy(found, objects(fmt.Sprintf("%s[%d]", place, i), inner))
		}
	}
	return found
}

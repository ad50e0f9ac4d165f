package server_test

import (
	"encoding/json"
	"fmt"
	"maps"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/rating"
)

var configs = domaintest.PriceConfigs

var _ = Describe("The models of prices", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-01-01T00:00:00Z") })

	// priced is the body of a price with that model.
	priced := func(model string) object {
		var config object
		Expect(json.Unmarshal(configs[model], &config)).To(Succeed())
		body := with(s.calls("0"), object{"model_type": model, "unit_config": absent, model + "_config": config})
		if model == "percent" || model == "minimum_composite" {
			delete(body, "billable_metric_id") // it charges for other prices
		}
		return body
	}

	It("are all tried here", func() {
		Expect(domaintest.PriceModels()).To(Equal(rating.Types()))
	})

	for _, model := range domaintest.PriceModels() {
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

package server_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/rating"
)

// wrongs has a place in the configuration of every model, with what must not be
// there.
var wrongs = map[string]struct {
	place string
	value any
}{
	"bulk":                                {"tiers[1].unit_amount", "-0.50"},
	"bulk_with_filters":                   {"filters[0].property_key", ""},
	"bulk_with_proration":                 {"tiers[1].unit_amount", "-9"},
	"cumulative_grouped_allocation":       {"group_allocation", "-40"},
	"cumulative_grouped_bulk":             {"dimension_values[1].unit_amount", "-0.06"},
	"daily_credit_allowance":              {"daily_allowance", "-5"},
	"event_output":                        {"unit_rating_key", ""},
	"grouped_allocation":                  {"overage_unit_rate", "-0.20"},
	"grouped_tiered":                      {"tiers[1].tier_lower_bound", "0"},
	"grouped_tiered_matrix":               {"tiers[0].unit_amount", "-0.4"},
	"grouped_tiered_package":              {"tiers[1].tier_lower_bound", "50"},
	"grouped_with_metered_minimum":        {"scaling_factors[0].scaling_factor", "-1.5"},
	"grouped_with_min_max_thresholds":     {"minimum_charge", "201"},
	"grouped_with_prorated_minimum":       {"minimum", "-45"},
	"matrix":                              {"matrix_values[0].unit_amount", "-2"},
	"matrix_with_allocation":              {"allocation", "-100"},
	"matrix_with_display_name":            {"unit_amounts[0].unit_amount", "0,002"},
	"matrix_with_threshold_discounts":     {"threshold_discount_groups[0].above_threshold_discount_percentage", "101"},
	"max_group_tiered_package":            {"package_size", "0"},
	"metered_allowance":                   {"unit_amount", "-0.02"},
	"minimum_composite":                   {"minimum_amount", "-500"},
	"package":                             {"package_amount", "-5.00"},
	"package_with_allocation":             {"package_size", "0"},
	"percent":                             {"minimum_amount", "-25"},
	"scalable_matrix_with_tiered_pricing": {"tiers[0].unit_amount", "-0.40"},
	"scalable_matrix_with_unit_pricing":   {"matrix_scaling_factors[0].scaling_factor", "-5.5"},
	"threshold_total_amount":              {"consumption_table[1].total_amount", "-90"},
	"tiered":                              {"tiers[1].first_unit", 12},
	"tiered_package":                      {"tiers[1].tier_lower_bound", "350"},
	"tiered_package_with_minimum":         {"package_size", 0},
	"tiered_with_minimum":                 {"tiers[0].minimum_amount", "-30"},
	"tiered_with_proration":               {"tiers[0].unit_amount", "three"},
	"unit":                                {"unit_amount", "-0.10"},
	"unit_with_percent":                   {"percent", "-1"},
	"unit_with_proration":                 {"unit_amount", 9},
}

// modelsOf lists the models that a union of the contract chooses from.
func modelsOf(union string) []string {
	return slices.Sorted(maps.Keys(document().Components.Schemas[union].Value.Discriminator.Mapping))
}

// put changes the value at a place of a JSON object.
func put(into object, place string, what any) {
	var here any = into
	steps := step.FindAllStringSubmatch(place, -1)
	last := len(steps) - 1
	for _, m := range steps[:last] {
		if i, err := strconv.Atoi(m[1]); err == nil {
			here = here.(list)[i]
		} else {
			here = here.(object)[m[0]]
		}
	}
	here.(object)[steps[last][0]] = what
}

var _ = Describe("Every model of the contract", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-01-01T00:00:00Z") })

	It("is in every family of prices, and has samples here", func() {
		for _, family := range []string{"NewPlanPrice", "NullableNewPlanPrice", "NewFloatingPrice", "NullableNewFloatingPrice"} {
			Expect(modelsOf(family)).To(Equal(modelsOf("Price")), family)
		}
		Expect(modelsOf("Price")).To(HaveLen(35))
		Expect(domaintest.PriceModels()).To(Equal(modelsOf("Price")))
		Expect(slices.Sorted(maps.Keys(wrongs))).To(Equal(modelsOf("Price")))
	})

	for _, model := range modelsOf("Price") {
		config := model + "_config"
		var needs rating.Needs
		var price object // a fixed fee with the model
		plan := func(change object) *answer {
			return s.post("/v1/plans", object{"name": "Pro", "currency": "USD", "prices": list{object{"price": with(price, change)}}})
		}
		made := func(change object) value {
			GinkgoHelper()
			plan := plan(change).expect(201)
			Expect(s.get("/v1/plans/" + plan.text("id")).expect(200).json).To(Equal(plan.json))
			text, err := json.Marshal(plan.at("prices[0]." + config))
			Expect(err).NotTo(HaveOccurred())
			Expect(text).To(MatchJSON(configs[model]))
			return plan.entry("prices", 0)
		}

		Describe(model, func() {
			BeforeEach(func() {
				accepted, err := rating.Decode(model, configs[model])
				Expect(err).NotTo(HaveOccurred())
				needs = accepted.Needs()
				var sent object
				Expect(json.Unmarshal(configs[model], &sent)).To(Succeed())
				price = with(s.fee("0"), object{"model_type": model, "unit_config": absent, config: sent})
			})

			It("charges usage, unless it charges for other prices", func() {
				usage := object{"billable_metric_id": s.metric}
				if needs.Composite {
					plan(usage).invalid("prices[0].price.billable_metric_id: must not be given for a composite price")
					return
				}
				made(usage).shows(object{"price_type": "usage_price", "billing_mode": "in_arrear", "fixed_price_quantity": nil})
			})

			It("is a fixed fee where one quantity is enough", func() {
				fixed := object{"fixed_price_quantity": json.Number("2.5")}
				switch {
				case needs.Composite:
					plan(fixed).invalid("prices[0].price.fixed_price_quantity: must not be given for a composite price")
					made(nil).shows(object{"price_type": "composite_price", "billing_mode": "in_arrear", "fixed_price_quantity": nil})
				case needs.Single():
					made(fixed).shows(object{"price_type": "fixed_price", "billing_mode": "in_advance", "fixed_price_quantity": json.Number("2.5")})
				default:
					plan(fixed).invalid("prices[0].price.model_type: ")
				}
			})

			It("is refused at the place that is wrong", func() {
				wrong := wrongs[model]
				put(price[config].(object), wrong.place, wrong.value)
				usage := object{"billable_metric_id": s.metric}
				if needs.Composite {
					usage = object{"composite_price_filters": list{filter("price_type", "includes", "usage")}}
				}
				plan(usage).invalid("prices[0].price." + config + "." + wrong.place + ": ")
			})
		})
	}
})

package server_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fuzzedConfigs hold a configuration of every model.
var fuzzedConfigs = map[string]string{
	"bulk":                                `{"tiers":[{"unit_amount":"0.06","maximum_units":1000},{"unit_amount":"0.045","maximum_units":5000},{"unit_amount":"0.03"}]}`,
	"bulk_with_filters":                   `{"filters":[{"property_key":"source","property_value":"api"}],"tiers":[{"unit_amount":"0.50","tier_lower_bound":null},{"unit_amount":"0.40","tier_lower_bound":"200"}]}`,
	"bulk_with_proration":                 `{"tiers":[{"unit_amount":"12"},{"unit_amount":"9","tier_lower_bound":"10"}]}`,
	"cumulative_grouped_allocation":       `{"grouping_key":"project","group_allocation":"40","cumulative_allocation":"100","unit_amount":"0.50"}`,
	"cumulative_grouped_bulk":             `{"group":"channel","dimension_values":[{"grouping_key":"sms","tier_lower_bound":"1000","unit_amount":"0.06"},{"grouping_key":"sms","tier_lower_bound":"0.0","unit_amount":"0.08"}]}`,
	"daily_credit_allowance":              `{"daily_allowance":"5","event_day_property":"day","dimensions":["size"],"default_unit_amount":"0.10","matrix_values":[{"dimension_values":["large"],"unit_amount":"1"}]}`,
	"event_output":                        `{"unit_rating_key":"price","default_unit_rate":"0.5","grouping_key":"order"}`,
	"grouped_allocation":                  `{"grouping_key":"user","allocation":"50","overage_unit_rate":"0.20"}`,
	"grouped_tiered":                      `{"grouping_key":"cluster","tiers":[{"tier_lower_bound":"100","unit_amount":"0.07"},{"tier_lower_bound":"0","unit_amount":"0.10"}]}`,
	"grouped_tiered_matrix":               `{"dimension":"region","default_unit_amount":"0.5","tiers":[{"dimension_value":"eu","tier_lower_bound":"50","unit_amount":"0.2"},{"dimension_value":"eu","tier_lower_bound":"0","unit_amount":"0.4"}]}`,
	"grouped_tiered_package":              `{"grouping_key":"cluster","package_size":"0.5","tiers":[{"tier_lower_bound":"0","per_unit":"3"},{"tier_lower_bound":"1.5","per_unit":"2"}]}`,
	"grouped_with_metered_minimum":        `{"grouping_key":"tenant","pricing_key":"operation","scaling_key":"speed","minimum_unit_amount":"0.05","unit_amounts":[{"pricing_value":"write","unit_amount":"0.20"}],"scaling_factors":[{"scaling_value":"fast","scaling_factor":"1.5"}]}`,
	"grouped_with_min_max_thresholds":     `{"grouping_key":"shop","per_unit_rate":"2","minimum_charge":"20","maximum_charge":"200"}`,
	"grouped_with_prorated_minimum":       `{"grouping_key":"site","minimum":"45","unit_rate":"0.90"}`,
	"matrix":                              `{"dimensions":["region","tier"],"default_unit_amount":"0.30","matrix_values":[{"dimension_values":["<eu>",null],"unit_amount":"0.50"},{"dimension_values":["eu","cold"],"unit_amount":"0.10"}]}`,
	"matrix_with_allocation":              `{"allocation":"100","dimensions":["region",null],"default_unit_amount":"0.30","matrix_values":[{"dimension_values":["eu"],"unit_amount":"0.50"}]}`,
	"matrix_with_display_name":            `{"dimension":"model","unit_amounts":[{"dimension_value":"gpt-s","display_name":"Small model","unit_amount":"0.002"}]}`,
	"matrix_with_threshold_discounts":     `{"first_dimension":"color","second_dimension":"shape","default_unit_amount":"1.00","matrix_values":[{"first_dimension_value":"blue","second_dimension_value":"circle","unit_amount":"2.00"}],"threshold_discount_groups":[{"cell_coordinates":"blue,circle","threshold_amount":"200","below_threshold_discount_percentage":"0","above_threshold_discount_percentage":"10"}]}`,
	"max_group_tiered_package":            `{"grouping_key":"hour","package_size":"5","tiers":[{"tier_lower_bound":"0","unit_amount":"8"},{"tier_lower_bound":"25","unit_amount":"6"}]}`,
	"metered_allowance":                   `{"grouping_key":"kind","consumption_grouping_value":"download","allowance_grouping_value":"storage","unit_amount":"0.02","consumption_display_name":"Egress"}`,
	"minimum_composite":                   `{"minimum_amount":"500","prorated":true}`,
	"package":                             `{"package_amount":"5.00","package_size":1000}`,
	"package_with_allocation":             `{"allocation":"2000","package_amount":"5.00","package_size":"1000"}`,
	"percent":                             `{"percent":0.04,"minimum_amount":"25","maximum_amount":"150","prorated":true}`,
	"scalable_matrix_with_tiered_pricing": `{"first_dimension":"gpu","matrix_scaling_factors":[{"first_dimension_value":"h100","scaling_factor":"5.5"}],"tiers":[{"tier_lower_bound":"200","unit_amount":"0.30"},{"tier_lower_bound":"0","unit_amount":"0.40"}]}`,
	"scalable_matrix_with_unit_pricing":   `{"unit_price":"0.40","grouping_key":"team","first_dimension":"gpu","matrix_scaling_factors":[{"first_dimension_value":"h100","scaling_factor":"5.5"}]}`,
	"threshold_total_amount":              `{"prorate":null,"consumption_table":[{"threshold":"10","total_amount":"25"},{"threshold":"500","total_amount":"90"}]}`,
	"tiered":                              `{"tiers":[{"first_unit":0,"last_unit":1e2,"unit_amount":"1.00"},{"first_unit":100,"last_unit":null,"unit_amount":"0.50"}]}`,
	"tiered_package":                      `{"package_size":"100","tiers":[{"tier_lower_bound":"0","per_unit":"10"},{"tier_lower_bound":"300","per_unit":"8.00"}]}`,
	"tiered_package_with_minimum":         `{"package_size":25,"tiers":[{"tier_lower_bound":"0","per_unit":"4","minimum_amount":"12"},{"tier_lower_bound":"100","per_unit":"3","minimum_amount":"40"}]}`,
	"tiered_with_minimum":                 `{"hide_zero_amount_tiers":true,"tiers":[{"tier_lower_bound":"0","unit_amount":"0","minimum_amount":"30"},{"tier_lower_bound":"50","unit_amount":"0.60","minimum_amount":"70"}]}`,
	"tiered_with_proration":               `{"tiers":[{"tier_lower_bound":"0","unit_amount":"3"},{"tier_lower_bound":"20","unit_amount":"2"}]}`,
	"unit":                                `{"unit_amount":"900.00","prorated":null}`,
	"unit_with_percent":                   `{"unit_amount":"2.40","percent":"12.5"}`,
	"unit_with_proration":                 `{"unit_amount":"9"}`,
}

// fuzzedPrices are bodies of add-on prices, of every model and with every member.
func fuzzedPrices() (bodies []string) {
	for _, model := range slices.Sorted(maps.Keys(fuzzedConfigs)) {
		source := `"billable_metric_id":"$metric"`
		if model == "percent" || model == "minimum_composite" {
			source = `"composite_price_filters":[{"field":"price_type","operator":"includes","values":["usage"]}]`
		}
		bodies = append(bodies, fmt.Sprintf(`{"name":"P","item_id":"$item","cadence":"monthly","currency":"USD",%s,"model_type":%q,"%s_config":%s}`, source, model, model, fuzzedConfigs[model]))
	}
	for _, more := range []string{
		`"fixed_price_quantity":2.50,"billed_in_advance":true,"external_price_id":"seat","metadata":{"a":"1","b":null}`,
		`"billable_metric_id":"$metric","invoice_grouping_key":"region","invoicing_cycle_configuration":{"duration":3,"duration_unit":"month"}`,
		`"cadence":"custom","billing_cycle_configuration":{"duration":10,"duration_unit":"day"}`,
		`"currency":"credits","conversion_rate":0.10,"conversion_rate_config":{"conversion_rate_type":"unit","unit_config":{"unit_amount":"0.1"}}`,
		`"currency":"tokens","conversion_rate_config":{"conversion_rate_type":"tiered","tiered_config":{"tiers":[{"first_unit":0,"last_unit":1e2,"unit_amount":"0.10"},{"first_unit":100,"unit_amount":"0.08"}]}}`,
		`"billable_metric_id":"$metric","dimensional_price_configuration":{"dimensional_price_group_id":"$group","dimension_values":["eu"]}`,
		`"license_type_id":"$license"`,
	} {
		body := `{"name":"P","item_id":"$item","cadence":"one_time","currency":"JPY","model_type":"unit","unit_config":{"unit_amount":"10.0","prorated":false},` + more + `}`
		for _, once := range []string{"cadence", "currency"} { // the second one counts
			if strings.Count(body, `"`+once+`"`) > 1 {
				body = strings.Replace(body, map[string]string{"cadence": `"cadence":"one_time",`, "currency": `"currency":"JPY",`}[once], "", 1)
			}
		}
		bodies = append(bodies, body)
	}
	return append(bodies, `{}`, `[]`, `null`, `{"name":"\u0000"`, `{"name":1,"name":2}`)
}

// fuzzedAdjustments are entries of a plan's adjustments.
var fuzzedAdjustments = []string{
	`{"adjustment":{"adjustment_type":"usage_discount","usage_discount":2.5,"applies_to_all":true}}`,
	`{"adjustment":{"adjustment_type":"amount_discount","amount_discount":"5.00","applies_to_price_ids":["p"]}}`,
	`{"adjustment":{"adjustment_type":"percentage_discount","percentage_discount":0.15,"filters":[{"field":"item_id","operator":"includes","values":["$item"]}]}}`,
	`{"adjustment":{"adjustment_type":"tiered_percentage_discount","tiers":[{"lower_bound":0,"upper_bound":1e2,"percentage":0.1},{"lower_bound":100,"percentage":1}],"applies_to_all":true}}`,
	`{"adjustment":{"adjustment_type":"minimum","minimum_amount":"10","item_id":"$item","price_type":"usage","currency":["USD"],"applies_to_all":true}}`,
	`{"adjustment":{"adjustment_type":"maximum","maximum_amount":"1000.00","is_invoice_level":false,"applies_to_item_ids":["$item"],"currency":"USD"}}`,
}

// fuzzedPlans are bodies of plans, with prices of every model, adjustments, phases
// and what grants credits.
func fuzzedPlans() (bodies []string) {
	plan := `{"name":"Pro","currency":"USD","prices":[%s],%s"external_plan_id":"pro","description":"All","default_invoice_memo":"Thanks","net_terms":30,"metadata":{"a":"1"}}`
	fee := `{"price":{"name":"Fee","item_id":"$item","cadence":"annual","model_type":"unit","unit_config":{"unit_amount":"20.00"},"reference_id":"p"%s}}`
	for _, price := range fuzzedPrices() {
		if strings.HasPrefix(price, `{"name":"P"`) {
			bodies = append(bodies, fmt.Sprintf(plan, fmt.Sprintf(fee, "")+`,{"price":`+price+`}`, ""))
		}
	}
	for _, adjustment := range fuzzedAdjustments {
		bodies = append(bodies, fmt.Sprintf(plan, fmt.Sprintf(fee, ""), `"adjustments":[`+adjustment+`],`))
	}
	phased := strings.TrimSuffix(fmt.Sprintf(fee, ""), "}") + `,"plan_phase_order":1}`
	return append(bodies,
		fmt.Sprintf(plan, phased, `"plan_phases":[{"order":1,"duration":3,"duration_unit":"monthly"},{"order":2,"align_billing_with_phase_start_date":true}],`),
		fmt.Sprintf(plan, `{"allocation_price":{"amount":"100","currency":"credits","cadence":"monthly","expires_at_end_of_cadence":true,"per_unit_cost_basis":"0.10","item_id":"$item"}}`, ""),
		`{"name":"Draft","currency":"EUR","prices":[],"status":"draft"}`,
		`{}`, `{"name":"x","currency":"USD","prices":null}`,
	)
}

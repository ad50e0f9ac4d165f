package server_test

import (
	"fmt"
	"strings"

	"tollkeeper/domain/domaintest"
)

// fuzzedPrices are bodies of add-on prices, of every model and with every member.
func fuzzedPrices() (bodies []string) {
	for _, model := range domaintest.PriceModels() {
		source := `"billable_metric_id":"$metric"`
		if model == "percent" || model == "minimum_composite" {
			source = `"composite_price_filters":[{"field":"price_type","operator":"includes","values":["usage"]}]`
		}
		bodies = append(bodies, fmt.Sprintf(`{"name":"P","item_id":"$item","cadence":"monthly","currency":"USD",%s,"model_type":%q,"%s_config":%s}`, source, model, model, domaintest.PriceConfigs[model]))
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

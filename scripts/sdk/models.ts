// A configuration of every price model. That the compiler takes the table shows that
// each fits the contract, and that no model of the contract is missing.
import type { components } from "./contract.js";

type Price = components["schemas"]["NewPlanPrice"];
export type Model = Price["model_type"];
type Configurations = { [M in Model]: Extract<Price, { model_type: M }> extends infer P ? P[`${M}_config` & keyof P] : never };

const tiers = [{ tier_lower_bound: "0", unit_amount: "0.10" }, { tier_lower_bound: "100", unit_amount: "0.07" }];
const bulk = [{ tier_lower_bound: null, unit_amount: "12" }, { tier_lower_bound: "10", unit_amount: "9" }];
const packages = [{ tier_lower_bound: "0", per_unit: "10" }, { tier_lower_bound: "300", per_unit: "8" }];
const matrix = {
  dimensions: ["region", "tier"],
  matrix_values: [{ dimension_values: ["eu", "hot"], unit_amount: "0.50" }, { dimension_values: ["eu", null], unit_amount: "0.10" }],
  default_unit_amount: "0.30",
};
const factors = {
  first_dimension: "machine",
  second_dimension: null,
  matrix_scaling_factors: [{ first_dimension_value: "h100", second_dimension_value: null, scaling_factor: "5.5" }],
};

export const models: Configurations = {
  unit: { unit_amount: "0.035" },
  tiered: { tiers: [{ first_unit: 0, last_unit: 100, unit_amount: "1.00" }, { first_unit: 100, last_unit: null, unit_amount: "0.80" }] },
  bulk: { tiers: [{ maximum_units: 1000, unit_amount: "0.06" }, { maximum_units: null, unit_amount: "0.03" }] },
  bulk_with_filters: { filters: [{ property_key: "source", property_value: "api" }], tiers: bulk },
  package: { package_amount: "5.00", package_size: 1000 },
  matrix,
  threshold_total_amount: { consumption_table: [{ threshold: "0", total_amount: "25" }, { threshold: "500", total_amount: "90" }], prorate: true },
  tiered_package: { package_size: "100", tiers: packages },
  tiered_with_minimum: {
    tiers: [{ tier_lower_bound: "0", unit_amount: "1", minimum_amount: "30" }, { tier_lower_bound: "50", unit_amount: "0.60", minimum_amount: "70" }],
    hide_zero_amount_tiers: true,
    prorate: false,
  },
  grouped_tiered: { grouping_key: "cluster", tiers },
  tiered_package_with_minimum: {
    package_size: 25,
    tiers: [{ tier_lower_bound: "0", per_unit: "4", minimum_amount: "12" }, { tier_lower_bound: "100", per_unit: "3", minimum_amount: "40" }],
  },
  package_with_allocation: { allocation: "2000", package_amount: "5.00", package_size: "1000" },
  unit_with_percent: { unit_amount: "2.40", percent: "12.5" },
  matrix_with_allocation: { ...matrix, allocation: "100" },
  matrix_with_threshold_discounts: {
    first_dimension: "colour",
    second_dimension: "shape",
    default_unit_amount: "1.00",
    matrix_values: [{ first_dimension_value: "blue", second_dimension_value: "circle", unit_amount: "2.00" }],
    threshold_discount_groups: [
      {
        cell_coordinates: "blue,circle; green,triangle",
        threshold_amount: "200",
        below_threshold_discount_percentage: "0",
        above_threshold_discount_percentage: "10",
        description: "Shapes",
      },
    ],
  },
  tiered_with_proration: { tiers },
  unit_with_proration: { unit_amount: "9" },
  grouped_allocation: { grouping_key: "user", allocation: "50", overage_unit_rate: "0.20" },
  bulk_with_proration: { tiers: bulk },
  grouped_with_prorated_minimum: { grouping_key: "site", minimum: "45", unit_rate: "0.90" },
  grouped_with_metered_minimum: {
    grouping_key: "tenant",
    pricing_key: "operation",
    unit_amounts: [{ pricing_value: "write", unit_amount: "0.20" }, { pricing_value: "read", unit_amount: "0.01" }],
    scaling_key: "speed",
    scaling_factors: [{ scaling_value: "fast", scaling_factor: "1.5" }],
    minimum_unit_amount: "0.05",
  },
  grouped_with_min_max_thresholds: { grouping_key: "site", per_unit_rate: "2", minimum_charge: "20", maximum_charge: "200" },
  matrix_with_display_name: { dimension: "model", unit_amounts: [{ dimension_value: "gpt-s", display_name: "Small model", unit_amount: "0.002" }] },
  grouped_tiered_package: { grouping_key: "cluster", package_size: "100", tiers: packages },
  max_group_tiered_package: { grouping_key: "hour", package_size: "5", tiers },
  scalable_matrix_with_unit_pricing: { ...factors, unit_price: "0.40", grouping_key: "team", prorate: true },
  scalable_matrix_with_tiered_pricing: { ...factors, tiers },
  cumulative_grouped_bulk: {
    group: "channel",
    dimension_values: [
      { grouping_key: "sms", tier_lower_bound: "0", unit_amount: "0.08" },
      { grouping_key: "sms", tier_lower_bound: "1000", unit_amount: "0.06" },
    ],
  },
  cumulative_grouped_allocation: { grouping_key: "project", group_allocation: "40", cumulative_allocation: "100", unit_amount: "0.50" },
  daily_credit_allowance: {
    daily_allowance: "5",
    dimensions: ["model"],
    matrix_values: [{ dimension_values: ["large"], unit_amount: "1" }],
    default_unit_amount: "0.10",
    event_day_property: "day",
  },
  metered_allowance: {
    grouping_key: "kind",
    consumption_grouping_value: "download",
    allowance_grouping_value: "storage_snapshot",
    unit_amount: "0.02",
    consumption_display_name: "Downloads",
  },
  minimum_composite: { minimum_amount: "500", prorated: true },
  percent: { percent: 0.04, minimum_amount: "25", maximum_amount: "150", prorated: true },
  event_output: { unit_rating_key: "price", default_unit_rate: "0.5", grouping_key: "order" },
  grouped_tiered_matrix: {
    dimension: "region",
    default_unit_amount: "0.5",
    tiers: [{ dimension_value: "eu", tier_lower_bound: "0", unit_amount: "0.4" }, { dimension_value: "eu", tier_lower_bound: "50", unit_amount: "0.2" }],
  },
};

// price is one of the model, for usage unless it charges for other prices.
export function price(model: Model, itemID: string, metricID: string): Price {
  const usage = model === "minimum_composite" || model === "percent" ? {} : { billable_metric_id: metricID };
  return { name: model, item_id: itemID, cadence: "monthly", ...usage, model_type: model, [`${model}_config`]: models[model] } as Price;
}

export const all = Object.keys(models) as Model[];

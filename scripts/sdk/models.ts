// A configuration of every price model, from the file that the specs read too. That the compiler takes the table shows
// that each fits the contract, and that no model of the contract is missing.
import type { components } from "./contract.js";
import configurations from "./price_configs.json" with { type: "json" };

type Price = components["schemas"]["NewPlanPrice"];
export type Model = Price["model_type"];
type Configurations = { [M in Model]: Extract<Price, { model_type: M }> extends infer P ? P[`${M}_config` & keyof P] : never };

export const models: Configurations = configurations;

// price is one of the model, for usage unless it charges for other prices.
export function price(model: Model, itemID: string, metricID: string): Price {
  const usage = model === "minimum_composite" || model === "percent" ? {} : { billable_metric_id: metricID };
  return { name: model, item_id: itemID, cadence: "monthly", ...usage, model_type: model, [`${model}_config`]: models[model] } as Price;
}

export const all = Object.keys(models) as Model[];

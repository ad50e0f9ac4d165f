// A program over the client that another generator makes of the contract. It is
// compiled and never run.
import { createPlan, fetchInvoice } from "./generated/sdk.gen.js";
import type { NewPlanPrice, Price } from "./generated/types.gen.js";
import { all, price } from "./models.js";

export const tiered: NewPlanPrice = {
  name: "Input tokens",
  item_id: "item",
  cadence: "monthly",
  model_type: "tiered",
  tiered_config: { tiers: [{ first_unit: 0, last_unit: 10, unit_amount: "0.25" }, { first_unit: 10, unit_amount: "0.20" }] },
};

// This generator drops null from a union that may be null, so what the other one takes
// for a price needs a word of assurance.
const prices = all.map((model) => price(model, "item", "metric") as NewPlanPrice);

export async function rates(): Promise<string[]> {
  const plan = await createPlan({ body: { name: "Every model", currency: "USD", prices: prices.map((price) => ({ price })) } });
  return plan.data?.prices.map(rate) ?? [];
}

function rate(price: Price): string {
  return price.model_type === "unit" ? price.unit_config.unit_amount : price.model_type;
}

export async function adjusted(id: string): Promise<string[]> {
  const invoice = await fetchInvoice({ path: { invoice_id: id } });
  return invoice.data?.line_items.flatMap((line) => line.adjustments.map((a) => `${a.adjustment_type}: ${a.amount}`)) ?? [];
}

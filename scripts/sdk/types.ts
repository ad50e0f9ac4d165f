// A program over the types of the contract. It is compiled and never run: that
// the compiler takes it, and refuses what is marked, is the check.
import type { components, operations } from "./contract.js";

type Schemas = components["schemas"];

// A price of a plan is told apart by model_type.
export const tiered: Schemas["NewPlanPrice"] = {
  name: "Input tokens",
  item_id: "item",
  cadence: "monthly",
  billable_metric_id: "metric",
  model_type: "tiered",
  tiered_config: { tiers: [{ first_unit: 0, last_unit: 10, unit_amount: "0.25" }, { first_unit: 10, unit_amount: "0.20" }] },
};

export const mixed: Schemas["NewPlanPrice"] = {
  name: "Output tokens",
  item_id: "item",
  cadence: "monthly",
  model_type: "unit",
  // @ts-expect-error a unit price has no tiers
  tiered_config: { tiers: [] },
};

// @ts-expect-error money is text
export const amount: Schemas["UnitConfig"] = { unit_amount: 0.25 };

export const body: operations["createPlan"]["requestBody"]["content"]["application/json"] = {
  name: "Language model",
  currency: "USD",
  prices: [{ price: tiered }],
};

// So is an adjustment by adjustment_type.
export const minimum: Schemas["NewAdjustment"] = { adjustment_type: "minimum", minimum_amount: "25.00", item_id: "item", is_invoice_level: true };

// @ts-expect-error a maximum has no minimum_amount
export const maximum: Schemas["NewAdjustment"] = { adjustment_type: "maximum", minimum_amount: "25.00", is_invoice_level: true };

// Responses list every member, so that nothing needs a guard but null.
export function owed(invoice: Schemas["Invoice"]): string {
  const due = invoice.due_date === null ? "at no date" : invoice.due_date;
  const lines = invoice.line_items.map((line) => `${line.name}: ${describe(line.price)} = ${line.amount}`);
  return [`${invoice.amount_due} ${invoice.currency} ${due}`, ...lines].join("\n");
}

// model_type tells the variants apart, in a response as in a request.
function describe(price: Schemas["Price"]): string {
  switch (price.model_type) {
    case "unit":
      return price.unit_config.unit_amount;
    case "tiered":
      return price.tiered_config.tiers.map((tier) => tier.unit_amount).join(", ");
    case "package":
      return `${price.package_config.package_amount} for ${price.package_config.package_size}`;
    case "bulk":
      return price.bulk_config.tiers.map((tier) => tier.unit_amount).join(", ");
    case "matrix":
      return price.matrix_config.default_unit_amount;
    default:
      return price.model_type;
  }
}

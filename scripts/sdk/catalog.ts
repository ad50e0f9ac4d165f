// Drives the catalog with the client that the hosted service publishes: a plan with
// every price model, versions, phases, adjustments, coupons, groups and evaluation.
import assert from "node:assert/strict";
import Orb from "orb-billing";
import { orb } from "./orb.js";
import { all, models, price } from "./models.js";

const item = await orb.items.create({ name: "Everything" });
const metric = await orb.metrics.create({ name: "Calls", item_id: item.id, description: null, sql: "SELECT COUNT(*) FROM events WHERE event_name = 'call'" });
assert.equal((await orb.items.update(item.id, { name: "All of it", metadata: { team: "sales" } })).name, "All of it");
const retired = await orb.items.create({ name: "Retired" });
assert.ok((await orb.items.archive(retired.id)).archived_at);
type PlanPrices = Orb.PlanCreateParams["prices"];

// Every model, written and read by the client's own code.
const plan = await orb.plans.create({
  name: "Every model",
  currency: "USD",
  prices: all.map((model) => ({ price: price(model, item.id, metric.id) })) as PlanPrices,
});
const read = await orb.plans.fetch(plan.id);
assert.deepEqual(read.prices.map((p) => p.model_type), all);
for (const p of read.prices) {
  const config = (p as unknown as Record<string, unknown>)[`${p.model_type}_config`];
  assert.deepEqual(config, models[p.model_type as keyof typeof models], p.model_type);
}

// A plan with phases and adjustments, and a second version of it.
const fee = (amount: string) => ({ name: "Fee", item_id: item.id, cadence: "monthly", model_type: "unit", unit_config: { unit_amount: amount } }) as const;
const ramp = await orb.plans.create({
  name: "Ramp",
  external_plan_id: "ramp",
  currency: "USD",
  plan_phases: [{ order: 1, duration: 1, duration_unit: "monthly" }, { order: 2 }],
  prices: [
    { plan_phase_order: 1, price: { ...fee("20.00"), reference_id: "first" } },
    { plan_phase_order: 2, price: fee("60.00") },
  ],
  adjustments: [
    { plan_phase_order: 1, adjustment: { adjustment_type: "percentage_discount", percentage_discount: 0.5, applies_to_price_ids: ["first"], is_invoice_level: false } },
    { plan_phase_order: 2, adjustment: { adjustment_type: "minimum", minimum_amount: "75.00", item_id: item.id } },
  ],
});
assert.deepEqual(ramp.plan_phases?.map((phase) => phase.order), [1, 2]);
assert.deepEqual(ramp.adjustments.map((a) => a.adjustment_type), ["percentage_discount", "minimum"]);
const second = await orb.beta.createPlanVersion(ramp.id, {
  version: 2,
  replace_prices: [{ replaces_price_id: ramp.prices[1]!.id, price: fee("70.00") }],
  set_as_default: true,
});
assert.equal(second.prices[1]!.replaces_price_id, ramp.prices[1]!.id);
assert.equal((await orb.beta.externalPlanID.fetchPlanVersion("2", { external_plan_id: "ramp" })).version, 2);
assert.equal((await orb.plans.fetch(ramp.id)).version, 2);
assert.equal((await orb.beta.setDefaultPlanVersion(ramp.id, { version: 1 })).version, 1);

// Dimensional prices, license types, add-on prices.
const group = await orb.dimensionalPriceGroups.create({ name: "Machines", billable_metric_id: metric.id, dimensions: ["region"], external_dimensional_price_group_id: "machines" });
assert.equal((await orb.dimensionalPriceGroups.externalDimensionalPriceGroupID.retrieve("machines")).id, group.id);
const local = await orb.prices.create({
  ...fee("0.25"),
  currency: "USD",
  billable_metric_id: metric.id,
  external_price_id: "local",
  dimensional_price_configuration: { dimensional_price_group_id: group.id, dimension_values: ["eu"] },
});
assert.deepEqual(local.dimensional_price_configuration?.dimension_values, ["eu"]);
assert.equal((await orb.prices.externalPriceID.update("local", { metadata: { team: "a" } })).metadata["team"], "a");
const seats = await orb.licenseTypes.create({ name: "Seat", grouping_key: "seat" });
assert.equal((await orb.licenseTypes.retrieve(seats.id)).name, "Seat");

// A subscription with a price and an adjustment of its own, and a coupon.
const coupon = await orb.coupons.create({ redemption_code: "WELCOME", discount: { discount_type: "percentage", percentage_discount: 0.1 }, duration_in_months: 3 });
const customer = await orb.customers.create({ name: "Catalog", email: "billing@example.com" });
const subscription = await orb.subscriptions.create({
  customer_id: customer.id,
  plan_id: ramp.id,
  plan_version_number: 2,
  add_prices: [{ external_price_id: "local" }],
  replace_prices: [{ replaces_price_id: second.prices[0]!.id, fixed_price_quantity: 3 }],
  add_adjustments: [{ adjustment: { adjustment_type: "maximum", maximum_amount: "500.00" } }],
});
assert.equal(subscription.active_plan_phase_order, 1);
assert.deepEqual(subscription.adjustment_intervals.map((i) => i.adjustment.adjustment_type), ["percentage_discount", "minimum", "maximum"]);
const redeemed = await orb.subscriptions.redeemCoupon(subscription.id, { change_option: "immediate", coupon_redemption_code: "WELCOME" });
assert.equal(redeemed.redeemed_coupon?.coupon_id, coupon.id);
assert.equal((await orb.coupons.fetch(coupon.id)).times_redeemed, 1);
const upcoming = await orb.invoices.fetchUpcoming({ subscription_id: subscription.id });
assert.ok(upcoming.line_items.every((line) => Array.isArray(line.adjustments)));

// What prices come to, without a subscription.
const day = { timeframe_start: "2023-12-01T00:00:00Z", timeframe_end: "2023-12-02T00:00:00Z" };
const evaluated = await orb.prices.evaluatePreviewEvents({
  ...day,
  customer_id: customer.id,
  events: [1, 2, 3].map((n) => ({ event_name: "call", timestamp: `2023-12-01T0${n}:00:00Z`, properties: { region: n === 3 ? "us" : "eu" } })),
  price_evaluations: [{ external_price_id: "local" }, { price: { ...fee("2.00"), currency: "USD", billable_metric_id: metric.id }, grouping_keys: ["region"] }],
});
assert.deepEqual(evaluated.data.map((e) => e.price_groups.map((g) => [g.grouping_values, g.amount])), [[[[], "0.50"]], [[["eu"], "4.00"], [["us"], "2.00"]]]);
await assert.rejects(orb.coupons.create({ redemption_code: "WELCOME", discount: { discount_type: "amount", amount_discount: "5.00" } }), Orb.BadRequestError);

console.log(`It read back a plan with ${all.length} models, and a catalog of every other kind.`);

// Reads, lists and edits what is sold and who buys it, by each of its names, with the
// client that the hosted service publishes.
import assert from "node:assert/strict";
import { advance, every, first, orb } from "./orb.js";

const run = Date.now().toString(36);

// What is sold.
const item = await orb.items.create({ name: "Machine" });
assert.equal((await first(orb.items.list())).name, "Machine");

const metric = await orb.metrics.create({ name: "Hours", item_id: item.id, description: "By region", sql: "SELECT SUM(hours) FROM events WHERE event_name = 'ran'" });
assert.deepEqual((await orb.metrics.update(metric.id, { metadata: { unit: "h" } })).metadata, { unit: "h" });
assert.equal((await orb.metrics.fetch(metric.id)).description, "By region");

const fee = (amount: string) => ({ name: "Fee", item_id: item.id, cadence: "monthly", model_type: "unit", unit_config: { unit_amount: amount } }) as const;
const alias = `machines/${run}`;
const plan = await orb.plans.create({ name: "Machines", external_plan_id: alias, currency: "USD", prices: [{ price: fee("10.00") }] });
assert.equal((await first(orb.plans.list())).id, plan.id);
assert.equal((await orb.plans.update(plan.id, { metadata: { a: "1" } })).metadata["a"], "1");
assert.equal((await orb.plans.externalPlanID.update(alias, { metadata: { a: "2" } })).metadata["a"], "2");
const dearer = { version: 2, replace_prices: [{ replaces_price_id: plan.prices[0]!.id, price: fee("11.00") }] };
assert.equal((await orb.beta.externalPlanID.createPlanVersion(alias, dearer)).version, 2);
assert.equal((await orb.beta.fetchPlanVersion("2", { plan_id: plan.id })).version, 2);
assert.equal((await orb.beta.externalPlanID.setDefaultPlanVersion(alias, { version: 2 })).version, 2);

const hours = await orb.prices.create({ ...fee("0.25"), name: "Hours", currency: "USD", billable_metric_id: metric.id, external_price_id: `hours-${run}` });
assert.equal((await first(orb.prices.list())).id, hours.id);
assert.equal((await orb.prices.fetch(hours.id)).name, "Hours");
assert.equal((await orb.prices.externalPriceID.fetch(`hours-${run}`)).id, hours.id);
assert.equal((await orb.prices.update(hours.id, { metadata: { team: "b" } })).metadata["team"], "b");

const group = await orb.dimensionalPriceGroups.create({ name: "Regions", billable_metric_id: metric.id, dimensions: ["region"], external_dimensional_price_group_id: `regions-${run}` });
assert.equal((await first(orb.dimensionalPriceGroups.list())).id, group.id);
assert.equal((await orb.dimensionalPriceGroups.retrieve(group.id)).name, "Regions");
assert.deepEqual((await orb.dimensionalPriceGroups.update(group.id, { metadata: { a: "1" } })).metadata, { a: "1" });
assert.deepEqual((await orb.dimensionalPriceGroups.externalDimensionalPriceGroupID.update(`regions-${run}`, { metadata: { a: "2" } })).metadata, { a: "2" });

const kind = await orb.licenseTypes.create({ name: `Machine ${run}`, grouping_key: `machine_${run}` });
assert.ok((await every(orb.licenseTypes.list())).some((type) => type.id === kind.id));

// Who buys it.
const buyer = await orb.customers.create({ name: "Reader", email: "reader@example.com", external_customer_id: `reader/${run}`, currency: "USD" });
assert.equal((await first(orb.customers.list())).id, buyer.id);
assert.equal((await orb.customers.update(buyer.id, { name: "Read" })).name, "Read");
assert.deepEqual((await orb.customers.updateByExternalID(`reader/${run}`, { metadata: { tier: "1" } })).metadata, { tier: "1" });
assert.equal((await orb.customers.fetch(buyer.id)).name, "Read");
const passing = await orb.customers.create({ name: "Passing", email: "passing@example.com" });
await orb.customers.delete(passing.id);

const moved = await orb.customers.balanceTransactions.create(buyer.id, { amount: "5.00", type: "increment" });
assert.equal(moved.ending_balance, "5.00");
assert.equal((await first(orb.customers.balanceTransactions.list(buyer.id))).id, moved.id);

const coupon = await orb.coupons.create({ redemption_code: `HELLO-${run}`, discount: { discount_type: "percentage", percentage_discount: 0.5 } });
const subscription = await orb.subscriptions.create({ customer_id: buyer.id, plan_id: plan.id, coupon_redemption_code: `HELLO-${run}`, add_prices: [{ price_id: hours.id }] });
assert.equal((await first(orb.coupons.list())).id, coupon.id);
assert.equal((await first(orb.coupons.subscriptions.list(coupon.id))).id, subscription.id);
assert.ok((await orb.coupons.archive(coupon.id)).archived_at);

// What they use and what it costs.
assert.equal((await orb.subscriptions.fetch(subscription.id)).id, subscription.id);
assert.equal((await first(orb.subscriptions.list({ customer_id: [buyer.id] }))).id, subscription.id);
assert.deepEqual((await orb.subscriptions.update(subscription.id, { metadata: { po: "7" } })).metadata, { po: "7" });
const now = subscription.start_date.slice(0, 10);
await orb.events.ingest({ events: [{ idempotency_key: `ran-${run}`, event_name: "ran", customer_id: buyer.id, timestamp: `${now}T00:00:01Z`, properties: { hours: 8, region: "eu" } }] });
const usage = await orb.subscriptions.fetchUsage(subscription.id, { billable_metric_id: metric.id });
assert.equal(usage.data[0]?.usage[0]?.quantity, 8);
const costs = await orb.customers.costs.list(buyer.id);
assert.equal(costs.data[0]?.per_price_costs.find((cost) => cost.price_id === hours.id)?.subtotal, "2.00");
assert.equal((await first(orb.subscriptions.fetchSchedule(subscription.id))).plan?.id, plan.id);
const frame = { timeframe_start: `${now}T00:00:00Z`, timeframe_end: `${now}T12:00:00Z`, customer_id: buyer.id };
assert.equal((await orb.prices.evaluate(hours.id, frame)).data[0]?.amount, "2.00");
assert.equal((await orb.prices.evaluateMultiple({ ...frame, price_evaluations: [{ price_id: hours.id }] })).data[0]?.price_groups[0]?.amount, "2.00");

// Extensions of this server, which the client has no names for.
const clock = await orb.get<{ now: string }>("/test_clock");
assert.ok(Date.parse(clock.now));
await advance(clock.now);

console.log("It read, listed and edited every kind of record.");

// Alerts, with the client that the hosted service publishes.
import assert from "node:assert/strict";
import { every, orb } from "./orb.js";

const alias = `watched-${Date.now().toString(36)}`;

const item = await orb.items.create({ name: "Doors" });
const metric = await orb.metrics.create({ name: "Openings", item_id: item.id, description: null, sql: "SELECT COUNT(*) FROM events WHERE event_name = 'opened'" });
const price = { name: "Openings", item_id: item.id, cadence: "monthly", billable_metric_id: metric.id, model_type: "unit", unit_config: { unit_amount: "1.00" } } as const;
const plan = await orb.plans.create({ name: "Doors", currency: "USD", prices: [{ price }] });
const customer = await orb.customers.create({ name: "Watched", email: "watched@example.com", external_customer_id: alias });
const subscription = await orb.subscriptions.create({ customer_id: customer.id, plan_id: plan.id });

const usage = await orb.alerts.createForSubscription(subscription.id, { type: "usage_exceeded", metric_id: metric.id, thresholds: [{ value: 10 }] });
assert.deepEqual(usage.thresholds, [{ value: 10 }]);
assert.deepEqual((await orb.alerts.update(usage.id, { thresholds: [{ value: 20 }, { value: 30 }] })).thresholds?.map((t) => t.value), [20, 30]);
assert.equal((await orb.alerts.disable(usage.id)).enabled, false);
assert.equal((await orb.alerts.enable(usage.id)).enabled, true);
assert.equal((await orb.alerts.retrieve(usage.id)).type, "usage_exceeded");
assert.equal((await orb.alerts.createForCustomer(customer.id, { type: "credit_balance_dropped", currency: "USD", thresholds: [{ value: 5 }] })).customer?.id, customer.id);
const depleted = await orb.alerts.createForExternalCustomer(alias, { type: "credit_balance_depleted", currency: "USD" });
assert.equal((await every(orb.alerts.list({ customer_id: customer.id }))).length, 2);
await orb.alerts.delete(depleted.id);
assert.equal((await every(orb.alerts.list({ external_customer_id: alias }))).length, 1);

// The client has no name for alerts of plans.
const ofPlan = await orb.post<{ id: string; plan: { id: string } }>(`/alerts/plan_id/${plan.id}`, { body: { type: "cost_exceeded", thresholds: [{ value: 100 }] } });
assert.equal(ofPlan.plan.id, plan.id);
assert.ok(await orb.alerts.disable(ofPlan.id, { subscription_id: subscription.id }));

console.log("It kept alerts of customers, subscriptions and plans.");

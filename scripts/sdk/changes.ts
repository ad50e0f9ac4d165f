// Changes of a subscription's prices, of its trial, changes that wait and migrations, with
// the client that the hosted service publishes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { every, orb, required } from "./orb.js";

const item = await orb.items.create({ name: "Rooms" });
const fee = (amount: string) => ({ name: "Rooms", item_id: item.id, cadence: "monthly", model_type: "unit", unit_config: { unit_amount: amount } }) as const;
const plan = await orb.plans.create({ name: "Rooms", currency: "USD", prices: [{ price: fee("10.00") }] });
const customer = await orb.customers.create({ name: "Changer", email: "changer@example.com" });
const subscription = await orb.subscriptions.create({ customer_id: customer.id, plan_id: plan.id, trial_duration_days: 14 });
assert.ok(subscription.trial_info?.end_date);
const ended = await orb.subscriptions.updateTrial(subscription.id, { trial_end_date: "immediate" });
assert.ok(Date.parse(ended.trial_info!.end_date!) < Date.parse(subscription.trial_info!.end_date!));

// A price of its own, ended again.
const added = await orb.subscriptions.priceIntervals(subscription.id, {
  add: [{ start_date: subscription.start_date, price: { ...fee("3.00"), name: "Garden", currency: "USD" } }],
});
const garden = added.price_intervals.find((interval) => interval.price.name === "Garden");
assert.ok(garden);
const later = new Date(Date.parse(subscription.start_date) + 40 * 86_400_000).toISOString();
const edited = await orb.subscriptions.priceIntervals(subscription.id, { edit: [{ price_interval_id: garden.id, end_date: later }] });
assert.ok(edited.price_intervals.find((interval) => interval.id === garden.id)?.end_date);

// A change that waits, applied; and another that is let go.
const waiting = { headers: { "Create-Pending-Subscription-Change": "True" } };
const canceled = await orb.subscriptions.cancel(subscription.id, { cancel_option: "end_of_subscription_term" }, waiting);
const change = canceled.pending_subscription_change;
assert.ok(change, "the change waits");
assert.equal((await orb.subscriptionChanges.retrieve(change.id)).status, "pending");
assert.deepEqual((await every(orb.subscriptionChanges.list({ customer_id: customer.id }))).map((one) => one.id), [change.id]);
assert.equal((await orb.subscriptionChanges.cancel(change.id)).status, "cancelled");
assert.equal((await orb.subscriptions.fetch(subscription.id)).end_date, null);
const again = await orb.subscriptions.cancel(subscription.id, { cancel_option: "end_of_subscription_term" }, waiting);
assert.equal((await orb.subscriptionChanges.apply(again.pending_subscription_change!.id)).status, "applied");
assert.ok((await orb.subscriptions.fetch(subscription.id)).end_date);

// A migration to another version, planned on the command line, and let go before its day.
await orb.beta.createPlanVersion(plan.id, { version: 2, replace_prices: [{ replaces_price_id: plan.prices[0]!.id, price: fee("12.00") }] });
const far = new Date(Date.parse(subscription.start_date) + 90 * 86_400_000).toISOString().slice(0, 10);
execFileSync("./tollkeeper", ["plan", "migrate", "--account", required("ACCOUNT_ID"), plan.id, "--to", "2", "--effective", far]);
const [migration] = await every(orb.plans.migrations.list(plan.id));
assert.equal((await orb.plans.migrations.retrieve(migration!.id, { plan_id: plan.id })).status, "not_started");
assert.equal((await orb.plans.migrations.cancel(migration!.id, { plan_id: plan.id })).status, "canceled");

console.log("It changed prices and a trial, let changes wait, and let a migration go.");

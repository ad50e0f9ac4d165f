// Bills a small trace with the client that the hosted service publishes, and
// looks at the figures. Only the test clock is no operation of that service.
import assert from "node:assert/strict";
import Orb from "orb-billing";
import { advance, baseURL, orb } from "./orb.js";

assert.equal((await orb.topLevel.ping()).response, "pong");
await advance("2023-11-01T00:00:00Z");

const item = await orb.items.create({ name: "Language model" });
assert.equal((await orb.items.fetch(item.id)).name, "Language model");
const sum = (name: string, property: string) =>
  orb.metrics.create({
    name,
    item_id: item.id,
    description: null,
    sql: `SELECT SUM(${property}) FROM events WHERE event_name = 'completion'`,
  });
const input = await sum("Input tokens", "context_tokens");
const output = await sum("Output tokens", "generated_tokens");
const metrics = [];
for await (const metric of orb.metrics.list({ limit: 1 })) {
  metrics.push(metric.id);
}
assert.deepEqual(metrics, [output.id, input.id], "pages of one, newest first");

const base = { item_id: item.id, cadence: "monthly" } as const;
const plan = await orb.plans.create({
  name: "Language model",
  external_plan_id: "trace",
  currency: "USD",
  prices: [
    {
      price: {
        ...base,
        name: "Input tokens",
        billable_metric_id: input.id,
        model_type: "tiered",
        tiered_config: {
          tiers: [
            { first_unit: 0, last_unit: 5_000_000, unit_amount: "0.0000025" },
            { first_unit: 5_000_000, last_unit: 15_000_000, unit_amount: "0.000002" },
            { first_unit: 15_000_000, unit_amount: "0.0000015" },
          ],
        },
      },
    },
    { price: { ...base, name: "Output tokens", billable_metric_id: output.id, model_type: "unit", unit_config: { unit_amount: "0.00001" } } },
    { price: { ...base, name: "Platform", fixed_price_quantity: 1, billed_in_advance: true, model_type: "unit", unit_config: { unit_amount: "20.00" } } },
  ],
});
assert.equal((await orb.plans.externalPlanID.fetch("trace")).id, plan.id);

const customer = await orb.customers.create({ name: "Trace", email: "billing@example.com", external_customer_id: "acme/1", timezone: "UTC" });
assert.equal((await orb.customers.fetchByExternalID("acme/1")).id, customer.id, "a slash in an alias");
const subscription = await orb.subscriptions.create({ customer_id: customer.id, plan_id: plan.id, start_date: "2023-11-01" });
assert.equal(subscription.status, "active");

await advance("2023-11-16T18:20:00Z");
const events = [[6_000_000, 150], [10_000_001, 350], [0, 0]].map(([context_tokens, generated_tokens], n) => ({
  idempotency_key: `row-${n}`,
  event_name: "completion",
  external_customer_id: "acme/1",
  timestamp: `2023-11-16T18:17:0${n}Z`,
  properties: { context_tokens, generated_tokens },
}));
for (const _ of ["once", "and again"]) {
  assert.deepEqual((await orb.events.ingest({ events })).validation_failed, []);
}

// What came by mistake is amended, taken out of the count, and known all the same.
const mistake = { event_name: "completion", external_customer_id: "acme/1", timestamp: "2023-11-16T18:19:00Z", properties: { context_tokens: 1 } };
await orb.events.ingest({ events: [{ ...mistake, idempotency_key: "by/mistake" }] });
assert.equal((await orb.events.update("by/mistake", { ...mistake, properties: { context_tokens: 2 } })).amended, "by/mistake");
assert.equal((await orb.events.deprecate("by/mistake")).deprecated, "by/mistake");
await assert.rejects(orb.events.ingest({ events: [{ ...mistake, idempotency_key: "by/mistake" }] }), Orb.BadRequestError);
const found = await orb.events.search({ event_ids: ["BY/MISTAKE", "by/mistake", "row-0"] });
assert.deepEqual(found.data.map((event) => [event.id, event.deprecated, event.properties["context_tokens"]]), [["by/mistake", true, 2], ["row-0", false, 6_000_000]]);
const volume = await orb.events.volume.list({ timeframe_start: "2023-11-16T17:30:00Z" });
assert.deepEqual(volume.data.map((hour) => hour.count), [0, 4]);

// Usage of a day that is over, added and taken back.
const day = { timeframe_start: "2023-11-03T00:00:00Z", timeframe_end: "2023-11-04T00:00:00Z" };
const backfill = await orb.events.backfills.create({ ...day, external_customer_id: "acme/1", replace_existing_events: false });
assert.deepEqual([backfill.status, backfill.customer_id, backfill.close_time], ["pending", customer.id, "2023-11-17T18:20:00+00:00"]);
await assert.rejects(orb.events.backfills.create(day), Orb.BadRequestError, "one overlaps it");
const forgotten = { ...events[0]!, idempotency_key: "forgotten", timestamp: "2023-11-03T12:00:00Z" };
await orb.events.ingest({ backfill_id: backfill.id, events: [forgotten] });
await assert.rejects(orb.events.ingest({ backfill_id: backfill.id, events }), Orb.BadRequestError, "events of another day");
const before = await orb.subscriptions.fetchCosts(subscription.id);
assert.equal((await orb.events.backfills.close(backfill.id)).events_ingested, 1);
await reaches("reflected");
assert.notDeepEqual(await orb.subscriptions.fetchCosts(subscription.id), before);
assert.equal((await orb.events.backfills.revert(backfill.id)).status, "pending_revert");
await reaches("reverted");
assert.deepEqual(await orb.subscriptions.fetchCosts(subscription.id), before);
for await (const { id } of orb.events.backfills.list()) {
  assert.equal(id, backfill.id);
}

// 5,000,000 x 0.0000025 + 10,000,000 x 0.000002 + 1,000,001 x 0.0000015 = 34.0000015, and 500 x 0.00001 = half a cent.
const costs = await orb.subscriptions.fetchCosts(subscription.id, { view_mode: "cumulative" });
assert.deepEqual(amounts(costs.data.at(-1)?.per_price_costs.map((cost) => [cost.price.name, cost.total])), {
  "Input tokens": "34.00",
  "Output tokens": "0.01",
  Platform: "20.00",
});
assert.equal((await orb.customers.costs.listByExternalID("acme/1")).data.length, costs.data.length);

await advance("2023-12-02T00:00:00Z");
const invoices = [];
for await (const invoice of orb.invoices.list({ subscription_id: subscription.id, limit: 1 })) {
  invoices.push(invoice);
}
assert.deepEqual(invoices.map((invoice) => [invoice.status, invoice.total]), [["issued", "54.01"], ["issued", "20.00"]]);
const november = await orb.invoices.fetch(invoices[0]!.id);
assert.deepEqual(amounts(november.line_items.map((line) => [line.name, line.amount])), {
  "Input tokens": "34.00",
  "Output tokens": "0.01",
  Platform: "20.00",
});

await assert.rejects(orb.customers.fetch("nobody"), Orb.NotFoundError);
await assert.rejects(orb.items.create({ name: "" }), Orb.BadRequestError);
await assert.rejects(new Orb({ apiKey: "wrong", baseURL }).topLevel.ping(), Orb.AuthenticationError);

console.log(`The client of the hosted service got the invoices ${invoices.map((invoice) => invoice.invoice_number).join(" and ")}.`);

async function reaches(status: string): Promise<void> {
  while ((await orb.events.backfills.fetch(backfill.id)).status !== status) {
    // it follows at once
  }
}

function amounts(pairs: (readonly [string, string])[] | undefined): Record<string, string> {
  return Object.fromEntries(pairs ?? []);
}

// Bills a small trace with clients that generators make of openapi.yaml as it is: each has an
// account of its own, whose keys come in KEYS.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./optional.js";
import { client as hey } from "./generated/client.gen.js";
import * as heyApi from "./generated/sdk.gen.js";
import * as orval from "./orval/client.js";
import { Api } from "./swagger/api.js";
import * as codegen from "./codegen/index.js";
import * as oazapfts from "./oazapfts/api.js";

const baseUrl = process.env["SERVER_URL"]!;
const keys = process.env["KEYS"]!.trim().split(/\s+/);

const start = { now: "2025-03-01T00:00:00Z" };
const end = { now: "2025-04-02T00:00:00Z" };
const item = { name: "Calls" };
const metric = (item_id: string) => ({ name: "Calls", description: null, item_id, sql: "SELECT SUM(n) FROM events WHERE event_name = 'call'" });
const price = (item_id: string, billable_metric_id: string) =>
  ({ name: "Calls", item_id, billable_metric_id, cadence: "monthly", model_type: "unit", unit_config: { unit_amount: "0.25" } }) as const;
const customer = { name: "Plain", email: "bills@example.com", external_customer_id: "plain" };
const events = [
  { idempotency_key: "plain", event_name: "call", external_customer_id: "plain", timestamp: "2025-03-01T00:00:00Z", properties: { n: 7 } },
];

type Client = {
  advance(to: { now: string }): Promise<unknown>;
  item(): Promise<string | undefined>;
  metric(item: string): Promise<string | undefined>;
  plan(item: string, metric: string): Promise<string | undefined>;
  customer(): Promise<string | undefined>;
  subscription(customer: string, plan: string): Promise<string | undefined>;
  ingest(): Promise<unknown>;
  totals(subscription: string): Promise<string[] | undefined>;
};

const clients: Record<string, (key: string) => Client> = {
  "openapi-typescript": (key) => {
    const c = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
    return {
      advance: (body) => c.POST("/v1/test_clock/advance", { body }),
      item: async () => (await c.POST("/v1/items", { body: item })).data?.id,
      metric: async (id) => (await c.POST("/v1/metrics", { body: metric(id) })).data?.id,
      plan: async (i, m) => (await c.POST("/v1/plans", { body: { name: "Plain", currency: "USD", prices: [{ price: price(i, m) }] } })).data?.id,
      customer: async () => (await c.POST("/v1/customers", { body: customer })).data?.id,
      subscription: async (customer_id, plan_id) => (await c.POST("/v1/subscriptions", { body: { customer_id, plan_id } })).data?.id,
      ingest: () => c.POST("/v1/ingest", { body: { events } }),
      totals: async (subscription_id) =>
        (await c.GET("/v1/invoices", { params: { query: { subscription_id } } })).data?.data.map((invoice) => invoice.total),
    };
  },
  "hey-api": (key) => {
    hey.setConfig({ baseUrl, auth: key });
    return {
      advance: (body) => heyApi.advanceTestClock({ body }),
      item: async () => (await heyApi.createItem({ body: item })).data?.id,
      metric: async (id) => (await heyApi.createMetric({ body: metric(id) })).data?.id,
      plan: async (i, m) => (await heyApi.createPlan({ body: { name: "Plain", currency: "USD", prices: [{ price: price(i, m) }] } })).data?.id,
      customer: async () => (await heyApi.createCustomer({ body: customer })).data?.id,
      subscription: async (customer_id, plan_id) => (await heyApi.createSubscription({ body: { customer_id, plan_id } })).data?.id,
      ingest: () => heyApi.ingest({ body: { events } }),
      totals: async (subscription_id) => (await heyApi.listInvoices({ query: { subscription_id } })).data?.data.map((invoice) => invoice.total),
    };
  },
  orval: (key) => {
    const options = { headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } };
    return {
      advance: (to) => orval.advanceTestClock(to, options),
      item: async () => made(await orval.createItem(item, options)),
      metric: async (id) => made(await orval.createMetric(metric(id), options)),
      plan: async (i, m) => made(await orval.createPlan({ name: "Plain", currency: "USD", prices: [{ price: price(i, m) }] }, options)),
      customer: async () => made(await orval.createCustomer(customer, options)),
      subscription: async (customer_id, plan_id) => made(await orval.createSubscription({ customer_id, plan_id }, undefined, options)),
      ingest: () => orval.ingest({ events }, undefined, options),
      totals: async (subscription_id) => {
        const answer = await orval.listInvoices({ subscription_id }, options);
        return answer.status === 200 ? answer.data.data.map((invoice) => invoice.total) : undefined;
      },
    };
  },
  "swagger-typescript-api": (key) => {
    const { v1 } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${key}` } } });
    return {
      advance: (to) => v1.advanceTestClock(to),
      item: async () => (await v1.createItem(item)).data.id,
      metric: async (id) => (await v1.createMetric(metric(id))).data.id,
      // It takes a union that may be null for undefined.
      plan: async (i, m) => (await v1.createPlan({ name: "Plain", currency: "USD", prices: [{ price: price(i, m) as never }] })).data.id,
      customer: async () => (await v1.createCustomer(customer)).data.id,
      subscription: async (customer_id, plan_id) => (await v1.createSubscription({ customer_id, plan_id })).data.id,
      ingest: () => v1.ingest({ events }),
      totals: async (subscription_id) => (await v1.listInvoices({ subscription_id })).data.data.map((invoice) => invoice.total),
    };
  },
  oazapfts: (key) => {
    Object.assign(oazapfts.defaults, { baseUrl, headers: { Authorization: `Bearer ${key}` } });
    return {
      advance: (to) => oazapfts.advanceTestClock(to),
      item: async () => made(await oazapfts.createItem(item)),
      metric: async (id) => made(await oazapfts.createMetric(metric(id))),
      plan: async (i, m) => made(await oazapfts.createPlan({ name: "Plain", currency: "USD", prices: [{ price: price(i, m) }] })),
      customer: async () => made(await oazapfts.createCustomer(customer)),
      subscription: async (customer_id, plan_id) => made(await oazapfts.createSubscription({ customer_id, plan_id })),
      ingest: () => oazapfts.ingest({ events }),
      totals: async (subscriptionId) => {
        const { data } = await oazapfts.listInvoices({ subscriptionId });
        return "data" in data ? data.data.map((invoice) => invoice.total) : undefined;
      },
    };
  },
  "openapi-typescript-codegen": (key) => {
    codegen.OpenAPI.BASE = baseUrl;
    codegen.OpenAPI.TOKEN = key;
    const id = (answer: codegen.Problem | { id: string }) => ("id" in answer ? answer.id : undefined);
    return {
      advance: (to) => codegen.TestClockService.advanceTestClock(to),
      item: async () => id(await codegen.ItemsService.createItem(item)),
      metric: async (item) => id(await codegen.MetricsService.createMetric(metric(item))),
      // Its enumerations are types of their own, which take no text.
      plan: async (i, m) => id(await codegen.PlansService.createPlan({ name: "Plain", currency: "USD", prices: [{ price: price(i, m) as never }] })),
      customer: async () => id(await codegen.CustomersService.createCustomer(customer)),
      subscription: async (customer_id, plan_id) => id(await codegen.SubscriptionsService.createSubscription({ customer_id, plan_id })),
      ingest: () => codegen.UsageEventsService.ingest({ events }),
      totals: async (subscription) => {
        const none = undefined;
        const page = await codegen.InvoicesService.listInvoices(20, none, none, none, none, none, none, subscription);
        return "data" in page ? page.data.map((invoice) => invoice.total) : undefined;
      },
    };
  },
};

function made(answer: { status: number; data: unknown }): string | undefined {
  return answer.status === 201 ? (answer.data as { id: string }).id : undefined;
}

for (const [name, connect] of Object.entries(clients)) {
  const key = keys.shift();
  assert.ok(key, "a key for each client");
  const c = connect(key);
  await c.advance(start);
  const items = await c.item();
  assert.ok(items, `${name}: item`);
  const metrics = await c.metric(items);
  assert.ok(metrics, `${name}: metric`);
  const plan = await c.plan(items, metrics);
  assert.ok(plan, `${name}: plan`);
  const buyer = await c.customer();
  assert.ok(buyer, `${name}: customer`);
  const subscription = await c.subscription(buyer, plan);
  assert.ok(subscription, `${name}: subscription`);
  await c.ingest();
  await c.advance(end);
  assert.deepEqual(await c.totals(subscription), ["1.75"], name);
  console.log(`The client of ${name} got an invoice of 1.75.`);
}

// What people look at, and what would be: previews, sessions of the portal, the letterhead and documents made again. Most are
// extensions, for which the client that the hosted service publishes has no names.
import assert from "node:assert/strict";
import { orb } from "./orb.js";

const run = Date.now().toString(36);
const item = await orb.items.create({ name: "Maps" });
const fee = (amount: string) => ({ name: "Fee", item_id: item.id, cadence: "monthly", model_type: "unit", unit_config: { unit_amount: amount } }) as const;
const plan = await orb.plans.create({ name: "Maps", currency: "USD", prices: [{ price: fee("10.00") }] });
const other = await orb.plans.create({ name: "More maps", currency: "USD", prices: [{ price: fee("30.00") }] });
const alias = `viewer-${run}`;
const customer = await orb.customers.create({ name: "Viewer", email: "viewer@example.com", external_customer_id: alias, currency: "USD" });
const subscription = await orb.subscriptions.create({ customer_id: customer.id, plan_id: plan.id });

// What would be.
await orb.post("/metrics/preview", { body: { sql: "SELECT COUNT(*) FROM events" } });
const price = plan.prices[0];
assert.ok(price);
await orb.get(`/prices/${price.id}/calculation`, { query: { quantity: "3" } });
const start = subscription.start_date.slice(0, 10);
const end = new Date(Date.parse(start) + 40 * 24 * 3600 * 1000).toISOString().slice(0, 10);
await orb.post(`/plans/${plan.id}/simulate`, { body: { start_date: start, end_date: end, plan_version_number: 1 } });
await orb.post(`/subscriptions/${subscription.id}/preview_plan_change`, { body: { plan_id: other.id, change_option: "immediate" } });
assert.equal((await orb.subscriptions.fetch(subscription.id)).plan?.id, plan.id, "nothing is changed");

// What people see.
assert.ok(Array.isArray((await orb.get<{ data: unknown[] }>("/events")).data));
const letterhead = await orb.put<{ name: string }>("/letterhead", { body: { name: "Maple Road Maps Ltd", language: "en" } });
assert.equal((await orb.get<{ name: string }>("/letterhead")).name, letterhead.name);
for (const path of [`/customers/${customer.id}`, `/customers/external_customer_id/${alias}`]) {
  assert.match((await orb.post<{ url: string }>(`${path}/portal_sessions`, { body: {} })).url, /^http/);
}
await orb.customers.syncPaymentMethodsFromGateway(customer.id);
await orb.customers.syncPaymentMethodsFromGatewayByExternalCustomerID(alias);

// An invoice, drawn again.
const today = start;
const draft = await orb.invoices.create({
  customer_id: customer.id, currency: "USD", invoice_date: today, net_terms: 0,
  line_items: [{ item_id: item.id, model_type: "unit", name: "Set-up", quantity: 1, unit_config: { unit_amount: "100.00" }, start_date: today, end_date: today }],
});
const invoice = await orb.invoices.issue(draft.id);
const left = await orb.get<{ data: unknown[] }>(`/invoices/${invoice.id}/creditable_line_items`);
assert.equal(left.data.length, 1);
await orb.invoices.regenerateInvoicePdf(invoice.id);
await orb.invoices.markPaid(invoice.id, { payment_received_date: today });
await orb.invoices.regenerateReceiptPdf(invoice.id);

// Usage that was sent and counts for nothing.
const metric = await orb.metrics.create({ description: null, item_id: item.id, name: "Views", sql: "SELECT COUNT(*) FROM events" });
await orb.get(`/metrics/${metric.id}/uncounted_events`);
assert.equal((await orb.get<{ events: number }>("/events/changed_resends")).events, 0);

// Links that end.
const page = (await orb.invoices.fetch(invoice.id)).hosted_invoice_url;
const renewed = await orb.post<{ hosted_invoice_url: string }>(`/invoices/${invoice.id}/withdraw_links`);
assert.notEqual(renewed.hosted_invoice_url, page);
await orb.post(`/customers/${customer.id}/withdraw_portal_links`);

console.log("It saw what would be, and drew an invoice and its receipt again.");

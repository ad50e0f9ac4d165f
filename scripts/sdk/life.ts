// Walks a subscription through its life with the client that the hosted service
// publishes: made, changed, invoiced, paid, credited and canceled. Then what is invoiced
// by hand.
import assert from "node:assert/strict";
import type Orb from "orb-billing";
import { advance, every, orb } from "./orb.js";

const run = Date.now().toString(36);
const year = Number((await orb.get<{ now: string }>("/test_clock")).now.slice(0, 4)) + 1;
const at = (day: string) => `${year}-${day}T00:00:00Z`;
await advance(at("03-01"));

const item = await orb.items.create({ name: "Seats" });
const fee = (amount: string) =>
  ({ name: "Seats", item_id: item.id, cadence: "monthly", model_type: "unit", fixed_price_quantity: 2, billed_in_advance: true, unit_config: { unit_amount: amount } }) as const;
const small = await orb.plans.create({ name: "Small", currency: "USD", plan_phases: [{ order: 1, duration: 6 }, { order: 2 }], prices: [1, 2].map((order) => ({ plan_phase_order: order, price: fee("10.00") })) });
const large = await orb.plans.create({ name: "Large", currency: "USD", prices: [{ price: fee("25.00") }] });
const customer = await orb.customers.create({
  name: "Walker",
  email: "walker@example.com",
  external_customer_id: `walker-${run}`,
  auto_collection: false,
  payment_provider: "stripe_charge",
  payment_provider_id: "card",
});

// Made, and billed for March in advance.
const subscription = await orb.subscriptions.create({ customer_id: customer.id, plan_id: small.id });
const march = subscription.changed_resources!.created_invoices[0]!;
assert.deepEqual([march.status, march.total], ["issued", "20.00"]);

// Paid: by a transfer.
const paid = await orb.invoices.markPaid(march.id, { payment_received_date: `${year}-03-01`, notes: "Transfer" });
assert.equal(paid.status, "paid");

// Changed: a seat more from the middle of March, what was only planned let go, and the larger plan from April on.
await advance(at("03-16"));
const price = subscription.price_intervals.find((interval) => interval.price.price_type === "fixed_price")!.price.id;
const seats = await orb.subscriptions.updateFixedFeeQuantity(subscription.id, { price_id: price, quantity: 3 });
assert.deepEqual(seats.fixed_fee_quantity_schedule.map((entry) => entry.quantity), [2, 3, 2]);
await orb.subscriptions.updateFixedFeeQuantity(subscription.id, { price_id: price, quantity: 9, change_option: "upcoming_invoice" });
const asBefore = await orb.subscriptions.unscheduleFixedFeeQuantityUpdates(subscription.id, { price_id: price });
assert.deepEqual(asBefore.fixed_fee_quantity_schedule.map((entry) => entry.quantity), [2, 3, 2]);
await orb.subscriptions.triggerPhase(subscription.id, { effective_date: `${year}-03-20` });
const planned = { plan_id: large.id, change_option: "requested_date", change_date: `${year}-04-01` } as const;
assert.ok((await orb.subscriptions.schedulePlanChange(subscription.id, planned)).pending_subscription_change === null);
await orb.subscriptions.unschedulePendingPlanChanges(subscription.id);
assert.equal((await orb.subscriptions.fetch(subscription.id)).plan?.id, small.id);
await orb.subscriptions.schedulePlanChange(subscription.id, planned);
await advance(at("04-02"));
assert.equal((await orb.subscriptions.fetch(subscription.id)).plan?.id, large.id);

// Invoiced, and paid with a card that the gateway knows.
const bills = await every(orb.invoices.list({ subscription_id: subscription.id, "status[]": ["issued"] } as Orb.InvoiceListParams));
const april = bills.find((bill) => bill.total === "50.00");
assert.ok(april, JSON.stringify(bills.map((bill) => [bill.invoice_date, bill.total])));
assert.equal((await orb.invoices.pay(april.id, { shared_payment_token_id: "card" })).status, "paid");
const told = await orb.get<{ steps?: unknown[] }>(`/invoices/${april.id}/line_items/${april.line_items[0]!.id}/explanation`);
assert.ok(told);

// Credited by hand.
const note = await orb.creditNotes.create({ reason: "product_unsatisfactory", memo: "Sorry", line_items: [{ invoice_line_item_id: april.line_items[0]!.id, amount: "5.00" }] });
assert.deepEqual([note.total, note.type], ["5.00", "refund"]);
assert.equal((await orb.creditNotes.fetch(note.id)).memo, "Sorry");
assert.equal((await every(orb.creditNotes.list())).find((one) => one.id === note.id)?.credit_note_number, note.credit_note_number);

// Canceled, let go on, and canceled for good: the rest of April is given back.
const leaving = await orb.subscriptions.cancel(subscription.id, { cancel_option: "end_of_subscription_term" });
assert.ok(leaving.end_date);
assert.equal((await orb.subscriptions.unscheduleCancellation(subscription.id)).end_date, null);
await advance(at("04-16"));
const left = await orb.subscriptions.cancel(subscription.id, { cancel_option: "immediate" });
assert.equal(left.status, "ended");
assert.equal(left.changed_resources!.created_credit_notes[0]!.total, "22.50");
assert.ok(Number((await orb.customers.fetch(customer.id)).balance) > 0);

// Invoices by hand: drafted, changed, issued and made void.
const line = { name: "Setup", item_id: item.id, model_type: "unit", quantity: 1, unit_config: { unit_amount: "40.00" }, start_date: `${year}-04-16`, end_date: `${year}-04-16` } as const;
const draft = async () => orb.invoices.create({ currency: "USD", customer_id: customer.id, invoice_date: at("04-16"), net_terms: 7, line_items: [line] });
const first = await draft();
assert.equal((await orb.invoices.update(first.id, { metadata: { po: "11" } })).metadata["po"], "11");
const added = await orb.invoiceLineItems.create({ invoice_id: first.id, name: "Travel", amount: "12.00", quantity: 1, start_date: `${year}-04-16`, end_date: `${year}-04-16` });
assert.equal((await orb.invoices.fetch(first.id)).subtotal, "52.00");
await orb.invoices.deleteLineItem(added.id, { invoice_id: first.id });
const issued = await orb.invoices.issue(first.id);
assert.deepEqual([issued.status, issued.subtotal], ["issued", "40.00"]);
assert.equal((await orb.invoices.void(issued.id)).status, "void");
const second = await orb.invoices.issueSummary((await draft()).id);
assert.equal((await every(orb.invoices.listSummary({ customer_id: customer.id }))).find((bill) => bill.id === second.id)?.total, "40.00");

console.log(`It walked a subscription through ${bills.length + 1} invoices and ${left.changed_resources!.created_credit_notes.length + 1} credit notes.`);

// Prepaid credits with the client that the hosted service publishes.
import assert from "node:assert/strict";
import { every, orb } from "./orb.js";

const alias = `saver-${Date.now().toString(36)}`;

const customer = await orb.customers.create({ name: "Saver", email: "saver@example.com", external_customer_id: alias, currency: "USD" });
const granted = await orb.customers.credits.ledger.createEntry(customer.id, { entry_type: "increment", amount: 100, currency: "USD" });
assert.deepEqual([granted.entry_type, granted.starting_balance, granted.ending_balance], ["increment", 0, 100]);
await orb.customers.credits.ledger.createEntryByExternalID(alias, { entry_type: "increment", amount: 50, currency: "USD" });

const blocks = await every(orb.customers.credits.list(customer.id, { currency: "USD" }));
assert.deepEqual(blocks.map((block) => block.balance).sort(), [100, 50]);
assert.equal((await every(orb.customers.credits.listByExternalID(alias, { currency: "USD" }))).length, 2);
const entries = await every(orb.customers.credits.ledger.list(customer.id, { currency: "USD" }));
assert.equal(entries[0]!.ending_balance, 150);
assert.equal((await every(orb.customers.credits.ledger.listByExternalID(alias, { currency: "USD" }))).length, entries.length);

// Sold, and taken back.
const sold = await orb.customers.credits.ledger.createEntry(customer.id, {
  entry_type: "increment",
  amount: 20,
  currency: "USD",
  per_unit_cost_basis: "1.00",
  invoice_settings: { auto_collection: false, net_terms: 7 },
});
const block = await orb.creditBlocks.retrieve(sold.credit_block.id);
assert.equal(block.balance, 20);
assert.equal((await orb.creditBlocks.listInvoices(block.id)).invoices.length, 1);
await orb.creditBlocks.delete(blocks[0]!.id);

// Bought again whenever few are left, by each of the customer's names.
const wish = { amount: "10", currency: "USD", per_unit_cost_basis: "1.00", threshold: "5", invoice_settings: { auto_collection: false, net_terms: 7 } };
const topUp = await orb.customers.credits.topUps.create(customer.id, wish);
assert.deepEqual((await every(orb.customers.credits.topUps.list(customer.id))).map((one) => one.id), [topUp.id]);
await orb.customers.credits.topUps.delete(topUp.id, { customer_id: customer.id });
const again = await orb.customers.credits.topUps.createByExternalID(alias, wish);
assert.deepEqual((await every(orb.customers.credits.topUps.listByExternalID(alias))).map((one) => one.id), [again.id]);
await orb.customers.credits.topUps.deleteByExternalID(again.id, { external_customer_id: alias });

console.log(`It kept a ledger of ${entries.length} entries.`);

// Licenses, with the client that the hosted service publishes.
import assert from "node:assert/strict";
import type Orb from "orb-billing";
import { every, orb } from "./orb.js";

const run = Date.now().toString(36);

const item = await orb.items.create({ name: "Desks" });
const kind = await orb.licenseTypes.create({ name: `Desk ${run}`, grouping_key: "desk" });
const desks = { item_id: item.id, cadence: "monthly", model_type: "unit", unit_config: { unit_amount: "10.00" } } as const;
const plan = await orb.plans.create({
  name: "Desks",
  currency: "USD",
  prices: [
    {
      license_allocation_price: {
        ...desks,
        name: "Desks",
        fixed_price_quantity: 2,
        license_type_id: kind.id,
        license_allocations: [{ amount: "100", currency: "credits" }],
      },
    } as unknown as Orb.PlanCreateParams["prices"][number],
  ],
});
const customer = await orb.customers.create({ name: "Office", email: "office@example.com" });
const subscription = await orb.subscriptions.create({ customer_id: customer.id, plan_id: plan.id });
const of = { subscription_id: subscription.id, license_type_id: kind.id };

const ada = await orb.licenses.create({ ...of, external_license_id: "ada" });
assert.equal(ada.status, "active");
assert.equal((await orb.licenses.retrieve(ada.id)).external_license_id, "ada");
assert.equal((await orb.licenses.retrieveByExternalID("ada", of)).id, ada.id);
assert.deepEqual((await every(orb.licenses.list({ subscription_id: subscription.id }))).map((license) => license.id), [ada.id]);
assert.equal((await orb.licenses.usage.getUsage(ada.id)).data[0]?.allocated_credits, 100);
assert.equal((await orb.licenses.usage.getAllUsage(of)).data[0]?.license_id, ada.id);
assert.equal((await orb.licenses.externalLicenses.getUsage("ada", of)).data[0]?.consumed_credits, 0);
assert.ok((await orb.licenses.deactivate(ada.id, {})).end_date);

console.log("It gave a license and took it back.");

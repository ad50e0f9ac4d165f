// Receives webhooks with the client that the hosted service publishes, which verifies
// them, and sees that it refuses what was changed or is old. Endpoints and deliveries are
// no operations of that service.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { orb } from "./orb.js";

type Got = { body: string; headers: IncomingHttpHeaders };
type Endpoint = { id: string; secret: string | null; enabled: boolean; event_types: string[] | null };
type Delivery = { id: string; status: string; event_id: string; attempts: { response_status: number | null }[] };
type Page<T> = { data: T[] };

const got: Got[] = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    got.push({ body, headers: request.headers });
    response.statusCode = got.length === 1 ? 410 : 200; // the first is refused for good
    response.end();
  });
});
await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

// The first message is answered with 410, which ends the endpoint.
const made = (await orb.post("/webhook_endpoints", { body: { url, event_types: ["customer.created"] } })) as Endpoint;
await orb.customers.create({ name: "Refused", email: "refused@example.com" });
await until(async () => !(await endpoint()).enabled);
await orb.put(`/webhook_endpoints/${made.id}`, { body: { enabled: true, event_types: null } });
assert.equal((await endpoint()).secret, null, "shown once");
assert.equal(((await orb.get("/webhook_endpoints")) as Page<Endpoint>).data[0]?.id, made.id);

const refused = (await log())[0];
assert.ok(refused);
assert.equal(refused.status, "failed");
await orb.post(`/webhook_deliveries/${refused.id}/resend`);
await until(async () => (await delivery(refused.id)).status === "delivered");
const first = got[0];
const again = got[1];
assert.ok(first && again);
assert.equal(again.body, first.body, "the same bytes");

const secret = ((await orb.post(`/webhook_endpoints/${made.id}/rotate_secret`)) as Endpoint).secret;
assert.ok(secret && made.secret);
const tried = (await orb.post(`/webhook_endpoints/${made.id}/test`)) as Delivery;
await until(async () => (await delivery(tried.id)).status === "delivered");
const resent = (await orb.post("/webhook_deliveries/resend", {
  body: { webhook_endpoint_id: made.id, timeframe_start: "2000-01-01T00:00:00Z", timeframe_end: "2100-01-01T00:00:00Z", status: "delivered" },
})) as { resent: number };
assert.ok(resent.resent >= 2);
await until(async () => got.length >= 5);

const event = unwrap(again, made.secret) as { id: string; type: string; customer: { name: string } };
assert.equal(event.id, refused.event_id);
assert.equal(event.type, "customer.created");
assert.equal(event.customer.name, "Refused");
const last = got.at(-1);
assert.ok(last);
unwrap(last, secret);

refuses(last, made.secret, "the secret of before");
for (let at = 0; at < last.body.length; at += 7) {
  refuses({ ...last, body: flipped(last.body, at) }, secret, `byte ${at} is another`);
}
unwrap(signed(last.body, secret, 4), secret);
refuses(signed(last.body, secret, 6), secret, "it is old");

await orb.delete(`/webhook_endpoints/${made.id}`);
assert.deepEqual(await log(), []);
receiver.close();
receiver.closeAllConnections();
console.log("It verified webhooks, and refused what was changed or old.");

function unwrap(one: Got, key: string): unknown {
  return orb.webhooks.unwrap(one.body, one.headers as Record<string, string>, key);
}

// signed is a delivery of so many minutes ago.
function signed(body: string, key: string, minutes: number): Got {
  const at = new Date(Date.now() - minutes * 60_000).toISOString().replace("Z", "");
  const signature = createHmac("sha256", key).update(`v1:${at}:${body}`).digest("hex");
  return { body, headers: { "x-orb-timestamp": at, "x-orb-signature": `v1=${signature}` } };
}

function refuses(one: Got, key: string, why: string): void {
  assert.throws(() => unwrap(one, key), why);
}

function flipped(text: string, at: number): string {
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
}

async function endpoint(): Promise<Endpoint> {
  return (await orb.get(`/webhook_endpoints/${made.id}`)) as Endpoint;
}

async function delivery(id: string): Promise<Delivery> {
  return (await orb.get(`/webhook_deliveries/${id}`)) as Delivery;
}

async function log(): Promise<Delivery[]> {
  return ((await orb.get("/webhook_deliveries", { query: { webhook_endpoint_id: made.id } })) as Page<Delivery>).data;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await done()); tries++) {
    assert.ok(tries < 100, "in time");
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

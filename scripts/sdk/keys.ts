// Keys and the audit log, with the client that the hosted service publishes. It has no names for
// them: they are extensions.
import assert from "node:assert/strict";
import { orb } from "./orb.js";

type Key = { id: string; scopes: string[]; replaces: string | null; revoked_at: string | null };
type Made = Key & { api_key: string };

const made = await orb.post<Made>("/api_keys", { body: { name: "collector", scopes: ["ingest"] } });
assert.match(made.api_key, /^tk_test_/);
const keys = await orb.get<{ data: Key[] }>("/api_keys");
assert.ok(keys.data.some((key) => key.id === made.id));

const next = await orb.post<Made>(`/api_keys/${made.id}/rotate`, { body: { overlap_seconds: 60 } });
assert.equal(next.replaces, made.id);
const revoked = await orb.post<Key>(`/api_keys/${next.id}/revoke`);
assert.ok(revoked.revoked_at);
assert.equal((await orb.get<Key>(`/api_keys/${next.id}`)).revoked_at, revoked.revoked_at);

const log = await orb.get<{ data: { action: string; actor: { type: string } }[] }>("/audit_log", { query: { resource_id: next.id } });
assert.deepEqual(log.data.map((entry) => [entry.action, entry.actor.type]), [["revokeAPIKey", "api_key"], ["rotateAPIKey", "api_key"]]);

console.log("It rotated and revoked a key, which the audit log tells.");

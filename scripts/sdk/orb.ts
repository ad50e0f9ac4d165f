// The client that the hosted service publishes, for the server that is driven.
import assert from "node:assert/strict";
import Orb from "orb-billing";

export const baseURL = `${required("SERVER_URL")}/v1`;
export const orb = new Orb({ apiKey: required("TOLLKEEPER_API_KEY"), baseURL, maxRetries: 0 });

// required is what the environment says.
export function required(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set`);
  return value;
}

// advance moves the test clock, which is an operation of this server alone.
export async function advance(now: string): Promise<void> {
  await orb.post("/test_clock/advance", { body: { now } });
}

// first is the first of a list that has one, every all of its pages.
export async function first<T>(page: AsyncIterable<T>): Promise<T> {
  for await (const one of page) {
    return one;
  }
  assert.fail("an empty list");
}

export async function every<T>(page: AsyncIterable<T>): Promise<T[]> {
  const all = [];
  for await (const one of page) {
    all.push(one);
  }
  return all;
}

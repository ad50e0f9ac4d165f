// Loaded before a program that drives the server: writes down which requests of the
// hosted service's client were answered well.
import { appendFileSync } from "node:fs";

const send = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const response = await send(input, init);
  if (response.ok && request.headers.get("user-agent")?.startsWith("Orb/")) {
    appendFileSync("called.txt", `${request.method} ${new URL(request.url).pathname}\n`);
  }
  return response;
};

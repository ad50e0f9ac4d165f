// Fails when an operation of the contract was never called by the hosted service's client.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

const contract = parse(readFileSync("openapi.yaml", "utf8")) as { paths: Record<string, Record<string, { operationId?: string }>> };
const called = [...new Set(readFileSync("called.txt", "utf8").trimEnd().split("\n"))].map((line) => line.split(" ") as [string, string]);

const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId }]) => (operationId ? [{ path, method: method.toUpperCase(), operationId }] : [])),
);

// Where two paths fit, the one with fewer names to fill in is meant, as the server sees it.
function meant(method: string, path: string): string | undefined {
  const fits = operations.filter((o) => o.method === method && pattern(o.path).test(path));
  return fits.sort((a, b) => names(a.path) - names(b.path))[0]?.operationId;
}

function pattern(path: string): RegExp {
  return new RegExp(`^(/v1)?${path.replaceAll(/[.+*]/g, "\\$&").replaceAll(/{\w+}/g, "[^/]+")}$`);
}

function names(path: string): number {
  return path.split("{").length;
}

const done = new Set(called.map(([method, path]) => meant(method, path)));
const missing = operations.filter((o) => !done.has(o.operationId));
console.log(`It called ${operations.length - missing.length} of ${operations.length} operations.`);
for (const { method, path } of missing) {
  console.error(`never called: ${method} ${path}`);
}
process.exitCode = missing.length > 0 ? 1 : 0;

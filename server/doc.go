// Package server serves the operations of openapi.yaml over HTTP. A file per resource holds its
// operations: each turns a request into an input of the domain, runs one transaction, and turns
// records into the answer. The other files are the middleware that all requests share.
//
// A request passes, in this order: its id, log and metrics, the API key, the limits of its
// body, the contract, the idempotency key, the operation.
//
// The parts, from low to high; none imports a later one, and worker no wire types:
//
//	contract    requests against openapi.yaml, problems
//	background  units of work that no request waits for, and their panics
//	worker      due work, alerts, buckets of usage, partitions, verification
//	wire        records to the types of the contract, and back
//	webhooks    payloads and deliveries of messages
//	download    how long files may take their clients
//
// # Choices
//
// Discounts, the minimum and the maximum of an invoice, like those of its lines, are shown as
// they were asked for, for a full billing period. The explanation of a line shows what was used
// of them in a shorter one.
//
// A full ingest queue is a 503 with Retry-After, the one status beside those of the contract's
// introduction: the official clients wait and send again, and a load balancer understands it.
package server

// Package webhook tells an account's own systems what happens in it.
//
// Code that changes something says so with [Announce], in the transaction of the change.
// What the endpoints are told is written down when that transaction has done all else, so
// nothing is told that did not happen, and nothing that happened is forgotten. Sending it
// is the server's work.
//
// # Choices
//
// A message is written once, as the transaction leaves the resource, and each endpoint
// that wants it has a delivery. What happens while an endpoint is disabled is not kept for
// it. What was still pending when it was disabled waits until it is enabled again.
//
// An endpoint that is removed takes its part of the log with it, since nothing of it could
// be sent again.
package webhook

// Package webhook owns the endpoints that an account notifies of changes, and the messages and
// deliveries to them.
//
// Code that changes something calls [Announce] in the transaction of the change. The messages are
// written at the end of that transaction. So every message belongs to a change that happened, and
// every change has its message. The server sends the messages.
//
// # Choices
//
// A message is written once, with the resource as the transaction leaves it. Each endpoint that
// subscribes to its type has a delivery. A disabled endpoint gets no deliveries; those that were
// pending when it was disabled wait until it is enabled again.
//
// Removing an endpoint deletes its part of the log, because nothing of it could be sent again.
package webhook

// Package webhooks sends messages to the endpoints of accounts.
//
// Package webhook of the domain keeps endpoints, messages and deliveries, and decides when an
// attempt is due. This package makes the attempts: [Deliverer] claims what is due in one
// transaction, calls the receiver, and records the outcome in another. A process that ends in
// between leaves a claim that ends by itself.
//
// URLs come from clients, so a receiver may be anything. The rules against that are in
// network.go: only public addresses and the networks of the operator are called. The address
// is checked when the connection is made, redirects are not followed, and answers are read up
// to a bound and not shown.
package webhooks

// Package importaccount moves an account from one server that speaks the contract to another.
//
// It is a client of both: it reads resources of the source, and creates the same ones at the
// target with ordinary requests. So it has no rule of billing of its own, and the target
// checks whatever arrives. What the contract does not show, or does not let a client create,
// is listed in the report.
//
// # Order
//
// Items, metrics, dimensional price groups, license types, coupons, add-on prices, plans with
// their versions, customers, events, subscriptions with their licenses, the invoices that follow
// from the move, balances, credits, top-ups, alerts, and last what makes a customer pay by
// itself. Events come before subscriptions and credits, so that credits pay for the usage of each
// day in the order of days, as they did at the source. Credits come after the invoices that
// follow from the move, so that they do not pay for them.
//
// # Subscriptions
//
// A subscription begins at the target with the oldest period that is still open at the
// source. Each price begins with its own open period, and each adjustment with the
// subscription or later. Earlier periods stay at the source, with their invoices. Fees in
// advance of open periods were invoiced there. The target invoices them again, because
// a later cancellation or change refunds what it invoiced; the transfer marks those invoices
// as paid, and names the source in the notes of the payment.
//
// # Going on after an interruption
//
// A journal has a line for each resource that was created, with both ids. A request
// that creates something carries an Idempotency-Key that follows from the id at the source.
// So a request that was answered before its line was written is not done twice. A second run
// finds everything in the journal, and changes nothing.
package importaccount

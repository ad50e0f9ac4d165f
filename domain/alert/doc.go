// Package alert is what an account wants to be told of: a balance of credits that runs
// out, usage or costs of a subscription that reach a threshold (semantics 12).
//
//	what changes ── Look ──► a subscription to look at ── package watch reads it ──► Fire ──► webhook.Announce
//	a balance moves ── BalanceMoved ─────────────────────────────────────────────────────────► webhook.Announce
//
// An alert belongs to a customer, a subscription, or a version of a plan; the last is an
// alert of each subscription to that version, where it is not an [Exception].
//
// Usage and costs only rise in a billing period, or nearly: a threshold that is reached
// fires once in it, which the schema holds. Balances go up and down: an alert knows which
// thresholds its balance is at or below, and tells what changed when the balance moves.
//
// # Decisions where the sources are silent
//
//   - There may be any number of spend alerts, since each can look at other prices.
//   - Alerts of a plan are for the subscriptions to the version of it that they name.
//   - A usage alert needs a price by its metric, and an alert in a currency a price in it,
//     or that the subscription is invoiced in it.
//   - A plain cost alert in a custom unit looks at the costs of prices in that unit;
//     without a currency, or in that of the invoices, at all prices, converted.
//   - The thresholds of depleted and recovered alerts are always 0; what is sent is not used.
//   - Both are in alert while the balance is at or below 0; they differ in what they tell.
//   - While a balance alert is disabled it keeps track of its balance, so enabling it
//     sends nothing.
//   - Of several thresholds that a balance falls past at once the lowest is told.
//   - A list by customer has the alerts of balances; those of subscriptions are listed by
//     subscription, and each alert of the plan is shown on or off as it is there.
//   - Disabling an alert of a subscription, or that of a plan for one, is announced
//     too (subscription.alert_disabled, reason user).
//   - An alert of licenses belongs to a subscription and names their type, once each. Its
//     thresholds are percentages of what a license is granted for itself, in each unit; a
//     license reaches each once in the period that it is granted for.
//   - An alert that was deleted is missing.
package alert

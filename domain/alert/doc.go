// Package alert owns the alerts of an account: a credit balance that runs out, or usage or costs
// of a subscription that reach a threshold (semantics 12).
//
//	a change of usage or costs ── ScheduleEvaluation ──► a subscription that is due ── package alerting ──► Fire ──► webhook.Announce
//	a change of a balance ── BalanceMoved ─────────────────────────────────────────────────────────────────────► webhook.Announce
//
// An alert belongs to a customer, to a subscription, or to a version of a plan. An alert of a plan
// is an alert of each subscription to that version, unless the subscription is an [Exception].
//
// Usage and costs normally only rise within a billing period. A threshold that is reached fires
// once in the period; a constraint of the schema enforces that. A balance rises and falls. An alert
// stores which thresholds its balance is at or below, and announces changes of that.
//
// What was decided where the rules are silent is in DECISIONS.md.
package alert

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// features are those of the customer whom a step concerns, as the world is before it.
func (w *world) features(s step) []string {
	about := w.customers[s.Of]
	if sub := w.subs[s.Of]; sub != nil {
		about = sub.customer
	}
	found := map[string]bool{}
	see := func(yes bool, name string) {
		if yes {
			found[name] = true
		}
	}
	for _, c := range w.customers {
		if about != nil && about != c {
			continue
		}
		see(c.zone.name != "UTC" && c.zone.name != "Asia/Kolkata", "clock changes")
		see(c.zone.name == "Asia/Kolkata", "odd offset")
		for currency, l := range c.ledgers {
			for _, b := range l.blocks {
				see(currency == "credits", "block of credits")
				see(currency == "USD", "block of money")
				see(b.to != 0, "block that expires")
				see(b.to != 0 && b.to <= c.zone.day(w.now), "block that has expired")
				see(b.from > c.zone.day(w.now), "block ahead")
				see(b.item != "", "block with a filter")
				see(b.basis.Sign() > 0, "block with a cost basis")
				see(b.hand != nil, "block taken from by hand")
			}
			for _, one := range l.charges {
				see(len(one.draws) > 0, "usage that credits paid")
			}
		}
		c.moneyFeatures(see)
		for _, name := range w.order {
			sub := w.subs[name]
			if sub.customer != c {
				continue
			}
			see(sub.from.After(w.now), "subscription ahead")
			see(!sub.to.IsZero() && sub.to.After(w.now), "cancellation ahead")
			see(!sub.to.IsZero() && !sub.to.After(w.now), "subscription that has ended")
			see(len(sub.former) > 0, "end that was taken back")
			see(sub.threshold != nil, "invoicing threshold")
			see(sub.partial, "partial invoice")
			see(len(sub.coupons) > 0, "coupon")
			see(len(sub.changes) > 0, "plan change")
			see(w.now.Before(sub.trialEnd()), "trial")
			see(len(sub.phases) > 0, "phases")
			see(slices.ContainsFunc(sub.phases, func(p placed) bool { return p.anchor != nil }), "aligned phases")
			sub.allocationFeatures(see)
			sub.licenseFeatures(see, w.now)
			see(!sub.trialEnd().IsZero() && !w.now.Before(sub.trialEnd()), "trial that has ended")
			see(w.plans[sub.plan].version > 1, "version of a plan")
			see(sub.anchor.day > 1, "cycles from the start date")
			see(len(sub.who) > 0, "usage of children")
			cycles := map[cycle]bool{}
			for _, i := range sub.intervals {
				s := i.spec
				cycles[s.Cycle] = true
				see(true, "cycle of "+s.Cycle.String())
				if s.allocation() {
					continue
				}
				see(s.Metric == "" && s.Advance, "fee in advance")
				see(s.Metric == "" && !s.Advance, "fee in arrears")
				see(s.Metric != "", "usage "+s.Model)
				see(s.Metric != "", "metric "+s.Metric)
				see(s.Metric == "" && s.Model != "unit", "fee "+s.Model)
				see(len(i.counted) > 1, "counting that changed")
				see(s.Prorated, "prorated usage")
				see(s.Conversion != "", "conversion")
				see(len(i.quantities) > 0, "quantity that changed")
				see(strings.HasPrefix(s.Name, "sub"), "price added")
			}
			see(len(cycles) > 1, "cycles of different length")
			for _, a := range w.plans[sub.plan].adjust {
				see(len(a.Prices) == 1, a.Kind)
				see(len(a.Prices) > 1, "shared "+a.Kind)
			}
		}
		for _, e := range w.events {
			if e.customer == c.name {
				see(e.deprecated, "event deprecated")
				see(e.replaced, "event replaced")
			}
		}
		for _, b := range w.backfills {
			see(b.customer == c.name, "backfill "+b.state)
		}
	}
	see(len(w.voided) > 0, "voided invoice")
	all := []string{}
	for name := range found {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// kindsOfSteps are those of which pairs are counted, also where none was done.
var kindsOfSteps = []string{
	"add price", "amend", "backfill", "cancel end_of_subscription_term", "cancel immediate", "cancel requested_date", "clock", "close backfill",
	"credit", "credit note", "credit sold", "credit unpaid", "customer", "decrement", "deprecate", "end top-up", "edit price customers", "edit price filter", "edit price parameters", "end price",
	"end license", "ingest", "invoice", "invoice amount", "invoice percentage", "issue invoice", "license", "mark paid", "move balance decrement", "move balance increment",
	"move expiry", "plan", "plan change end_of_subscription_term", "plan change immediate", "plan change requested_date",
	"quantity effective_date", "quantity immediate", "quantity upcoming_invoice", "redeem end_of_subscription_term", "redeem immediate", "redeem requested_date", "revert backfill", "settle invoice pay", "settle invoice void", "subscribe", "top-up", "trigger phase", "unschedule cancellation",
	"unschedule plan change", "unschedule quantity", "update trial date", "update trial immediate", "version", "void credits", "void invoice",
}

// kind of a step, as pairs are counted.
func (s step) kind() string {
	if s.Option != "" {
		return s.Do + " " + s.Option
	}
	return s.Do
}

// often is how often each pair must occur in the long run.
const often = 100

// impossible are pairs that the contract does not allow, with the reason. All features are those
// of a customer, who may have several subscriptions, so that a step on one of them meets the
// features of the others: hardly a pair is impossible.
var impossible = []struct{ kind, feature, reason string }{
	{"customer", "", "a customer who is made has no subscription, ledger or event yet, and changes nothing of others"},
	{"plan", "", "a plan that is made has no subscription yet, and changes nothing of those there are"},
}

// reason tells why a pair cannot be; "" if it can.
func reason(kind, feature string) string {
	for _, one := range impossible {
		if one.kind == kind && (one.feature == "" || one.feature == feature) {
			return one.reason
		}
	}
	return ""
}

// printPairs prints every pair with its count, and those that are rare.
func printPairs(out io.Writer, pairs map[string]map[string]int, all bool) {
	seen := map[string]bool{}
	for _, kind := range kindsOfSteps {
		seen[kind] = true
	}
	features := map[string]bool{}
	for kind, of := range pairs {
		seen[kind] = true
		for f := range of {
			features[f] = true
		}
	}
	kinds, names := slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(features))
	covered, total := 0, 0
	var rare []string
	for _, kind := range kinds {
		for _, f := range names {
			if why := reason(kind, f); why != "" {
				if all {
					_, _ = fmt.Fprintf(out, "       -  %s x %s: %s\n", kind, f, why)
				}
				continue
			}
			total++
			n := pairs[kind][f]
			if n >= often {
				covered++
			} else {
				rare = append(rare, fmt.Sprintf("%s x %s: %d", kind, f, n))
			}
			if all {
				_, _ = fmt.Fprintf(out, "  %6d  %s x %s\n", n, kind, f)
			}
		}
	}
	_, _ = fmt.Fprintf(out, "%d of %d pairs of a step and a feature occurred %d times\n", covered, total, often)
	if all {
		for _, text := range rare {
			_, _ = fmt.Fprintln(out, "  rare:", text)
		}
	}
}

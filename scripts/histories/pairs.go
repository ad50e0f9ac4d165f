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
		see(w.credited[c.id], "credit note")
		see(w.uncredited[c.id], "credit note that was voided")
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
			see(len(sub.added) > 0, "line added by hand")
			see(len(sub.adjusts) > 0, "adjustment added")
			see(sub.waits(w.now), "change that is pending")
			see(len(sub.coupons) > 0, "coupon")
			see(sub.amountCoupon(), "coupon of an amount")
			see(len(sub.changes) > 0, "plan change")
			see(w.now.Before(sub.trialEnd()), "trial")
			see(len(sub.phases) > 0, "phases")
			see(slices.ContainsFunc(sub.phases, func(p placed) bool { return p.anchor != nil }), "aligned phases")
			sub.allocationFeatures(see)
			sub.licenseFeatures(see, w.now)
			see(!sub.trialEnd().IsZero() && !w.now.Before(sub.trialEnd()), "trial that has ended")
			see(w.plans[sub.plan].version > 1, "version of a plan")
			see(!sub.migrated.IsZero(), "migrated")
			see(sub.anchor.day > 1, "cycles from the start date")
			see(len(sub.who) > 0, "usage of children")
			cycles := map[cycle]bool{}
			for _, i := range sub.intervals {
				s := i.spec
				if s.Cycle == (cycle{}) {
					continue // a one-time allocation
				}
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
				see(s.Invoiced != nil && s.Metric == "", "fee invoiced more often")
				see(s.Invoiced != nil && s.Metric != "", "usage invoiced more often")
				see(i.deferred && !i.to.IsZero(), "deferred billing")
				see(s.Conversion != "", "conversion")
				see(s.UpTo != "", "tiered conversion")
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
	"add adjustment", "add line", "add price", "amend", "apply change", "backfill", "cancel change", "cancel end_of_subscription_term", "cancel immediate", "cancel requested_date", "clock", "close backfill",
	"credit", "credit note", "credit sold", "credit unpaid", "customer", "decrement", "deprecate", "edit adjustment", "end top-up", "edit price customers", "edit price filter", "edit price parameters", "end price",
	"end license", "ingest", "migrate", "invoice", "invoice amount", "invoice percentage", "issue invoice", "license", "mark paid", "move balance decrement", "move balance increment",
	"move expiry", "plan", "plan change end_of_subscription_term", "plan change immediate", "plan change requested_date",
	"quantity effective_date", "quantity immediate", "propose", "quantity upcoming_invoice", "redeem end_of_subscription_term", "redeem immediate", "redeem requested_date", "remove line", "revert backfill", "settle invoice pay", "settle invoice void", "subscribe", "top-up", "trigger phase", "unschedule cancellation",
	"unschedule plan change", "unschedule quantity", "update trial date", "update trial immediate", "update trial shift", "version", "void credits", "void invoice",
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
	for _, f := range allFeatures {
		features[f] = true
	}
	for kind, of := range pairs {
		seen[kind] = true
		for f := range of {
			features[f] = true
		}
	}
	kinds, names := slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(features))
	covered, once, total := 0, 0, 0
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
			if n > 0 {
				once++
			}
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
	_, _ = fmt.Fprintf(out, "%d of %d pairs of a step and a feature occurred %d times, %d once\n", covered, total, often, once)
	if all {
		for _, text := range rare {
			_, _ = fmt.Fprintln(out, "  rare:", text)
		}
	}
}

// allFeatures are those of which pairs are counted, also where none occurred.
var allFeatures = strings.Split("adjustment added/aligned phases/allocation/allocation that rolls over/allocation with a cost basis/amount_discount/backfill pending/backfill reflected/"+
	"backfill reverted/balance moved by hand/block ahead/block of a top-up/block of an allocation/block of credits/block of credits that came back/"+
	"block of credits that were moved/block of money/block taken from by hand/block that expires/block that has expired/block that waits for payment/"+
	"block that was sold/block with a cost basis/block with a filter/cancellation ahead/change that is pending/clock changes/conversion/counting that changed/coupon/coupon of an amount/credit note/credit note that was voided/"+
	"cycle of 1 months/cycle of 10 days/cycle of 12 months/cycle of 3 months/cycle of 6 months/cycle of 7 days/cycles from the start date/cycles of different length/deferred billing/"+
	"end that was taken back/event deprecated/event replaced/fee bulk/fee in advance/fee in arrears/fee invoiced more often/fee package/fee tiered/grant of a difference/grant that was taken back/"+
	"invoicing threshold/license/license price/license that has ended/line added by hand/maximum/metric count/metric distinct/metric max/metric parameter/metric sum/migrated/minimum/odd offset/"+
	"one-off invoice/one-off invoice ahead/one-time allocation/partial invoice/percentage_discount/phases/plan change/price added/prorated usage/quantity that changed/"+
	"shared amount_discount/shared maximum/shared minimum/shared percentage_discount/subscription ahead/subscription that has ended/tiered conversion/top-up/top-up that costs/trial/"+
	"trial that has ended/usage bulk/usage bulk_with_proration/usage grouped_allocation/usage grouped_tiered/usage grouped_with_min_max_thresholds/"+
	"usage grouped_with_prorated_minimum/usage invoiced more often/usage matrix/usage of children/usage package/usage package_with_allocation/usage that credits paid/"+
	"usage threshold_total_amount/usage tiered/usage tiered_package/usage tiered_with_minimum/usage tiered_with_proration/usage unit/usage unit_with_percent/"+
	"usage unit_with_proration/usage_discount/version of a plan/voided invoice", "/")

// rareKinds and rareFeatures come seldom of themselves, and are in themes so much more often.
var (
	rareKinds = map[string]int{
		"apply change": 4, "edit adjustment": 4, "remove line": 4, "add adjustment": 1, "add line": 1, "propose": 1,
		"decrement": 4, "revert backfill": 4, "amend": 3, "end license": 3, "invoice amount": 3, "migrate": 3, "redeem immediate": 3, "trigger phase": 3,
		"update trial shift": 3, "backfill": 1, "cancel end_of_subscription_term": 1, "cancel requested_date": 1, "edit price customers": 1, "invoice": 1,
		"license": 1, "plan change requested_date": 1, "quantity effective_date": 1, "redeem end_of_subscription_term": 1, "version": 1, "clock": 0,
		"credit": 0, "customer": 0, "ingest": 0, "plan": 0, "subscribe": 0,
	}
	rareFeatures = map[string]int{
		"credit note that was voided": 14, "deferred billing": 8, "credit note": 5, "change that is pending": 4, "usage invoiced more often": 4,
		"line added by hand": 3, "adjustment added": 3,
		"block of credits that came back": 14, "event replaced": 14, "shared percentage_discount": 14, "backfill reverted": 11,
		"grant of a difference": 11, "block ahead": 8, "fee tiered": 8, "migrated": 8, "version of a plan": 8, "block that waits for payment": 6,
		"event deprecated": 6, "grant that was taken back": 6, "shared maximum": 6, "backfill reflected": 5, "block of credits that were moved": 5,
		"license that has ended": 5, "partial invoice": 5, "price added": 5, "top-up that costs": 5, "usage package": 5, "block with a filter": 4,
		"cancellation ahead": 4, "coupon of an amount": 4, "minimum": 4, "shared minimum": 4, "usage bulk_with_proration": 4, "usage grouped_tiered": 4,
		"usage grouped_with_min_max_thresholds": 4, "usage package_with_allocation": 4, "usage threshold_total_amount": 4, "amount_discount": 3,
		"block of a top-up": 3, "fee bulk": 3, "usage matrix": 3, "usage tiered_package": 3, "usage tiered_with_minimum": 3,
		"usage unit_with_proration": 3, "allocation that rolls over": 1, "balance moved by hand": 1, "block taken from by hand": 1,
		"block that was sold": 1, "fee package": 1, "odd offset": 1, "one-off invoice ahead": 1, "one-time allocation": 1, "plan change": 1,
		"subscription that has ended": 1, "aligned phases": 0, "allocation": 0, "allocation with a cost basis": 0, "block of an allocation": 0,
		"block of credits": 0, "block of money": 0, "block that expires": 0, "block that has expired": 0, "block with a cost basis": 0, "clock changes": 0,
		"conversion": 0, "coupon": 0, "cycle of 1 months": 0, "cycle of 10 days": 0, "cycle of 12 months": 0, "cycle of 3 months": 0,
		"cycle of 6 months": 0, "cycle of 7 days": 0, "cycles from the start date": 0, "cycles of different length": 0, "fee in advance": 0,
		"fee in arrears": 0, "invoicing threshold": 0, "license price": 0, "metric count": 0, "metric distinct": 0, "metric max": 0, "metric parameter": 0,
		"metric sum": 0, "one-off invoice": 0, "percentage_discount": 0, "phases": 0, "quantity that changed": 0, "trial": 0, "trial that has ended": 0,
		"usage of children": 0, "usage that credits paid": 0, "usage tiered": 0, "usage unit": 0,
	}
)

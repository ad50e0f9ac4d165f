package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// theme is what a history is to bring together: steps of some kinds, and features of the customer whom
// they concern. A seed draws its theme, those the more often that come seldom of themselves, so that each
// pair of them meets in the long run.
type theme struct{ kinds, features []string }

// focus is the customer whom the theme concerns.
const focus = "customer1"

// drawTheme draws the theme of a seed.
func drawTheme(seed uint64) theme {
	r := rand.New(rand.NewPCG(seed, 16))
	t := theme{kinds: drawNames(r, 3, kindsOfSteps, rareKinds, alike), features: drawNames(r, 6, allFeatures, rareFeatures, rivals)}
	for _, kind := range t.kinds {
		for _, f := range presumes[kind] {
			if !slices.Contains(t.features, f) {
				t.features = append(t.features, f)
			}
		}
	}
	return t
}

// drawNames draws so many different names, in proportion to their weights, no two of which are apart.
func drawNames(r *rand.Rand, many int, names []string, weights map[string]int, apart func(a, b string) bool) (drawn []string) {
	for tries := 0; len(drawn) < many && tries < 100; tries++ {
		name := drawOne(r, names, weights)
		if !slices.ContainsFunc(drawn, func(other string) bool { return other == name || apart(name, other) }) {
			drawn = append(drawn, name)
		}
	}
	return drawn
}

// drawOne draws a name in proportion to the weights, which are 2 where none is told.
func drawOne(r *rand.Rand, names []string, weights map[string]int) string {
	weight := func(name string) int {
		if w, told := weights[name]; told {
			return w
		}
		return 2
	}
	whole := 0
	for _, name := range names {
		whole += weight(name)
	}
	n := r.IntN(whole)
	for _, name := range names {
		if n -= weight(name); n < 0 {
			return name
		}
	}
	return ""
}

// alike are kinds of one step with other options: a theme has one of them.
func alike(a, b string) bool {
	return strings.SplitN(a, " ", 2)[0] == strings.SplitN(b, " ", 2)[0]
}

// rivals are features that one plan cannot have together.
func rivals(a, b string) bool {
	kind := func(name string) string {
		switch {
		case strings.Contains(name, "phases"):
			return "phases"
		case strings.HasPrefix(name, "license"):
			return "phases"
		case strings.HasPrefix(name, "shared "):
			return "shared"
		case name == "clock changes", name == "odd offset":
			return "zone"
		}
		return ""
	}
	return kind(a) != "" && kind(a) == kind(b)
}

// wants reports whether a feature is part of the theme.
func (g *generator) wants(feature string) bool { return slices.Contains(g.theme.features, feature) }

// themed is a step toward the theme: toward a feature that the customer does not have yet, or of one of
// the kinds.
func (g *generator) themed() (step, bool) {
	has := g.w.features(step{Of: focus})
	var missing []string
	for _, f := range g.theme.features {
		if !slices.Contains(has, f) && len(bringsAbout(f)) > 0 {
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 && g.chance(60) {
		if s, ok := g.of(pick(g, bringsAbout(pick(g, missing...))...)); ok {
			return s, true
		}
	}
	return g.toward(pick(g, g.theme.kinds...))
}

// any is a step of any kind, of each as often as its weight says.
func (g *generator) any() step {
	for {
		if s, ok := g.toward(drawOne(g.Rand, kindsOfSteps, rareKinds)); ok {
			return s
		}
	}
}

// toward is a step of a kind, or one that makes such a step possible: then it follows as soon as it is.
func (g *generator) toward(kind string) (step, bool) {
	if s, ok := g.of(kind); ok {
		return s, true
	}
	if !slices.Contains(g.goals, kind) {
		g.goals = append(g.goals, kind)
		g.goals = g.goals[max(0, len(g.goals)-4):]
	}
	if before := needs[kind]; len(before) > 0 {
		return g.of(pick(g, before...))
	}
	return step{}, false
}

// of is a step of a kind, that concerns the customer of the theme if there is one.
func (g *generator) of(kind string) (step, bool) {
	do := makers[kind]
	if do == nil {
		return step{}, false
	}
	for n := range 40 {
		s, ok := do(g)
		if !ok || s.kind() != kind {
			continue
		}
		if sub := g.w.subs[s.Of]; s.Of == "" || s.Of == focus || sub != nil && sub.customer.name == focus || n > 30 {
			return s, true
		}
	}
	return step{}, false
}

// makers think up steps of each kind.
var makers = map[string]func(*generator) (step, bool){}

func init() {
	for names, do := range map[string]func(*generator) (step, bool){
		"add price": (*generator).addPrice, "backfill": (*generator).backfill,
		"cancel end_of_subscription_term/cancel immediate/cancel requested_date": (*generator).cancel, "clock": (*generator).clock,
		"close backfill/revert backfill": (*generator).closeBackfill, "credit": (*generator).credit, "credit sold/credit unpaid": (*generator).sale,
		"credit note/mark paid/void invoice": (*generator).document, "decrement": (*generator).decrement, "amend/deprecate": (*generator).correct,
		"end top-up/top-up": (*generator).topUp, "edit price customers/edit price filter/edit price parameters": (*generator).counting,
		"end price": (*generator).endPrice, "end license/license": (*generator).license, "ingest": (*generator).ingest,
		"invoice/invoice amount/invoice percentage": (*generator).invoice, "issue invoice": (*generator).issueInvoice,
		"move balance decrement/move balance increment": (*generator).moveBalance, "move expiry": (*generator).moveExpiry, "void credits": (*generator).voidCredits,
		"plan change end_of_subscription_term/plan change immediate/plan change requested_date": (*generator).planChange,
		"quantity effective_date/quantity immediate/quantity upcoming_invoice":                  (*generator).quantity,
		"redeem end_of_subscription_term/redeem immediate/redeem requested_date":                (*generator).coupon,
		"settle invoice pay/settle invoice void":                                                (*generator).settleInvoice,
		"subscribe":                                                                             (*generator).another, "trigger phase": (*generator).trigger,
		"unschedule cancellation": (*generator).unschedule, "unschedule plan change": (*generator).unschedulePlanChange,
		"unschedule quantity": (*generator).unscheduleQuantity, "update trial date/update trial immediate/update trial shift": (*generator).trial,
		"version": (*generator).version, "migrate": (*generator).migrate,
		"add line/remove line": (*generator).line, "add adjustment/edit adjustment": (*generator).adjust,
		"apply change/cancel change/propose": (*generator).pendingChange,
	} {
		for _, kind := range strings.Split(names, "/") {
			makers[kind] = do
		}
	}
}

// another is one more subscription, as long as there are few.
func (g *generator) another() (step, bool) {
	if len(g.w.subs) > 5 {
		return step{}, false
	}
	return g.subscribe(), true
}

// presumes are features without which a customer has no step of a kind.
var presumes = map[string][]string{
	"end license": {"license"}, "license": {"license price"}, "trigger phase": {"phases"}, "edit price parameters": {"metric parameter"},
	"edit price customers": {"usage of children"}, "update trial date": {"trial"}, "update trial immediate": {"trial"}, "update trial shift": {"trial"},
	"version": {"version of a plan"}, "migrate": {"version of a plan"},
}

// needs are steps that make one of a kind possible.
var needs = map[string][]string{
	"end license": {"license"}, "unschedule plan change": {"plan change requested_date"}, "unschedule cancellation": {"cancel requested_date", "cancel end_of_subscription_term"},
	"unschedule quantity": {"quantity effective_date"}, "issue invoice": {"invoice", "invoice amount"}, "settle invoice pay": {"invoice", "issue invoice", "credit unpaid"},
	"settle invoice void": {"invoice", "issue invoice", "credit sold"}, "end top-up": {"top-up"}, "close backfill": {"backfill"}, "revert backfill": {"backfill", "close backfill"},
	"void credits": {"credit"}, "move expiry": {"credit"}, "decrement": {"credit"}, "void invoice": {"clock"}, "credit note": {"clock"}, "mark paid": {"clock"},
	"update trial date": {"subscribe"}, "update trial immediate": {"subscribe"}, "update trial shift": {"subscribe"}, "amend": {"ingest"}, "deprecate": {"ingest"},
	"remove line": {"add line"}, "edit adjustment": {"add adjustment"}, "apply change": {"propose"}, "cancel change": {"propose"},
	"trigger phase": {"subscribe"}, "migrate": {"version"}, "quantity upcoming_invoice": {"subscribe"},
}

// bringsAbout are kinds of steps that lead to a feature which the plans of a history do not bring.
func bringsAbout(feature string) []string {
	for _, one := range []struct {
		features string
		kinds    []string
	}{
		{"backfill pending", []string{"backfill"}},
		{"backfill reflected/event replaced", []string{"backfill", "close backfill"}},
		{"backfill reverted", []string{"backfill", "revert backfill"}},
		{"event deprecated", []string{"deprecate"}},
		{"balance moved by hand", []string{"move balance increment", "move balance decrement"}},
		{"block ahead/block of credits/block of money/block that expires/block with a cost basis/block with a filter", []string{"credit"}},
		{"block taken from by hand", []string{"credit", "decrement", "void credits"}},
		{"block that has expired/usage that credits paid", []string{"credit", "clock", "ingest"}},
		{"block of credits that came back", []string{"credit", "clock", "ingest", "void invoice"}},
		{"block of credits that were moved", []string{"credit", "move expiry"}},
		{"block of a top-up/top-up/top-up that costs", []string{"top-up"}},
		{"block that was sold", []string{"credit sold"}},
		{"block that waits for payment", []string{"credit unpaid"}},
		{"cancellation ahead", []string{"cancel requested_date", "cancel end_of_subscription_term"}},
		{"end that was taken back", []string{"unschedule cancellation", "cancel requested_date", "unschedule plan change", "plan change requested_date"}},
		{"subscription that has ended", []string{"cancel immediate", "cancel requested_date"}},
		{"subscription ahead/trial/license price/invoicing threshold/phases/aligned phases", []string{"subscribe"}},
		{"trial that has ended", []string{"clock", "update trial immediate"}},
		{"counting that changed", []string{"edit price filter", "edit price customers"}},
		{"coupon/coupon of an amount", []string{"redeem requested_date", "redeem immediate"}},
		{"grant that was taken back/grant of a difference", []string{"plan change immediate", "plan change requested_date", "cancel immediate", "end price"}},
		{"license", []string{"license"}},
		{"license that has ended", []string{"license", "end license", "clock"}},
		{"one-off invoice/one-off invoice ahead", []string{"invoice", "invoice amount", "invoice percentage"}},
		{"partial invoice", []string{"subscribe", "ingest", "ingest"}},
		{"plan change", []string{"plan change immediate", "plan change requested_date"}},
		{"price added", []string{"add price"}},
		{"quantity that changed", []string{"quantity effective_date", "quantity immediate"}},
		{"version of a plan", []string{"version", "subscribe"}},
		{"migrated", []string{"version", "migrate"}},
		{"voided invoice", []string{"void invoice", "clock"}},
		{"line added by hand", []string{"add line"}},
		{"adjustment added", []string{"add adjustment"}},
		{"change that is pending", []string{"propose"}},
		{"deferred billing", []string{"end price"}},
		{"credit note", []string{"credit note", "plan change immediate", "clock"}},
		{"credit note that was voided", []string{"credit note", "void invoice", "clock"}},
	} {
		if slices.Contains(strings.Split(one.features, "/"), feature) {
			return one.kinds
		}
	}
	return nil
}

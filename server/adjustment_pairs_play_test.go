package server_test

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
)

// pairPlay lives through one history of several subscriptions, which differ in their adjustment alone.
type pairPlay struct {
	fixture
	prices, event, window int
	day                   string            // on which the adjustment begins, ends or changes, where it does
	next                  map[string]string // the plans that follow, by adjustment
	subs                  []*pairSub
}

// pairSub is one of them.
type pairSub struct {
	adjustment *pairAdjustment // nil: none
	buyer, id  string
	made       value
	shown      []pairShown
}

// pairShown is what was shown of a document before it was issued.
type pairShown struct{ where, id, text string }

// pairHistory plays the history of some prices, an event and a window for each of the adjustments, and for none
// as the first subscription.
func pairHistory(prices, event, window int, adjustments []pairAdjustment) *pairPlay {
	GinkgoHelper()
	h := &pairPlay{fixture: start().account("test").newFixture("2025-01-01T00:00:00Z"), prices: prices, event: event, window: window, next: map[string]string{}}
	h.day = "2025-01-13"
	if pairPrices[prices].inParts && pairEvents[event].ends == "" && pairWindows[window].name != "by a coupon that begins and ends inside" {
		h.day = "2025-02-13"
	}
	for _, coupon := range []object{amount("A", "45.00"), percent("P", "0.5")} {
		months := any(absent)
		if pairWindows[window].parts {
			months = 1
		}
		h.coupon(coupon, object{"duration_in_months": months})
	}
	h.subs = append(h.subs, h.sell(nil))
	for k := range adjustments {
		h.subs = append(h.subs, h.sell(&adjustments[k]))
	}
	h.live()
	return h
}

// bodies are the prices of a plan.
func (h *pairPlay) bodies(prefix string) (bodies []object) {
	p := pairPrices[h.prices]
	cycle := h.cycle()
	for k := range p.usage {
		price := with(h.calls("1.00"), with(cycle, object{"name": fmt.Sprint(prefix, "Usage ", k)}))
		if k == 1 {
			price["unit_config"] = object{"unit_amount": "0.50"}
		}
		bodies = append(bodies, price)
	}
	for k := range p.advance {
		bodies = append(bodies, with(h.fee("20.00"), object{"name": fmt.Sprint(prefix, "Fee ", k), "fixed_price_quantity": 2}))
	}
	if p.arrears {
		late := with(h.fee("30.00"), object{"name": prefix + "Late", "billed_in_advance": false})
		if p.inParts {
			late["cadence"] = "quarterly"
		}
		bodies = append(bodies, late)
	}
	return bodies
}

func (h *pairPlay) cycle() object {
	if pairPrices[h.prices].inParts {
		return object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
	}
	return object{}
}

// body is an adjustment with the first or the second of its values.
func (h *pairPlay) body(a *pairAdjustment, k int) object {
	body := with(object{"applies_to_all": true, a.member: a.values[k]}, a.body)
	if body["adjustment_type"] == "minimum" {
		body["item_id"] = h.item
	}
	return body
}

// sell subscribes a customer under an adjustment, in a plan that has it from the start where the window does not
// begin inside.
func (h *pairPlay) sell(a *pairAdjustment) *pairSub {
	GinkgoHelper()
	e, w := pairEvents[h.event], pairWindows[h.window]
	buyer := h.buyer(object{"currency": "USD"})
	terms, plan := object{}, object{}
	switch {
	case a == nil || strings.Contains(w.name, "begins"):
	case w.coupon:
		terms["coupon_redemption_code"] = (*a.coupon)["redemption_code"]
	case e.ends != "": // those of the plan end with it
		plan["adjustments"] = list{object{"adjustment": h.body(a, 0)}}
	default:
		terms["add_adjustments"] = list{object{"adjustment": h.body(a, 0)}}
	}
	if e.threshs {
		terms["invoicing_threshold"] = "25.00"
	}
	if strings.Contains(e.name, "plan") {
		next := object{}
		if e.onward && plan["adjustments"] != nil {
			next = plan
		}
		h.next[buyer] = h.plan(next, h.bodies("Next ")...).text("id")
	}
	id := h.plan(plan, h.bodies("")...).text("id")
	made := h.post("/v1/subscriptions", with(object{"customer_id": buyer, "plan_id": id}, terms)).expect(201)
	return &pairSub{adjustment: a, buyer: buyer, id: made.text("id"), made: made}
}

// interval is the price interval of a price, and the price.
func (s *pairSub) interval(name string) (id, price string) {
	for k := range s.made.list("price_intervals") {
		if v := s.made.entry("price_intervals", k); v.at("price.name") == name {
			return v.text("id"), v.text("price.id")
		}
	}
	return "", ""
}

// each does something for every subscription.
func (h *pairPlay) each(do func(s *pairSub)) {
	for _, s := range h.subs {
		do(s)
	}
}

// live lives through the period.
func (h *pairPlay) live() {
	GinkgoHelper()
	p, e := pairPrices[h.prices], pairEvents[h.event]
	end := "2025-02-01"
	steps := map[string]func(){ // by day
		"2025-01-10": func() {
			h.uses("2025-01-10T00:00:00Z", "40")
			if e.ahead {
				h.each(func(s *pairSub) { h.move(s.id, h.next[s.buyer], onDate(e.ends)).expect(200) })
			}
		},
		"2025-01-16": func() { h.each(h.happens) },
	}
	also := func(day string, do func()) {
		before := steps[day]
		steps[day] = func() {
			if before != nil {
				before()
			}
			do()
		}
	}
	bounds := []string{end}
	if p.inParts {
		end = "2025-04-01"
		bounds = []string{"2025-02-01", "2025-03-01", end}
		if e.name != "cancellation" {
			steps["2025-02-10"] = func() { h.uses("2025-02-10T00:00:00Z", "24") }
			steps["2025-03-10"] = func() { h.uses("2025-03-10T00:00:00Z", "6") }
		}
	}
	if e.name == "cancellation" {
		bounds = []string{e.ends}
	}
	if strings.Contains(e.name, "plan") && p.usage > 0 {
		also("2025-01-20", func() { h.uses("2025-01-20T00:00:00Z", "33") })
	}
	if e.ahead {
		bounds = append([]string{e.ends}, bounds...)
	}
	if pairWindows[h.window].amid {
		also(h.day, func() { h.each(h.turn) })
	}
	if e.name == "usage removed" { // before the last invoice of the period is issued
		day := map[bool]string{true: "2025-03-20", false: "2025-01-20"}[p.inParts]
		also(day, func() { h.uses(day+"T00:00:00Z", "-12") })
	}
	if e.backs {
		reflected, reverted := "2025-01-19", "2025-01-25"
		if p.inParts { // each after an invoice of the cycle
			reflected, reverted = "2025-02-16", "2025-03-16"
		}
		var id string
		also(reflected, func() {
			id = h.post(backfills, object{"timeframe_start": "2025-01-03T00:00:00Z", "timeframe_end": "2025-01-05T00:00:00Z", "replace_existing_events": false}).expect(200).text("id")
			h.each(func(s *pairSub) { h.useIn(id, s.buyer, "2025-01-04T00:00:00Z", "30") })
			h.post(backfills+"/"+id+"/close", nil).expect(200)
			h.clock(reflected + "T00:00:00Z")
			Expect(h.get(backfills + "/" + id).expect(200).at("status")).To(Equal("reflected"))
		})
		also(reverted, func() {
			h.post(backfills+"/"+id+"/revert", nil).expect(200)
			h.clock(reverted + "T00:00:00Z")
			Expect(h.get(backfills + "/" + id).expect(200).at("status")).To(Equal("reverted"))
		})
	}
	for _, day := range bounds {
		also(day, func() {
			h.each(func(s *pairSub) { h.shows(s, day) })
			h.clock(day + "T13:00:00Z")
		})
	}
	days := make([]string, 0, len(steps))
	for day := range steps {
		days = append(days, day)
	}
	slices.Sort(days)
	for _, day := range days {
		if slices.Contains(bounds, day) {
			h.clock(instant(day+"T00:00:00Z").AddDate(0, 0, -1).Format("2006-01-02") + "T23:59:59Z")
			h.each(h.expects)
		}
		h.clock(day + "T00:00:00Z")
		steps[day]()
		if e.threshs && !slices.Contains(bounds, day) {
			h.clock(day + "T00:00:00Z") // the threshold is compared
		}
	}
	if e.name == "cancellation" {
		h.clock(end + "T13:00:00Z")
	}
}

// uses sends usage of every customer.
func (h *pairPlay) uses(at, n string) {
	GinkgoHelper()
	h.each(func(s *pairSub) { h.use(s.buyer, at, n) })
}

// happens makes the event happen to a subscription.
func (h *pairPlay) happens(s *pairSub) {
	GinkgoHelper()
	e, p := pairEvents[h.event], pairPrices[h.prices]
	path := "/v1/subscriptions/" + s.id
	switch e.name {
	case "more seats", "fewer seats":
		quantity := map[string]int{"more seats": 5, "fewer seats": 1}[e.name]
		_, price := s.interval("Fee 0")
		h.post(path+"/update_fixed_fee_quantity", object{"price_id": price, "quantity": quantity, "change_option": "immediate"}).expect(200)
	case "fee added":
		h.intervals(s.id, adding(object{
			"start_date": "2025-01-16", "price": with(h.fee("31.00"), with(h.cycle(), object{"name": "Added", "currency": "USD", "billed_in_advance": p.advance > 0})),
		})).expect(200)
	case "fee ended":
		id, _ := s.interval("Late")
		h.intervals(s.id, edit(id, object{"end_date": "2025-01-16"})).expect(200)
	case "cancellation", "cancellation taken back":
		h.cancel(s.id, asOf("2025-01-21")).expect(200)
		if e.name == "cancellation taken back" {
			h.post(path+"/unschedule_cancellation", object{}).expect(200)
		}
	case "plan change", "change to a plan without":
		h.previews(s)
		h.move(s.id, h.next[s.buyer], nil).expect(200)
	}
}

// turn makes the adjustment of a subscription begin, end or change.
func (h *pairPlay) turn(s *pairSub) {
	GinkgoHelper()
	if s.adjustment == nil {
		return
	}
	w := pairWindows[h.window]
	if w.coupon {
		h.redeem(s.id, (*s.adjustment.coupon)["redemption_code"].(string), nil).expect(200)
		return
	}
	change := object{}
	if !strings.Contains(w.name, "begins") {
		found := h.get("/v1/subscriptions/"+s.id).expect(200).entry("adjustment_intervals", 0).text("id")
		change["edit_adjustments"] = list{object{"adjustment_interval_id": found, "end_date": h.day}}
	}
	if value := map[string]int{"that begins inside": 0, "that changes inside": 1}; !strings.Contains(w.name, "ends") {
		change["add_adjustments"] = list{object{"adjustment": h.body(s.adjustment, value[w.name]), "start_date": h.day}}
	}
	h.intervals(s.id, change).expect(200)
}

// charged are the lines that the documents of a subscription charge for the period, oldest first.
func (h *pairPlay) charged(s *pairSub) (lines []pairLine) {
	GinkgoHelper()
	end, _ := pairLaw{prices: h.prices}.end()
	all := h.invoices(s.id)
	for k := range all.list("data") {
		inv := all.entry("data", k)
		if inv.text("status") == "draft" {
			continue
		}
		credited := map[string]money.Decimal{} // by line
		for n := range inv.list("credit_notes") {
			if note := inv.entry("credit_notes", n); note.at("voided_at") == nil {
				of := h.get("/v1/credit_notes/" + note.text("id")).expect(200)
				for m := range of.list("line_items") {
					l := of.entry("line_items", m)
					credited[l.text("name")] = credited[l.text("name")].Add(money.Must(l.text("amount")))
				}
			}
		}
		for n := range inv.list("line_items") {
			l := inv.entry("line_items", n)
			line := pairLine{
				name: l.text("name"), dated: inv.text("invoice_date")[:10], start: l.text("start_date")[:10], end: l.text("end_date")[:10],
				advance: l.at("price.billing_mode") == "in_advance", partial: inv.at("invoice_source") == "partial",
				next: strings.HasPrefix(l.text("name"), "Next "), amount: money.Must(l.text("amount")), credited: credited[l.text("name")],
			}
			if line.start >= end { // a fee of the next period
				continue
			}
			if strings.Contains(line.name, "Usage") {
				each := money.Must(l.text("price.unit_config.unit_amount"))
				line.each = &each
			}
			lines = append(lines, line)
		}
	}
	slices.SortStableFunc(lines, func(a, b pairLine) int { return strings.Compare(a.dated, b.dated) })
	for k := range lines { // a line to date begins where the one before of its price ended
		for _, before := range lines[:k] {
			if l := &lines[k]; l.each != nil && before.name == l.name && before.end < l.end && before.end > l.start {
				l.start = before.end
			}
		}
	}
	return lines
}

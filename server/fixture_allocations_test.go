package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
)

// monthlyCredits is the entry of a plan for so many credits a month, which expire at its end.
func monthlyCredits(amount string, change object) object {
	return object{"allocation_price": with(object{
		"amount": amount, "currency": "credits", "cadence": "monthly", "expires_at_end_of_cadence": true,
	}, change)}
}

// paidCredits is monthlyCredits at 0.05 each.
func paidCredits(amount string, change object) object {
	entry := monthlyCredits(amount, object{"per_unit_cost_basis": "0.05"})
	return object{"allocation_price": with(entry["allocation_price"].(object), change)}
}

// callsInCredits is the entry of a plan for usage of one credit a call.
func (s fixture) callsInCredits() object {
	return object{"price": with(s.calls("1"), object{"currency": "credits", "conversion_rate": 1})}
}

// subscribeTo subscribes a customer to a new plan of those entries, and returns the
// subscription's id.
func (s fixture) subscribeTo(customer string, change object, entries ...object) string {
	GinkgoHelper()
	prices := list{}
	for _, entry := range entries {
		prices = append(prices, entry)
	}
	plan := s.plan(object{"prices": prices}).text("id")
	return s.post("/v1/subscriptions", with(object{"customer_id": customer, "plan_id": plan}, change)).expect(201).text("id")
}

// allocationIntervals are the price intervals of a subscription that grant credits.
func (s fixture) allocationIntervals(subscription string) (found []value) {
	GinkgoHelper()
	all := s.get("/v1/subscriptions/" + subscription).expect(200)
	for k := range all.list("price_intervals") {
		if i := all.entry("price_intervals", k); i.at("price.credit_allocation") != nil {
			found = append(found, i)
		}
	}
	return found
}

// openAllocations are the ids of the allocationIntervals without an end.
func (s fixture) openAllocations(subscription string) (ids []string) {
	GinkgoHelper()
	for _, i := range s.allocationIntervals(subscription) {
		if i.at("end_date") == nil {
			ids = append(ids, i.text("id"))
		}
	}
	return ids
}

// datedRefunds writes the credit notes of a subscription's invoices, the newest invoice first, as
// "date of the invoice, total of the note".
func (s fixture) datedRefunds(subscription string) []string {
	GinkgoHelper()
	texts := []string{}
	all := s.invoices(subscription)
	for k := range all.list("data") {
		v := all.entry("data", k)
		for n := range v.list("credit_notes") {
			texts = append(texts, fmt.Sprint(v.text("invoice_date")[:10], " ", v.entry("credit_notes", n).at("total")))
		}
	}
	return texts
}

// refunds is datedRefunds without the dates.
func (s fixture) refunds(subscription string) []string {
	GinkgoHelper()
	texts := s.datedRefunds(subscription)
	for k, text := range texts {
		texts[k] = text[len("2025-06-01 "):]
	}
	return texts
}

package importaccount_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/server/cmd/tollkeeper/importaccount"
)

// settled is an account with something of everything that is moved, and the keys of its events.
type settled struct {
	site
	keys []string
}

// settle makes an account whose clock has passed month ends and a change to summer time, with
// as many subscriptions.
func settle(s site, subscriptions int) settled {
	GinkgoHelper()
	s.clock("2025-02-10T00:00:00Z")
	item := s.post("/items", object{"name": "Everything", "metadata": object{"team": "core"}})["id"]
	metric := s.post("/metrics", object{"name": "Sum", "description": nil, "item_id": item, "sql": "SELECT SUM(n) FROM events WHERE event_name = 'call'"})["id"]
	split := s.post("/metrics", object{"name": "By region", "description": "Apart", "item_id": item, "sql": "SELECT SUM(n) FROM events WHERE event_name = 'call'"})["id"]
	group := s.post("/dimensional_price_groups", object{"name": "Regions", "billable_metric_id": split, "dimensions": list{"region"}, "external_dimensional_price_group_id": "regions"})["id"]
	seats := s.post("/license_types", object{"name": "Seat", "grouping_key": "user"})["id"]

	price := func(name, model string, config any, more object) object {
		p := object{"name": name, "item_id": item, "cadence": "monthly", "model_type": model, model + "_config": config}
		maps.Copy(p, more)
		return object{"price": p}
	}
	unit := func(name, amount string, more object) object {
		return price(name, "unit", object{"unit_amount": amount}, more)
	}
	used := object{"billable_metric_id": metric}

	every := list{}
	for _, model := range domaintest.PriceModels() {
		more := used
		if model == "percent" || model == "minimum_composite" {
			more = nil // they charge for other prices
		}
		every = append(every, price(model, model, domaintest.PriceConfigs[model], more))
	}
	all := s.post("/plans", object{"name": "Every model", "currency": "USD", "external_plan_id": "every", "prices": every,
		"adjustments": list{object{"adjustment": object{"adjustment_type": "percentage_discount", "percentage_discount": json.Number("0.125"), "applies_to_all": true}}}})["id"]
	usual := s.post("/plans", object{"name": "Usual", "currency": "USD", "net_terms": 14, "prices": list{
		unit("Platform", "31.00", object{"fixed_price_quantity": 2, "external_price_id": "platform"}),
		unit("Support", "7.77", object{"billed_in_advance": false}),
		unit("Calls", "0.017", used),
		unit("Calls in Europe", "0.03", object{"billable_metric_id": split, "dimensional_price_configuration": object{
			"dimensional_price_group_id": group, "dimension_values": list{"eu"}}}),
		unit("Year", "365.00", object{"cadence": "annual"}),
		object{"allocation_price": object{"amount": "20", "currency": "USD", "cadence": "monthly", "expires_at_end_of_cadence": true, "item_id": item}},
	}})
	id := usual["id"]
	s.post(fmt.Sprintf("/plans/%s/versions", id), object{"version": 2, "set_as_default": true,
		"replace_prices":  list{object{"replaces_price_id": usual["prices"].(list)[2].(object)["id"], "price": unit("Calls", "0.019", used)["price"]}},
		"add_prices":      list{unit("Security", "3.00", object{"fixed_price_quantity": 1, "cadence": "quarterly"})},
		"add_adjustments": list{object{"adjustment": object{"adjustment_type": "minimum", "minimum_amount": "45.00", "item_id": item, "applies_to_item_ids": list{item}}}},
	})
	addOn := s.post("/prices", object{"name": "Extra", "item_id": item, "cadence": "monthly", "currency": "USD", "model_type": "unit",
		"unit_config": object{"unit_amount": "5.00"}, "fixed_price_quantity": 1, "external_price_id": "extra"})["id"]
	s.post("/coupons", object{"redemption_code": "OLD", "discount": object{"discount_type": "percentage", "percentage_discount": json.Number("0.5")}})
	coupon := s.post("/coupons", object{"redemption_code": "FOURTH", "duration_in_months": 6, "max_redemptions": 1000,
		"discount": object{"discount_type": "percentage", "percentage_discount": json.Number("0.25")}})["id"]

	zones := []string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata"}
	starts := []string{"2025-02-10", "2025-02-28", "2025-03-31", "2025-04-15", "2025-05-10", "2025-05-20"}
	customers, subs := []any{}, []any{}
	for k := range subscriptions {
		body := object{"name": fmt.Sprint("Customer ", k), "email": "bills@example.com", "external_customer_id": fmt.Sprint("c", k), "timezone": zones[k%len(zones)],
			"currency": "USD", "auto_collection": k%3 == 0, "billing_address": object{"line1": "1 Main St", "country": "US"}}
		if k == 1 {
			body["hierarchy"] = object{"parent_customer_id": customers[0]}
		}
		customers = append(customers, s.post("/customers", body)["id"])
		subs = append(subs, nil)
	}
	day := func(k int) string { return starts[k%len(starts)] }
	for _, start := range starts {
		s.clock(start + "T12:00:00Z")
		for k := range subscriptions {
			if day(k) != start {
				continue
			}
			body := object{"customer_id": customers[k], "start_date": start, "align_billing_with_subscription_start_date": k%2 == 0}
			switch k % 4 {
			case 0:
				body["plan_id"] = all
			case 1:
				body["plan_id"], body["plan_version_number"] = id, 1
			case 2:
				body["plan_id"], body["coupon_redemption_code"] = id, "FOURTH"
			default:
				body["plan_id"] = id
				body["add_prices"] = list{
					object{"price": with(unit("Only here", "4.40", object{"fixed_price_quantity": 3})["price"].(object), object{"reference_id": "here"})},
					object{"price_id": addOn},
				}
				body["add_adjustments"] = list{object{"adjustment": object{"adjustment_type": "amount_discount", "amount_discount": "1.10", "applies_to_price_ids": list{"here"}}}}
			}
			if k == 0 {
				body["plan_id"], body["usage_customer_ids"] = all, list{customers[0], customers[1]}
			}
			subs[k] = s.post("/subscriptions", body)["id"]
		}
	}
	if subscriptions > 4 {
		s.post(fmt.Sprintf("/subscriptions/%s/redeem_coupon", subs[3]), object{"coupon_id": coupon, "change_option": "immediate"})
	}

	s.clock("2025-05-24T12:00:00Z")
	for k := range subscriptions {
		credits := fmt.Sprintf("/customers/%s/credits/ledger_entry", customers[k])
		switch k % 3 {
		case 0:
			s.post(credits, object{"entry_type": "increment", "amount": 40, "currency": "USD", "effective_date": "2025-05-01", "expiry_date": "2026-01-01", "per_unit_cost_basis": "0.50"})
			s.post(credits, object{"entry_type": "increment", "amount": 3, "currency": "USD", "expiry_date": "2025-12-01",
				"filters": list{object{"field": "item_id", "operator": "includes", "values": list{item}}}})
		case 1:
			s.post(fmt.Sprintf("/customers/%s/balance_transactions", customers[k]), object{"type": "increment", "amount": "12.34"})
		}
		if k%4 != 0 {
			prices := s.get(fmt.Sprintf("/subscriptions/%s", subs[k]))["price_intervals"].(list)
			for _, p := range prices {
				if p := p.(object)["price"].(object); p["name"] == "Platform" {
					s.post(fmt.Sprintf("/subscriptions/%s/update_fixed_fee_quantity", subs[k]), object{"price_id": p["id"], "quantity": 2 + k%3, "effective_date": "2025-05-24"})
				}
			}
			s.post(fmt.Sprintf("/alerts/subscription_id/%s", subs[k]), object{"type": "cost_exceeded", "thresholds": list{object{"value": 1000}}})
		}
	}
	s.post(fmt.Sprintf("/customers/%s/credits/top_ups", customers[0]), object{"currency": "credits", "threshold": "0", "amount": "10", "per_unit_cost_basis": "0",
		"invoice_settings": object{"auto_collection": false, "net_terms": 0}})
	disabled := s.post(fmt.Sprintf("/alerts/customer_id/%s", customers[0]), object{"type": "credit_balance_dropped", "currency": "credits", "thresholds": list{object{"value": 5}}})["id"]
	s.post(fmt.Sprintf("/alerts/%s/disable", disabled), nil)
	_ = seats

	keys := []string{"never sent"}
	events := list{}
	for k := range subscriptions {
		for n := range 6 {
			key := fmt.Sprintf("event-%d-%d", k, n)
			keys = append(keys, key)
			events = append(events, object{"idempotency_key": key, "event_name": "call", "external_customer_id": fmt.Sprint("c", k),
				"timestamp": time.Date(2025, 5, 24, 1+n, k%60, 0, 0, time.UTC).Format(time.RFC3339), "properties": properties(k, n)})
		}
	}
	for batch := range slices.Chunk(events, 500) {
		s.post("/ingest", object{"events": batch})
	}
	s.clock("2025-05-27T09:00:00Z") // credits have paid for days, which are committed
	return settled{s, keys}
}

// properties have a value for whatever the models look at.
func properties(k, n int) object {
	return object{
		"n": json.Number(fmt.Sprintf("%d.5", 17*(k+3)+n)), "source": "api", "region": []string{"eu", "us"}[n%2], "tier": "hot", "colour": "blue", "shape": "circle",
		"cluster": "a", "user": fmt.Sprint("u", n%2), "site": "berlin", "table": "t", "kind": []string{"write", "download", "snapshot"}[n%3], "speed": "fast", "hour": n,
		"gpu": "h100", "zone": "eu", "job": "j", "channel": "sms", "project": "p", "size": "large", "day": "2025-05-24", "model": "gpt-s", "price": json.Number("0.7"), "order": "o",
	}
}

func with(o, more object) object {
	o = maps.Clone(o)
	maps.Copy(o, more)
	return o
}

func subscriptionsOfSpec() int {
	GinkgoHelper()
	text, set := os.LookupEnv("SPEC_SUBSCRIPTIONS")
	if !set {
		return 5
	}
	n, err := strconv.Atoi(text)
	Expect(err).NotTo(HaveOccurred())
	return n
}

var _ = Describe("An account that is moved", Ordered, func() {
	var m move
	var there string // the account of the source before anything was moved
	BeforeAll(func() {
		s := settle(newSite(), subscriptionsOfSpec())
		m = newMove(s.site, account(s.site), s.keys)
		m.target.clock("2025-05-27T09:00:00Z")
		there = fmt.Sprint(m.source.newest())
	})

	It("is read by a dry run, which says what cannot be moved and changes nothing", func() {
		before := m.target.newest()
		report, err := importaccount.Run(m.source.ctx, importaccount.Options{Source: m.source.Client, Target: m.target.Client, DryRun: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Created).To(HaveKeyWithValue("subscription", subscriptionsOfSpec()))
		Expect(report.Left).To(ContainElement(HaveField("Reason", ContainSubstring("the contract finds events by their keys only"))))
		Expect(report.Left).To(ContainElement(HaveField("Reason", ContainSubstring("its coupon"))))
		Expect(m.target.newest()).To(Equal(before))
	})

	It("arrives whole, however often the process is killed on the way", func() {
		for n := 0; ; n++ {
			ctx, cancel := context.WithCancel(m.source.ctx)
			target := m.target.client()
			target.Through(&killer{left: 4 + 6*n, after: n%2 == 0, cancel: cancel})
			report, err := importaccount.Run(ctx, m.options(target))
			cancel()
			if err == nil {
				Expect(n).To(BeNumerically(">", 2))
				for _, left := range report.Left {
					Expect(left.Reason).NotTo(Or(ContainSubstring("refuses"), ContainSubstring("refers to")), "%+v", report.Left)
				}
				break
			}
			Expect(err).To(MatchError(context.Canceled))
		}
		for _, path := range []string{"/items?limit=100", "/metrics?limit=100", "/coupons?limit=100", "/customers?limit=100", "/subscriptions?limit=100", "/dimensional_price_groups?limit=100", "/license_types?limit=100", "/plans?limit=100"} {
			Expect(m.target.count(path)).To(Equal(m.source.count(path)), path)
		}
	})

	It("has the same upcoming invoices, to the cent", func() {
		different, compared := m.differences()
		Expect(compared).To(Equal(subscriptionsOfSpec()))
		Expect(different).To(BeEmpty())
	})

	It("is left as it is by a second run", func() {
		before := m.target.newest()
		journal, err := os.ReadFile(m.journal)
		Expect(err).NotTo(HaveOccurred())
		report := m.run()
		Expect(report.Created).To(BeEmpty())
		Expect(m.target.newest()).To(Equal(before))
		Expect(os.ReadFile(m.journal)).To(Equal(journal))
		Expect(fmt.Sprint(m.source.newest())).To(Equal(there), "the source is only read")
	})

	It("differs when something happens at one side alone", func() {
		m.target.post("/ingest", object{"events": list{object{"idempotency_key": "more", "event_name": "call", "external_customer_id": "c3",
			"timestamp": "2025-05-27T08:00:00Z", "properties": properties(3, 0)}}})
		different, _ := m.differences()
		Expect(different).To(ContainElement(HavePrefix("c3: ")))
	})

	It("bills the same when the period ends", func() {
		m.source.post("/ingest", object{"events": list{object{"idempotency_key": "more", "event_name": "call", "external_customer_id": "c3",
			"timestamp": "2025-05-27T08:00:00Z", "properties": properties(3, 0)}}})
		for _, s := range []site{m.source, m.target} {
			s.clock("2025-07-02T12:00:00Z")
		}
		different, _ := m.differences()
		Expect(different).To(BeEmpty())
		Expect(totals(m.target)).To(Equal(totals(m.source)))
	})
})

// totals are the invoices of June and later, by customer.
func totals(s site) (all []string) {
	GinkgoHelper()
	page := s.get("/invoices?limit=100&invoice_date[gte]=2025-05-28")
	for _, i := range page["data"].(list) {
		i := i.(object)
		all = append(all, fmt.Sprint(i["customer"].(object)["external_customer_id"], " ", i["invoice_date"], " ", i["total"]))
	}
	slices.Sort(all)
	return all
}

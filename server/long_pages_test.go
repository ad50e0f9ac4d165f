package server_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
	"tollkeeper/store"
)

// A page ends after 1,000 lines, whatever limit allows (semantics 14.4.1).
var _ = Describe("A page of long records", func() {
	// pages are the numbers of records on the pages of a list.
	pages := func(s fixture, path string) (found []int) {
		GinkgoHelper()
		for cursor := ""; ; {
			page := s.get(path + cursor).expect(200)
			found = append(found, len(page.list("data")))
			if page.at("pagination_metadata.has_more") == false {
				return found
			}
			cursor = "&cursor=" + page.text("pagination_metadata.next_cursor")
		}
	}
	It("has fewer than limit, of drafts and issued invoices", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(nil)
		long := make(list, 501)
		for k := range long {
			long[k] = with(s.widgets("1", "0.10"), object{"name": fmt.Sprint("Widget ", k)})
		}
		for range 2 {
			s.post("/v1/invoices", s.oneOff(buyer, object{"line_items": long})).expect(201)
		}
		s.post("/v1/invoices", s.oneOff(buyer, nil)).expect(201)
		drafts := s.get("/v1/invoices?limit=100&status[]=draft").expect(200)
		Expect(drafts.at("pagination_metadata.has_more")).To(BeTrue())
		Expect(pages(s, "/v1/invoices?limit=100&status[]=draft")).To(Equal([]int{2, 1}))
		for _, id := range drafts.each("data", "id") {
			s.post("/v1/invoices/"+id.(string)+"/issue", nil).expect(200)
		}
		Expect(pages(s, "/v1/invoices?limit=100&status[]=draft&status[]=issued")).To(Equal([]int{2, 1}))
	})

	It("has fewer than limit, of plans, prices and subscriptions with long rates", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		tiers := make(list, 500)
		for k := range tiers {
			tiers[k] = object{"first_unit": k, "last_unit": k + 1, "unit_amount": fmt.Sprintf("0.%09d", k*k*7919)}
		}
		tiers[499].(object)["last_unit"] = nil
		prices := make([]object, 8)
		for k := range prices {
			prices[k] = with(s.calls("1.00"), object{"name": fmt.Sprint("Tiers ", k), "model_type": "tiered", "tiered_config": object{"tiers": tiers}})
			delete(prices[k], "unit_config")
		}
		for range 3 {
			s.subscribe(s.buyer(nil), nil, prices...)
		}
		for _, path := range []string{"/v1/plans", "/v1/subscriptions", "/v1/prices"} {
			found := pages(s, path+"?limit=100")
			Expect(len(found)).To(BeNumerically(">", 1), path)
			sum := 0
			for _, n := range found {
				sum += n
			}
			Expect(sum).To(Or(Equal(3), Equal(24)), path)
		}
	})

	It("has fewer than limit, of alerts with long filters and groups with long dimensions", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		long := make(list, 1000)
		for k := range long {
			long[k] = fmt.Sprintf("p%x", sha256.Sum256(fmt.Append(nil, k)))
		}
		many := s.subscribe(s.buyer(nil), nil, s.calls("1.00")).text("id")
		few := s.subscribe(s.buyer(nil), nil, s.calls("1.00")).text("id")
		for range 3 {
			spend := object{"type": "spend_exceeded", "currency": "USD", "thresholds": thresholds("10")}
			s.post("/v1/alerts/subscription_id/"+few, spend).expect(201)
			s.post("/v1/alerts/subscription_id/"+many, with(spend, object{"price_filters": list{filter("price_id", "includes", long...)}})).expect(201)
		}
		Expect(pages(s, "/v1/alerts?limit=100&subscription_id="+many)).To(Equal([]int{1, 1, 1}))
		Expect(pages(s, "/v1/alerts?limit=100&subscription_id="+few)).To(Equal([]int{3}))

		for k, dimensions := range []list{long, long, {"region"}, long} {
			s.post("/v1/dimensional_price_groups", object{"name": fmt.Sprint("Group ", k), "billable_metric_id": s.metric, "dimensions": dimensions}).expect(201)
		}
		Expect(pages(s, "/v1/dimensional_price_groups?limit=100")).To(Equal([]int{2, 1, 1}))
	})

	It("has fewer than limit, of plans and subscriptions with long adjustments", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		tiers := make(list, 1000)
		for k := range tiers {
			tiers[k] = object{"lower_bound": k, "upper_bound": k + 1, "percentage": json.Number(fmt.Sprintf("0.%09d", k*k*7919%1_000_000_000))}
		}
		tiers[len(tiers)-1].(object)["upper_bound"] = nil
		less := list{}
		for range 8 {
			less = append(less, object{"adjustment": off("tiered_percentage_discount", "tiers", tiers, nil)})
		}
		var sub string
		for k := range 3 {
			_, sub = s.adjusted(object{
				"name": fmt.Sprint("Plan ", k), "prices": list{object{"price": s.fee("1.00")}}, "adjustments": less,
			}, nil)
		}
		Expect(pages(s, "/v1/plans?limit=100")).To(Equal([]int{1, 1, 1}))
		Expect(pages(s, "/v1/subscriptions?limit=100")).To(Equal([]int{1, 1, 1}))

		By("and the console offers all plans")
		form := s.desk(user.RoleFinance).see("/console/subscriptions/" + sub + "/change").html
		for k := range 3 {
			Expect(form).To(ContainSubstring(fmt.Sprint(">Plan ", k, "<")))
		}
	})

	It("has fewer than limit, of issued invoices with long sub-line items, and the console counts no more than it read", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(nil)
		for range 3 {
			s.post("/v1/invoices", s.oneOff(buyer, object{"net_terms": 0, "will_auto_issue": true})).expect(201)
		}
		s.clock("2025-03-10T00:00:00Z")
		Expect(pages(s, "/v1/invoices?limit=100")).To(Equal([]int{3}))
		Expect(s.desk(user.RoleFinance).see("/console").html).To(And(ContainSubstring("3 invoices are overdue"), Not(ContainSubstring("At least"))))
		*s.spoiled = true
		s.owner(`SET session_replication_role = replica; UPDATE invoice_lines SET parts = (
			SELECT jsonb_agg(parts -> 0 || jsonb_build_object('Name', (SELECT string_agg(md5(n || ' ' || m), '') FROM generate_series(1, 300) m)))
			FROM generate_series(1, 150) n) WHERE account_id = '` + store.AccountID(s.ctx) + "'")
		Expect(pages(s, "/v1/invoices?limit=100")).To(Equal([]int{1, 1, 1}))
		Expect(s.desk(user.RoleFinance).see("/console").html).To(ContainSubstring("At least 1 invoice is overdue"))
	})
})

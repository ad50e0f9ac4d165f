package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
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
})

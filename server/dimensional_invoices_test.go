package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Invoices of dimensional prices", func() {
	// machines is a fixture that counts hours of machines by region and size.
	machines := func() (s fixture, price func(name, amount, size string) object) {
		GinkgoHelper()
		s = newFixture("2025-03-01T00:00:00Z")
		group := s.post("/v1/dimensional_price_groups", object{
			"name": "Machines", "billable_metric_id": s.api.metric("SELECT COUNT(*) FROM events WHERE event_name = 'vm_hour'"),
			"dimensions": list{"region", "size"},
		}).expect(201).text("id")
		return s, func(name, amount, size string) object {
			return with(s.fee(amount), object{"name": name, "dimensional_price_configuration": object{
				"dimensional_price_group_id": group, "dimension_values": list{"us-east-1", size},
			}})
		}
	}
	// run sends n hours of machines.
	run := func(s fixture, buyer string, n int, region string, size any) {
		GinkgoHelper()
		events := list{}
		for range n {
			*s.sent++
			events = append(events, object{
				"idempotency_key": fmt.Sprint("h", *s.sent), "event_name": "vm_hour", "customer_id": buyer,
				"timestamp": "2025-03-01T00:00:00Z", "properties": object{"region": region, "size": size},
			})
		}
		s.post("/v1/ingest", object{"events": events}).expect(200)
	}

	It("DP-1: charge each combination that a price is for, and nothing else", func() {
		s, price := machines()
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, price("Small", "0.10", "small"), price("Large", "0.40", "large")).text("id")
		run(s, buyer, 30, "us-east-1", "small")
		run(s, buyer, 5, "us-east-1", "large")
		run(s, buyer, 7, "eu-west-1", "small")
		bill := s.invoices(sub).entry("data", 0)
		Expect(bill.each("line_items", "amount")).To(Equal(list{"3.00", "2.00"}))
		Expect(bill.at("total")).To(Equal("5.00"))
		Expect(bill.each("line_items", "filter")).To(Equal(list{
			"region = 'us-east-1' AND size = 'small'", "region = 'us-east-1' AND size = 'large'",
		}))
		s.explain(bill, 0).shows(object{"quantity.source": "metric", "quantity.filter": "region = 'us-east-1' AND size = 'small'"})
	})

	It("DP-3: compare numbers as the text they are written in, and quote what filters show", func() {
		s, price := machines()
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, price("Two", "1.00", "2"), price("Odd", "1.00", "it's")).text("id")
		run(s, buyer, 3, "us-east-1", 2)
		run(s, buyer, 1, "us-east-1", "2")
		run(s, buyer, 2, "us-east-1", "it's")
		bill := s.invoices(sub).entry("data", 0)
		Expect(bill.each("line_items", "amount")).To(Equal(list{"4.00", "2.00"}))
		Expect(bill.at("line_items[1].filter")).To(Equal("region = 'us-east-1' AND size = 'it''s'"))
	})
})

package server_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sends sends events on 3 March, each written "name n" or "name n region".
func (s fixture) sends(buyer string, events ...string) {
	GinkgoHelper()
	sent := list{}
	for _, each := range events {
		fields := strings.Fields(each)
		properties := object{"n": number(fields[1])}
		if len(fields) > 2 {
			properties["region"] = fields[2]
		}
		*s.sent++
		sent = append(sent, object{
			"idempotency_key": fmt.Sprintf("e%06d", *s.sent), "event_name": fields[0], "customer_id": buyer,
			"timestamp": "2025-03-01T02:00:00Z", "properties": properties,
		})
	}
	s.post("/v1/ingest", object{"events": sent}).expect(200)
}

// cost is what a subscription has come to so far.
func (s fixture) cost(subscription string) string {
	GinkgoHelper()
	answer := s.get("/v1/subscriptions/" + subscription + "/costs?view_mode=cumulative")
	answer.expect(200)
	return lastTotal(string(answer.text))
}

var _ = Describe("defect 4: names of columns and properties", func() {
	var s fixture
	var buyer, sum string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer, sum = s.buyer(nil), s.metric
		s.api.clock("2025-03-01T03:00:00Z")
		sum = s.api.metric("SELECT SUM(n) FROM events WHERE n > 0")
	})
	// by is a price of that model on all events.
	by := func(model string, config object) object {
		return with(s.calls("0"), object{"billable_metric_id": sum, "model_type": model, "unit_config": absent, model + "_config": config})
	}
	allowance := func(key string) object {
		return by("metered_allowance", object{
			"grouping_key": key, "consumption_grouping_value": "download", "allowance_grouping_value": "upload", "unit_amount": "1.00",
		})
	}
	matrix := func(keys ...any) object {
		values := list{"download", "eu"}[:len(keys)]
		return by("matrix", object{
			"default_unit_amount": "0", "dimensions": keys, "matrix_values": list{object{"dimension_values": values, "unit_amount": "2.00"}},
		})
	}

	DescribeTable("group what a price charges, from events and from buckets",
		func(price func() object, total string) {
			s.sends(buyer, "download 15 eu", "upload 5 eu", "download 10 us", "other 3 us")
			sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, price()).text("id")
			Expect(s.cost(sub)).To(Equal(total))
			s.api.clock("2025-04-02T00:00:00Z")
			Expect(s.bills(sub)[0]).To(Equal("2025-04-01 issued " + total))
			s.agree()
		},
		Entry("metered allowance by event_name", func() object { return allowance("event_name") }, "20.00"),
		Entry("a matrix by event_name", func() object { return matrix("event_name") }, "50.00"),
		Entry("a matrix by event_name and properties.region", func() object { return matrix("event_name", "properties.region") }, "30.00"),
		Entry("a matrix by a quoted property", func() object { return matrix("event_name", `"region"`) }, "30.00"),
		Entry("a matrix by a quoted property behind the prefix", func() object { return matrix("event_name", `properties."region"`) }, "30.00"),
		Entry("groups by event_name", func() object {
			return by("grouped_allocation", object{"grouping_key": "event_name", "allocation": "5", "overage_unit_rate": "1.00"})
		}, "20.00"),
		Entry("a filter by event_name", func() object {
			return by("bulk_with_filters", object{
				"filters": list{object{"property_key": "event_name", "property_value": "download"}, object{"property_key": "properties.region", "property_value": "eu"}},
				"tiers":   list{object{"unit_amount": "1.00"}, object{"tier_lower_bound": "1000", "unit_amount": "1.00"}},
			})
		}, "15.00"),
		Entry("a dimensional price by event_name", func() object {
			group := s.post("/v1/dimensional_price_groups", object{
				"name": "By name", "billable_metric_id": sum, "dimensions": list{"event_name", "properties.region"},
			}).expect(201).text("id")
			return with(s.calls("1.00"), object{"billable_metric_id": sum, "dimensional_price_configuration": object{
				"dimensional_price_group_id": group, "dimension_values": list{"download", "us"},
			}})
		}, "10.00"),
	)

	It("show a price by event_name on an invoice", func() {
		s.sends(buyer, "download 15", "upload 5", "download 10")
		sub := s.subscribe(buyer, nil, with(s.calls("1.00"), object{"billable_metric_id": sum, "invoice_grouping_key": "event_name"})).text("id")
		s.api.clock("2025-04-02T00:00:00Z")
		bill := s.invoices(sub).entry("data", 1)
		Expect(bill.at("total")).To(Equal("30.00"))
		Expect(bill.each("line_items[0].sub_line_items", "grouping")).To(Equal(list{
			object{"key": "event_name", "value": "download"}, object{"key": "event_name", "value": "upload"},
		}))
	})

	It("tell a property apart that is called like a column, or has a dot", func() {
		s.post("/v1/ingest", object{"events": list{object{
			"idempotency_key": "odd", "event_name": "download", "customer_id": buyer, "timestamp": "2025-03-01T02:00:00Z",
			"properties": object{"n": 4, "event_name": "mine", "a.b": "dot", "properties.c": "twice"},
		}}}).expect(200)
		sub := s.subscribe(buyer, nil, with(s.calls("1.00"), object{"billable_metric_id": sum})).text("id")
		for key, value := range map[string]string{
			"event_name": "download", "properties.event_name": "mine", "a.b": "dot", "properties.a.b": "dot", "properties.properties.c": "twice",
			"external_customer_id": "", "customer_id": buyer, "timestamp_millis": "1740794400000",
		} {
			shown := s.get("/v1/subscriptions/" + sub + "/usage?billable_metric_id=" + sum + "&group_by=" + key).expect(200)
			if value == "" {
				Expect(shown.list("data")).To(BeEmpty(), key)
				continue
			}
			Expect(shown.at("data[0].metric_group")).To(Equal(map[string]any{"property_key": key, "property_value": value}))
		}
	})

	It("mean in usage, evaluation, licenses and alerts what they mean in prices", func() {
		s.sends(buyer, "download 15 eu", "upload 5 eu", "download 10 us")
		sub := s.subscribe(buyer, nil, with(s.calls("1.00"), object{"billable_metric_id": sum}))
		shown := s.get("/v1/subscriptions/" + sub.text("id") + "/usage?billable_metric_id=" + sum + "&group_by=event_name").expect(200)
		Expect(shown.each("data", "metric_group.property_value")).To(Equal(list{"download", "upload"}))
		shown = s.get("/v1/subscriptions/" + sub.text("id") + "/usage?billable_metric_id=" + sum +
			"&first_dimension_key=event_name&first_dimension_value=download&second_dimension_key=properties.region&second_dimension_value=us").expect(200)
		Expect(shown.at("data[0].usage[0].quantity")).To(Equal(number("10")))
		price := sub.text("price_intervals[0].price.id")
		evaluated := s.post("/v1/prices/"+price+"/evaluate", object{
			"customer_id": buyer, "timeframe_start": "2025-03-01T00:00:00Z", "timeframe_end": "2025-03-02T00:00:00Z",
			"grouping_keys": list{"event_name", "properties.region"},
		}).expect(200)
		Expect(evaluated.each("data", "amount")).To(Equal(list{"15.00", "10.00", "5.00"}))
		alert := s.post("/v1/alerts/subscription_id/"+sub.text("id"), object{
			"type": "cost_exceeded", "currency": "USD", "grouping_keys": list{"event_name"}, "thresholds": list{object{"value": 20}},
		}).expect(201)
		Expect(alert.at("grouping_keys")).To(Equal(list{"event_name"}))
	})

	DescribeTable("are refused where they name nothing",
		func(ask func(name string) *answer, field string) {
			for _, name := range []string{"hour_floor_timestamp_millis(timestamp_millis)", "properties.", "two words", "region = 'eu'", "7", " region"} {
				ask(name).invalid(field + ": must be the name of a column or property of events")
			}
			ask(`"two words"`).expect(201)
		},
		Entry("by a configuration", func(name string) *answer {
			return s.post("/v1/prices", with(allowance(name), object{"currency": "USD"}))
		}, "metered_allowance_config.grouping_key"),
		Entry("by a dimension", func(name string) *answer {
			return s.post("/v1/prices", with(matrix("region", name), object{"currency": "USD"}))
		}, "matrix_config.dimensions[1]"),
		Entry("by an invoice grouping key", func(name string) *answer {
			return s.post("/v1/prices", with(s.calls("1"), object{"currency": "USD", "invoice_grouping_key": name}))
		}, "invoice_grouping_key"),
		Entry("by a dimensional price group", func(name string) *answer {
			return s.post("/v1/dimensional_price_groups", object{"name": "G", "billable_metric_id": sum, "dimensions": list{"region", name}})
		}, "dimensions[1]"),
		Entry("by a license type", func(name string) *answer {
			return s.post("/v1/license_types", object{"name": "Seat", "grouping_key": name})
		}, "grouping_key"),
	)

	It("are refused by usage and alerts where they name nothing, and where they name one thing twice", func() {
		sub := s.subscribe(buyer, nil, with(s.calls("1.00"), object{"billable_metric_id": sum})).text("id")
		usage := "/v1/subscriptions/" + sub + "/usage?billable_metric_id=" + sum
		s.get(usage + "&group_by=a%2Bb").invalid("group_by: must be the name of a column or property")
		s.get(usage + "&first_dimension_key=a%2Bb&first_dimension_value=x").invalid("first_dimension_key: must be the name of a column or property")
		asks := func(keys ...any) *answer {
			return s.post("/v1/alerts/subscription_id/"+sub, object{
				"type": "cost_exceeded", "currency": "USD", "grouping_keys": keys, "thresholds": list{object{"value": 20}},
			})
		}
		asks("event_name", "a + b").invalid("grouping_keys[1]: must be the name of a column or property")
		asks("region", "properties.region").invalid("grouping_keys[1]: must be given only once")
		s.post("/v1/dimensional_price_groups", object{
			"name": "G", "billable_metric_id": sum, "dimensions": list{"region", "properties.region"},
		}).invalid("dimensions[1]: must not name the same")
	})
})

package server_test

import (
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// number is a JSON number of an answer.
func number(text string) json.Number { return json.Number(text) }

// groups writes what a price comes to, as "values: quantity for amount".
func groups(answer value, array string) []string {
	GinkgoHelper()
	texts := []string{}
	for _, each := range answer.list(array) {
		g := value{answer.asked, each}
		texts = append(texts, fmt.Sprintf("%v: %v for %s", g.at("grouping_values"), g.at("quantity"), g.at("amount")))
	}
	return texts
}

var _ = Describe("Evaluating prices", func() {
	var s fixture
	var buyer, price string
	var frame object // of the buyer in May, before the clock
	BeforeEach(func() {
		s = newFixture("2025-05-20T12:00:00Z")
		buyer = s.buyer(object{"external_customer_id": "acme"})
		price = s.post("/v1/prices", with(s.calls("0.0335"), object{"currency": "USD", "external_price_id": "calls"})).expect(201).text("id")
		frame = object{"customer_id": buyer, "timeframe_start": "2025-05-01T00:00:00Z", "timeframe_end": "2025-06-01T00:00:00Z"}
		s.use(buyer, "2025-05-20T12:00:00Z", "1", "2.5", `4, "region": "eu", "tier": 5`, `3, "region": "us", "tier": "5"`, `2, "region": "eu", "tier": 5.0`)
	})

	// inline is a price that is not saved.
	inline := func(change object) object {
		return with(with(s.calls("2"), object{"currency": "USD"}), change)
	}

	Describe("POST /v1/prices/{price_id}/evaluate", func() {
		evaluate := func(change object) *answer { return s.post("/v1/prices/"+price+"/evaluate", with(frame, change)) }

		It("answers with all usage as one group, not rounded to cents", func() {
			answer := evaluate(nil).expect(200)
			Expect(answer.json).To(Equal(object{"data": list{object{
				"amount": "0.41875", "quantity": number("12.5"), "grouping_values": list{},
			}}}))
		})

		It("answers with groups whose values keep their types, and leaves events without them out", func() {
			answer := evaluate(object{"grouping_keys": list{"region", "tier"}}).expect(200)
			Expect(groups(answer, "data")).To(Equal([]string{`[eu 5]: 6 for 0.201`, `[us 5]: 3 for 0.1005`}))
			Expect(answer.at("data[0].grouping_values")).To(Equal(list{"eu", number("5")}))
			Expect(answer.at("data[1].grouping_values")).To(Equal(list{"us", "5"}))
		})

		It("groups and filters by computed properties", func() {
			answer := evaluate(object{
				"grouping_keys": list{"hour_floor_timestamp_millis(timestamp_millis)", "n > 2"}, "filter": "region IS NULL OR region = 'eu'",
			}).expect(200)
			Expect(groups(answer, "data")).To(Equal([]string{"[1747742400000 false]: 3 for 0.1005", "[1747742400000 true]: 6.5 for 0.21775"}))
		})

		It("answers with nothing of no usage: one group, or none by grouping keys", func() {
			none := object{"timeframe_start": "2025-05-01T00:00:00Z", "timeframe_end": "2025-05-20T12:00:00Z"}
			Expect(groups(evaluate(none).expect(200), "data")).To(Equal([]string{"[]: 0 for 0.00"}))
			Expect(evaluate(with(none, object{"grouping_keys": list{"region"}})).expect(200).at("data")).To(BeEmpty())
		})

		It("knows the customer by the alias", func() {
			answer := evaluate(object{"customer_id": nil, "external_customer_id": "acme"}).expect(200)
			Expect(groups(answer, "data")).To(Equal([]string{"[]: 12.5 for 0.41875"}))
		})

		It("counts the usage of no other customer", func() {
			Expect(groups(evaluate(object{"customer_id": s.buyer(nil)}).expect(200), "data")).To(Equal([]string{"[]: 0 for 0.00"}))
		})

		It("echoes an Idempotency-Key and remembers nothing", func() {
			key := header{"Idempotency-Key", "k1"}
			first := s.post("/v1/prices/"+price+"/evaluate", frame, key)
			first.expect(200)
			Expect(first.header.Get("Idempotency-Key")).To(Equal("k1"))
			again := s.post("/v1/prices/"+price+"/evaluate", with(frame, object{"filter": "n > 2"}), key)
			Expect(groups(again.expect(200), "data")).To(Equal([]string{"[]: 9.5 for 0.31825"}))
			Expect(again.header.Get("Idempotent-Replayed")).To(BeEmpty())
		})

		It("reaches back a hundred days, and no further", func() {
			evaluate(object{"timeframe_start": "2025-02-09T12:00:00Z"}).expect(200)
			evaluate(object{"timeframe_start": "2025-02-09T11:59:59Z"}).invalid("timeframe_start: must be at most 100 days ago")
		})

		DescribeTable("refuses",
			func(change object, violations ...string) { evaluate(change).invalid(violations...) },
			Entry("no timeframe", object{"timeframe_start": absent, "timeframe_end": absent}, "timeframe_start: is required", "timeframe_end: is required"),
			Entry("a timeframe without any time", object{"timeframe_end": "2025-05-01T00:00:00Z"}, "timeframe_end: must be after timeframe_start"),
			Entry("a time that is none", object{"timeframe_start": "2025-02-30T00:00:00Z"}, "timeframe_start: "),
			Entry("a bare date", object{"timeframe_start": "2025-05-01"}, "timeframe_start: "),
			Entry("no customer", object{"customer_id": nil}, "customer_id: must be given, or external_customer_id"),
			Entry("a customer named twice", object{"external_customer_id": "acme"}, "customer_id: must be given, or external_customer_id"),
			Entry("a filter that cannot be read", object{"filter": "n >"}, "filter: line 1, column 4: "),
			Entry("a filter that is no condition", object{"filter": "'eu'"}, "filter: line 1, column 1: "),
			Entry("a grouping key that cannot be read", object{"grouping_keys": list{"n", "n +"}}, "grouping_keys[1]: line 1, column 4: "),
			Entry("an empty grouping key", object{"grouping_keys": list{""}}, "grouping_keys[0]: must not be empty"),
			Entry("eleven grouping keys", object{"grouping_keys": list{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}}, "grouping_keys: must have at most 10 entries"),
			Entry("values of no type of parameters", object{"metric_parameter_overrides": object{"a": true, "b": nil, "c": list{}}},
				"metric_parameter_overrides.a: ", "metric_parameter_overrides.b: ", "metric_parameter_overrides.c: "),
			Entry("a member nobody knows", object{"colour": "red"}, "colour: "),
		)

		It("takes no parameters for none", func() {
			evaluate(object{"metric_parameter_overrides": object{}, "filter": nil, "grouping_keys": list{}}).expect(200)
			evaluate(object{"metric_parameter_overrides": nil}).expect(200)
		})

		It("misses a price and a customer that do not exist", func() {
			s.post("/v1/prices/nope/evaluate", frame).refuse(404, "404-resource-not-found", "Price", "nope")
			evaluate(object{"customer_id": "nope"}).refuse(404, "404-resource-not-found", "Customer", "nope")
			evaluate(object{"customer_id": nil, "external_customer_id": "nope"}).refuse(404, "404-resource-not-found", "Customer", "nope")
		})

		It("evaluates a fixed fee at its quantity, which can be neither filtered nor grouped", func() {
			fee := s.post("/v1/prices", with(s.fee("10.00"), object{"currency": "USD", "fixed_price_quantity": 3})).expect(201).text("id")
			path := "/v1/prices/" + fee + "/evaluate"
			Expect(groups(s.post(path, frame).expect(200), "data")).To(Equal([]string{"[]: 3 for 30.00"}))
			s.post(path, with(frame, object{"filter": "n > 1"})).refuse(400, "400-constraint-violation", "filter: ")
			s.post(path, with(frame, object{"grouping_keys": list{"n"}})).refuse(400, "400-constraint-violation", "grouping_keys: ")
		})

		It("refuses a thousand groups and one", func() {
			numbers := make([]string, 1000)
			for i := range numbers {
				numbers[i] = fmt.Sprintf(`1, "k": %d`, i)
			}
			s.use(buyer, "2025-05-20T12:00:00Z", numbers...)
			Expect(evaluate(object{"grouping_keys": list{"k"}}).expect(200).list("data")).To(HaveLen(1000))
			s.use(buyer, "2025-05-20T12:00:00Z", `1, "k": "one more"`)
			evaluate(object{"grouping_keys": list{"k"}}).refuse(400, "400-constraint-violation", "1000 groups")
		})
	})

	Describe("POST /v1/prices/evaluate", func() {
		evaluate := func(prices ...any) *answer {
			return s.post("/v1/prices/evaluate", with(frame, object{"price_evaluations": append(list{}, prices...)}))
		}

		It("answers for prices by id, by alias and of the request, in their order", func() {
			answer := evaluate(
				object{"external_price_id": "calls", "filter": "region = 'eu'"},
				object{"price": inline(object{"external_price_id": "mine"}), "price_id": nil},
				object{"price_id": price, "grouping_keys": list{"region"}, "price": nil},
				object{"price": inline(object{"currency": "JPY", "billable_metric_id": absent, "fixed_price_quantity": 2})},
			).expect(200)
			Expect(answer.json).To(Equal(object{"data": list{
				object{
					"currency": "USD", "price_id": price, "external_price_id": "calls", "inline_price_index": nil,
					"price_groups": list{object{"amount": "0.201", "quantity": number("6"), "grouping_values": list{}}},
				},
				object{
					"currency": "USD", "price_id": nil, "external_price_id": "mine", "inline_price_index": number("1"),
					"price_groups": list{object{"amount": "25.00", "quantity": number("12.5"), "grouping_values": list{}}},
				},
				object{
					"currency": "USD", "price_id": price, "external_price_id": "calls", "inline_price_index": nil,
					"price_groups": list{
						object{"amount": "0.201", "quantity": number("6"), "grouping_values": list{"eu"}},
						object{"amount": "0.1005", "quantity": number("3"), "grouping_values": list{"us"}},
					},
				},
				object{
					"currency": "JPY", "price_id": nil, "external_price_id": nil, "inline_price_index": number("3"),
					"price_groups": list{object{"amount": "4", "quantity": number("2"), "grouping_values": list{}}},
				},
			}}))
			Expect(s.get("/v1/prices").expect(200).list("data")).To(HaveLen(1), "no price is saved")
		})

		It("rates each group as if it were alone", func() {
			tiers := object{"model_type": "tiered", "unit_config": absent, "tiered_config": object{"tiers": list{
				object{"first_unit": 0, "last_unit": 3, "unit_amount": "1"}, object{"first_unit": 3, "last_unit": nil, "unit_amount": "0.5"},
			}}}
			answer := evaluate(object{"price": inline(tiers)}, object{"price": inline(tiers), "grouping_keys": list{"region"}}).expect(200)
			Expect(groups(answer, "data[0].price_groups")).To(Equal([]string{"[]: 12.5 for 7.75"}))
			Expect(groups(answer, "data[1].price_groups")).To(Equal([]string{"[eu]: 6 for 4.50", "[us]: 3 for 3.00"}))
		})

		It("answers for no prices with nothing", func() {
			Expect(s.post("/v1/prices/evaluate", frame).expect(200).at("data")).To(BeEmpty())
		})

		DescribeTable("refuses",
			func(asked object, violations ...string) {
				evaluate(object{"price_id": price}, asked).invalid(violations...)
			},
			Entry("no price", object{}, "price_evaluations[1].price_id: must be given"),
			Entry("a price named twice", object{"price_id": "a", "external_price_id": "b"}, "price_evaluations[1].price_id: must be given"),
			Entry("what is wrong with several parts", object{"price_id": "a", "filter": "n >", "grouping_keys": list{"n +"}},
				"price_evaluations[1].filter: ", "price_evaluations[1].grouping_keys[0]: "),
			Entry("a parameter that is too long", object{"price_id": "a", "metric_parameter_overrides": object{"x": strings.Repeat("x", 256)}},
				"price_evaluations[1].metric_parameter_overrides.x: must have at most 255 bytes"),
			Entry("a member nobody knows", object{"price_id": "a", "colour": "red"}, "price_evaluations[1].colour: "),
		)

		DescribeTable("refuses a price of the request that could not be created",
			func(change object, violation string) {
				evaluate(object{"price": inline(change)}).invalid("price_evaluations[0]." + violation)
			},
			Entry("without a currency", object{"currency": absent}, "price.currency: is required"),
			Entry("of a wrong configuration", object{"unit_config": object{"unit_amount": "-1"}}, "price.unit_config.unit_amount: "),
			Entry("of a cycle it must name", object{"cadence": "custom"}, "price.billing_cycle_configuration: "),
			Entry("of an unknown model", object{"model_type": "magic"}, "price.model_type: "),
			Entry("that charges for other prices", object{
				"model_type": "percent", "unit_config": absent, "percent_config": object{"percent": 0.1}, "billable_metric_id": absent,
			}, "price: charges for other prices"),
		)

		It("refuses the filter of a fixed fee of the request as wrong in itself", func() {
			evaluate(object{"price": inline(object{"billable_metric_id": absent}), "filter": "n > 1"}).invalid("price_evaluations[0].filter: ")
		})

		It("misses what prices name and does not exist", func() {
			evaluate(object{"price_id": "nope"}).refuse(404, "404-resource-not-found", "Price", "nope")
			evaluate(object{"external_price_id": "nope"}).refuse(404, "404-resource-not-found", "Price", "nope")
			evaluate(object{"price": inline(object{"item_id": "nope"})}).refuse(404, "404-resource-not-found", "Item", "nope")
			evaluate(object{"price": inline(object{"billable_metric_id": "nope"})}).refuse(404, "404-resource-not-found", "Metric", "nope")
		})

		It("takes from one to a hundred prices", func() {
			prices := list{}
			for range 100 {
				prices = append(prices, object{"price_id": price})
			}
			Expect(evaluate(prices...).expect(200).list("data")).To(HaveLen(100))
			evaluate(append(prices, object{"price_id": price})...).invalid("price_evaluations: must have from 1 to 100 entries")
			evaluate().invalid("price_evaluations: must have from 1 to 100 entries")
		})
	})

	Describe("POST /v1/prices/evaluate_preview_events", func() {
		event := object{"event_name": "call", "timestamp": "2025-05-10T00:00:00Z", "properties": object{"n": 2}}
		preview := func(change object, events ...any) *answer {
			body := with(frame, object{"price_evaluations": list{object{"price_id": price}}, "events": append(list{}, events...)})
			return s.post("/v1/prices/evaluate_preview_events", with(body, change))
		}

		It("charges the events of the request, and no stored ones", func() {
			answer := preview(nil, event, with(event, object{"customer_id": buyer}), with(event, object{"external_customer_id": "acme"})).expect(200)
			Expect(groups(answer, "data[0].price_groups")).To(Equal([]string{"[]: 6 for 0.201"}))
		})

		It("leaves out events of others, and those outside the timeframe", func() {
			answer := preview(nil, event, with(event, object{"customer_id": "nobody"}), with(event, object{"external_customer_id": "other"}),
				with(event, object{"timestamp": "2025-06-01T00:00:00Z"}), with(event, object{"timestamp": "2025-05-01T00:00:00"})).expect(200)
			Expect(groups(answer, "data[0].price_groups")).To(Equal([]string{"[]: 4 for 0.134"}))
		})

		It("keeps the digits and the types of properties", func() {
			answer := preview(object{"price_evaluations": list{object{"price": inline(nil), "grouping_keys": list{"k"}}}},
				with(event, object{"properties": object{"n": number("12345678901234567890.12345678901234"), "k": "<1>", "gone": nil}}),
				with(event, object{"properties": object{"n": number("1e-2"), "k": number("0.10")}}),
				with(event, object{"properties": object{"n": 1, "k": true}}),
				with(event, object{"properties": object{"n": 1, "k": nil}})).expect(200)
			Expect(groups(answer, "data[0].price_groups")).To(Equal([]string{
				"[<1>]: 12345678901234567890.12345678901234 for 24691357802469135780.24691357802468", "[0.1]: 0.01 for 0.02", "[true]: 1 for 2.00",
			}))
		})

		It("takes any timeframe, and no events for no usage", func() {
			old := object{"timeframe_start": "2020-01-01T00:00:00Z", "timeframe_end": "2020-02-01T00:00:00Z"}
			answer := preview(old, with(event, object{"timestamp": "2020-01-31T23:59:59.999999Z"})).expect(200)
			Expect(groups(answer, "data[0].price_groups")).To(Equal([]string{"[]: 2 for 0.067"}))
			Expect(groups(preview(object{"events": absent}).expect(200), "data[0].price_groups")).To(Equal([]string{"[]: 0 for 0.00"}))
		})

		It("comes to what the events do once they are stored", func() {
			other := s.buyer(nil)
			ask := object{"customer_id": other, "price_evaluations": list{object{"price_id": price, "grouping_keys": list{"region"}}, object{"price": inline(nil)}}}
			var events list
			for i, properties := range []object{{"n": 1.5, "region": "eu"}, {"n": 2, "region": 7}, {"n": "3"}, {"region": "eu"}} {
				events = append(events, object{"event_name": "call", "timestamp": "2025-05-20T11:00:00Z", "properties": properties})
				s.post("/v1/ingest", object{"events": list{with(events[i].(object), object{"idempotency_key": fmt.Sprint("p", i), "customer_id": other})}}).expect(200)
			}
			before := preview(ask, events...).expect(200)
			after := s.post("/v1/prices/evaluate", with(frame, ask)).expect(200)
			Expect(before.json).To(Equal(after.json))
			Expect(groups(after, "data[0].price_groups")).To(Equal([]string{"[eu]: 1.5 for 0.05025", "[7]: 2 for 0.067"}))
		})

		DescribeTable("refuses an event",
			func(change object, violation string) {
				preview(nil, event, with(event, change)).invalid("events[1]." + violation)
			},
			Entry("without a name", object{"event_name": absent}, "event_name: is required"),
			Entry("with an empty name", object{"event_name": ""}, "event_name: must have from 1 to 255 characters"),
			Entry("without a time", object{"timestamp": absent}, "timestamp: is required"),
			Entry("in another zone", object{"timestamp": "2025-05-10T00:00:00+01:00"}, "timestamp: must be an ISO 8601 date-time in UTC"),
			Entry("without properties", object{"properties": absent}, "properties: is required"),
			Entry("with nested properties", object{"properties": object{"n": list{1}}}, "properties.n: must be a string, number or boolean"),
			Entry("with a number beyond the bounds", object{"properties": object{"n": number("1e30")}}, "properties.n: "),
			Entry("of two customers", object{"customer_id": "a", "external_customer_id": "b"}, "customer_id: "),
			Entry("with a key", object{"idempotency_key": "k"}, "idempotency_key: "),
		)

		It("takes from one to five hundred events", func() {
			var events list
			for range 500 {
				events = append(events, event)
			}
			Expect(groups(preview(nil, events...).expect(200), "data[0].price_groups")).To(Equal([]string{"[]: 1000 for 33.50"}))
			preview(nil, append(events, event)...).invalid("events: must have from 1 to 500 entries")
			preview(nil).invalid("events: must have from 1 to 500 entries")
		})

		It("refuses no customer, and misses an unknown one", func() {
			preview(object{"customer_id": absent}, event).invalid("customer_id: ")
			preview(object{"customer_id": "nope"}, event).refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})
})

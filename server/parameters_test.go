package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Parameters of metrics", func() {
	const regional = "SELECT SUM(n) FROM events WHERE region = {{region}} AND n >= COALESCE({{least}}, 2)"
	var s fixture
	var buyer, metric string
	BeforeEach(func() {
		s = newFixture("2025-05-20T12:00:00Z")
		buyer = s.buyer(nil)
		metric = s.api.metric(regional)
		s.use(buyer, "2025-05-20T12:00:00Z", `1, "region": "eu"`, `3, "region": "eu"`, `10, "region": "us"`, `100, "region": "it's"`, `-7, "region": 5`)
	})

	regionally := func() object { return with(s.calls("2"), object{"billable_metric_id": metric}) }

	It("are named by the metric, in the order of its SQL", func() {
		Expect(s.get("/v1/metrics/" + metric).expect(200).at("parameter_definitions")).To(Equal(list{object{"name": "region"}, object{"name": "least"}}))
		Expect(s.get("/v1/metrics/" + s.metric).expect(200).at("parameter_definitions")).To(BeNil())
	})

	Describe("where a price is evaluated", func() {
		var price string
		BeforeEach(func() {
			price = s.post("/v1/prices", with(regionally(), object{"currency": "USD"})).expect(201).text("id")
		})
		frame := func() object {
			return object{"customer_id": buyer, "timeframe_start": "2025-05-01T00:00:00Z", "timeframe_end": "2025-06-01T00:00:00Z"}
		}
		one := func(parameters any) *answer {
			return s.post("/v1/prices/"+price+"/evaluate", with(frame(), object{"metric_parameter_overrides": parameters}))
		}

		DescribeTable("have the values of the request",
			func(parameters any, group string) {
				Expect(groups(one(parameters).expect(200), "data")).To(Equal([]string{group}))
			},
			Entry("and those of the SQL where it says so", object{"region": "eu"}, "[]: 3 for 6.00"),
			Entry("each of them", object{"region": "eu", "least": 0.5}, "[]: 4 for 8.00"),
			Entry("with numbers below zero", object{"region": 5, "least": -7.0}, "[]: -7 for -14.00"),
			Entry("with quotes", object{"region": "it's"}, "[]: 100 for 200.00"),
			Entry("and are NULL without any", nil, "[]: 0 for 0.00"),
			Entry("and with an empty map", object{}, "[]: 0 for 0.00"),
		)

		It("have values for each evaluation of a request", func() {
			var each list
			for _, region := range []any{"eu", "us", "eu", "nowhere"} {
				each = append(each, object{"price_id": price, "metric_parameter_overrides": object{"region": region}})
			}
			answer := s.post("/v1/prices/evaluate", with(frame(), object{"price_evaluations": each})).expect(200)
			var quantities list
			for k := range each {
				quantities = append(quantities, answer.entry("data", k).at("price_groups[0].quantity"))
			}
			Expect(quantities).To(Equal(list{number("3"), number("10"), number("3"), number("0")}))
		})

		It("must be those of the metric", func() {
			one(object{"colour": "red"}).refuse(400, "400-constraint-violation", "metric_parameter_overrides.colour: is no parameter of the metric")
			inline := object{"price": with(regionally(), object{"currency": "USD"}), "metric_parameter_overrides": object{"colour": "red"}}
			s.post("/v1/prices/evaluate", with(frame(), object{"price_evaluations": list{inline}})).
				invalid("price_evaluations[0].metric_parameter_overrides.colour: is no parameter of the metric")
			fee := object{"price": with(s.fee("1"), object{"currency": "USD"}), "metric_parameter_overrides": object{"region": "eu"}}
			s.post("/v1/prices/evaluate", with(frame(), object{"price_evaluations": list{fee}})).
				invalid("price_evaluations[0].metric_parameter_overrides: must be empty, since the price has no metric")
		})
	})

	Describe("on a subscription", func() {
		It("have the values of each price, which costs, usage and invoices count with", func() {
			sub := s.subscribe(buyer, object{"start_date": "2025-05-01", "add_prices": list{
				object{"price": with(regionally(), object{"name": "Europe"}), "metric_parameter_overrides": object{"region": "eu", "least": 1.0}},
				object{"price": with(regionally(), object{"name": "America"}), "metric_parameter_overrides": object{"region": "us"}},
				object{"price": with(regionally(), object{"name": "Nowhere"})},
			}}, s.fee("5"))
			Expect(sub.each("price_intervals", "metric_parameter_overrides")).
				To(Equal(list{nil, object{"region": "eu", "least": number("1")}, object{"region": "us"}, nil}))
			Expect(s.get("/v1/subscriptions/"+sub.text("id")).expect(200).each("price_intervals", "metric_parameter_overrides")).
				To(Equal(sub.each("price_intervals", "metric_parameter_overrides")))

			usage := s.get("/v1/subscriptions/" + sub.text("id") + "/usage?view_mode=cumulative&billable_metric_id=" + metric).expect(200)
			var counted list
			for k := range usage.list("data") {
				days := usage.entry("data", k).list("usage")
				counted = append(counted, value{usage.asked, days[len(days)-1]}.at("quantity"))
			}
			Expect(counted).To(Equal(list{number("4"), number("10"), number("0")}))

			s.clock("2025-06-02T00:00:00Z")
			var issued value
			for k := range s.invoices(sub.text("id")).list("data") {
				if invoice := s.invoices(sub.text("id")).entry("data", k); invoice.text("invoice_date")[:10] == "2025-06-01" {
					issued = invoice
				}
			}
			Expect(lines(issued)).To(ContainElements(
				"Europe 2025-05-01 to 2025-06-01: 8.00", "America 2025-05-01 to 2025-06-01: 20.00", "Nowhere 2025-05-01 to 2025-06-01: 0.00"))
		})

		It("have the values of a price that takes the place of another", func() {
			plan := s.plan(object{}, regionally())
			sub := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan.text("id"), "start_date": "2025-05-01", "replace_prices": list{object{
				"replaces_price_id": plan.at("prices[0].id"), "price_id": plan.at("prices[0].id"), "metric_parameter_overrides": object{"region": "us"},
			}}}).expect(201)
			Expect(sub.at("price_intervals[0].metric_parameter_overrides")).To(Equal(object{"region": "us"}))
			Expect(s.get("/v1/subscriptions/" + sub.text("id") + "/costs?view_mode=cumulative").expect(200).text("data[19].total")).To(Equal("20.00"))
		})

		It("must not make the metric one that is refused", func() {
			odd := s.api.metric("SELECT COUNT(*) FROM events WHERE region = 'eu' OR {{always}}")
			plan := s.plan(object{}, s.fee("1")).text("id")
			s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "add_prices": list{
				object{"price": with(s.calls("1"), object{"billable_metric_id": odd}), "metric_parameter_overrides": object{"always": "x"}},
			}}).invalid("add_prices[0].metric_parameter_overrides: would make the SQL of the metric invalid: line 1, column 52: expected a condition")
		})
	})
})

package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
)

var _ = Describe("Subscriptions", func() {
	const refused = "400-constraint-violation"

	Describe("POST /v1/subscriptions", func() {
		It("T-1: begins today, on the first of the month, with a prorated fee", func() {
			s := newFixture("2025-01-15T10:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("310.00"))
			Expect(sub.at("start_date")).To(Equal("2025-01-15T00:00:00+00:00"))
			Expect(sub.at("current_billing_period_start_date")).To(Equal("2025-01-15T00:00:00+00:00"))
			Expect(sub.at("current_billing_period_end_date")).To(Equal("2025-02-01T00:00:00+00:00"))
			Expect(sub.at("status")).To(Equal("active"))
			Expect(sub.at("billing_cycle_day")).To(Equal(json.Number("1")))
			Expect(s.bills(sub.text("id"))).To(Equal([]string{"2025-01-15 issued 170.00", "2025-02-01 draft 310.00"}))
		})

		DescribeTable("begins cycles on the day of the start, or the last before it, without ever losing the day",
			func(start, cadence string, cycles ...string) {
				s := newFixture(start + "T00:00:00Z")
				sub := s.subscribe(s.buyer(nil), object{"align_billing_with_subscription_start_date": true},
					with(s.fee("10"), object{"cadence": cadence})).text("id")
				day := json.Number(start[8:])
				for _, cycle := range cycles {
					s.clock(cycle + "T00:00:00Z")
					now := s.get("/v1/subscriptions/" + sub).expect(200)
					Expect(now.text("current_billing_period_start_date")).To(HavePrefix(cycle))
					Expect(now.at("billing_cycle_day")).To(Equal(day))
				}
			},
			Entry("T-2: from the 31st", "2025-01-31", "monthly", "2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31"),
			Entry("T-2: in a leap year", "2024-01-31", "monthly", "2024-01-31", "2024-02-29"),
			Entry("T-6: every year from a leap day", "2024-02-29", "annual", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"),
		)

		It("T-3: counts a month with a clock change as a whole month", func() {
			s := newFixture("2025-02-15T00:00:00Z")
			sub := s.subscribe(s.buyer(object{"timezone": "America/Los_Angeles"}), nil, s.fee("31")).text("id")
			s.clock("2025-03-01T08:00:00Z")
			now := s.get("/v1/subscriptions/" + sub).expect(200)
			Expect(now.at("current_billing_period_start_date")).To(Equal("2025-03-01T08:00:00+00:00"))
			Expect(now.at("current_billing_period_end_date")).To(Equal("2025-04-01T07:00:00+00:00"))
			Expect(s.bills(sub)[1]).To(Equal("2025-03-01 issued 31.00"))
		})

		It("T-7: takes the phase of quarters from the anchor's month", func() {
			s := newFixture("2025-01-10T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), object{"billing_cycle_anchor_configuration": object{"day": 31, "month": 2}},
				with(s.fee("900.00"), object{"cadence": "quarterly"})).text("id")
			s.clock("2025-09-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{
				"2025-01-10 issued 490.00", "2025-02-28 issued 900.00", "2025-05-31 issued 900.00", "2025-08-31 issued 900.00", "2025-11-30 draft 900.00",
			}))
		})

		It("T-8: begins a day whose midnight is missing with its first instant", func() {
			s := newFixture("2025-03-25T12:00:00Z")
			sub := s.subscribe(s.buyer(object{"timezone": "Africa/Cairo"}), object{"align_billing_with_subscription_start_date": true}, s.fee("10"))
			Expect(sub.at("current_billing_period_end_date")).To(Equal("2025-04-24T22:00:00+00:00"))
		})

		It("S-1: bills the fee of the next month beside the usage of the last", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.fee("100.00"), s.calls("0.50")).text("id")
			s.clock("2025-01-20T00:00:00Z")
			s.use(buyer, "2025-01-20T00:00:00Z", "15", "25")
			s.clock("2025-02-01T12:00:00Z")
			all := s.invoices(sub)
			Expect(lines(all.entry("data", 2))).To(Equal([]string{"Fee 2025-01-15 to 2025-02-01: 54.84"}))
			Expect(lines(all.entry("data", 1))).To(Equal([]string{"Calls 2025-01-15 to 2025-02-01: 20.00", "Fee 2025-02-01 to 2025-03-01: 100.00"}))
			Expect(s.bills(sub)).To(Equal([]string{"2025-01-15 issued 54.84", "2025-02-01 issued 120.00", "2025-03-01 draft 100.00"}))
		})

		It("S-9: has no invoice before a start in the future", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), object{"start_date": "2025-02-10"}, s.fee("28"), s.calls("1"))
			Expect(sub.at("status")).To(Equal("upcoming"))
			Expect(sub.at("current_billing_period_start_date")).To(BeNil())
			Expect(sub.list("changed_resources.created_invoices")).To(BeEmpty())
			id := sub.text("id")
			Expect(s.bills(id)).To(BeEmpty())
			s.get("/v1/invoices/upcoming?subscription_id="+id).refuse(400, refused, "no upcoming invoice")
			Expect(s.get("/v1/subscriptions/" + id + "/costs").expect(200).list("data")).To(BeEmpty())
			s.clock("2025-02-10T00:00:00Z")
			Expect(s.bills(id)).To(Equal([]string{"2025-02-10 issued 19.00", "2025-03-01 draft 28.00"}))
		})

		It("S-11: gives a customer without a currency the plan's, and refuses another one", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer := s.buyer(nil)
			s.subscribe(buyer, nil, s.fee("1"))
			Expect(s.get("/v1/customers/" + buyer).expect(200).at("currency")).To(Equal("USD"))
			plan := s.plan(nil, s.fee("1")).text("id")
			euro := s.buyer(object{"currency": "EUR"})
			s.post("/v1/subscriptions", object{"customer_id": euro, "plan_id": plan}).refuse(400, refused, "currency")
			Expect(s.get("/v1/subscriptions?customer_id=" + euro).expect(200).list("data")).To(BeEmpty())
		})

		It("issues everything of a start in the past at once, except what is within its grace period", func() {
			s := newFixture("2025-04-01T06:00:00Z")
			sub := s.subscribe(s.buyer(nil), object{"start_date": "2025-01-15"}, s.fee("31"), s.calls("1"))
			Expect(sub.each("changed_resources.created_invoices", "status")).To(Equal(list{"issued", "issued", "issued", "draft", "draft"}))
			Expect(s.bills(sub.text("id"))).To(Equal([]string{
				"2025-01-15 issued 17.00", "2025-02-01 issued 31.00", "2025-03-01 issued 31.00", "2025-04-01 draft 31.00", "2025-05-01 draft 31.00",
			}))
			numbers := s.invoices(sub.text("id")).each("data", "invoice_number")
			Expect(numbers[4]).To(HaveSuffix("-00001"))
			Expect(numbers[3]).To(HaveSuffix("-00002"))
			Expect(numbers[2]).To(HaveSuffix("-00003"))
		})

		It("E-9: bills events that came before the customer", func() {
			s := newFixture("2025-05-10T12:00:00Z")
			events := list{}
			for k := range 7 {
				events = append(events, object{
					"idempotency_key": fmt.Sprint("e", k), "event_name": "call", "external_customer_id": "later",
					"timestamp": "2025-05-10T11:00:00Z", "properties": object{"n": 1},
				})
			}
			s.post("/v1/ingest", object{"events": events}).expect(200)
			buyer := s.buyer(object{"external_customer_id": "later"})
			sub := s.subscribe(buyer, object{"start_date": "2025-05-10"}, s.calls("0.50")).text("id")
			costs := s.get("/v1/subscriptions/" + sub + "/costs").expect(200)
			Expect(costs.at("data[0].per_price_costs[0].quantity")).To(Equal(json.Number("7")))
			Expect(costs.at("data[0].subtotal")).To(Equal("3.50"))
		})

		It("takes aliases of customer and plan, and all settings", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			s.buyer(object{"external_customer_id": "acme"})
			s.plan(object{"external_plan_id": "pro"}, s.fee("1"))
			sub := s.post("/v1/subscriptions", object{
				"external_customer_id": "acme", "external_plan_id": "pro", "name": "Ours", "currency": "USD", "net_terms": 14,
				"auto_collection": true, "auto_issuance": false, "default_invoice_memo": "Thanks", "metadata": object{"a": "1"},
				"end_date": "2025-03-10",
			}).expect(201)
			sub.shows(object{
				"name": "Ours", "net_terms": json.Number("14"), "auto_collection": true, "auto_issuance": false,
				"default_invoice_memo": "Thanks", "metadata.a": "1", "end_date": "2025-03-10T00:00:00+00:00",
				"customer.external_customer_id": "acme", "plan.external_plan_id": "pro",
				"fixed_fee_quantity_schedule[0].quantity": json.Number("1"), "price_intervals[0].end_date": "2025-03-10T00:00:00+00:00",
			})
			Expect(s.get("/v1/subscriptions/" + sub.text("id")).expect(200).at("name")).To(Equal("Ours"))
		})

		It("ends with a last invoice for the rest of usage", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, object{"end_date": "2025-02-15"}, s.fee("28"), s.calls("1")).text("id")
			s.clock("2025-02-10T00:00:00Z")
			s.use(buyer, "2025-02-10T00:00:00Z", "3")
			s.clock("2025-04-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-01-01 issued 28.00", "2025-02-01 issued 14.00", "2025-02-15 issued 3.00"}))
			Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("status")).To(Equal("ended"))
			s.get("/v1/invoices/upcoming?subscription_id="+sub).refuse(400, refused)
		})

		It("bills ten thousand small numbers to the last digit", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.calls("1.23456789")).text("id")
			for range 10 {
				numbers := make([]string, 1000)
				for k := range numbers {
					numbers[k] = "0.1"
					if k%2 == 1 {
						numbers[k] = "0.000123"
					}
				}
				s.use(buyer, "2025-01-01T00:00:00Z", numbers...)
			}
			s.clock("2025-02-01T12:00:00Z")
			bill := s.invoices(sub).entry("data", 1)
			Expect(bill.at("line_items[0].quantity")).To(Equal(json.Number("500.615")))
			Expect(bill.at("total")).To(Equal("618.04")) // 618.0432043...
		})

		It("makes one subscription of a request that is repeated", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			body := object{"customer_id": s.buyer(nil), "plan_id": s.plan(nil, s.fee("1")).text("id")}
			key := header{"Idempotency-Key", "k1"}
			first := s.post("/v1/subscriptions", body, key).expect(201)
			Expect(s.post("/v1/subscriptions", body, key).expect(201).at("id")).To(Equal(first.at("id")))
			Expect(s.get("/v1/subscriptions").expect(200).list("data")).To(HaveLen(1))
		})

		It("PL-5: refuses a plan that is a draft or archived", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer := s.buyer(nil)
			draft := s.plan(object{"status": "draft"}, s.fee("1")).text("id")
			s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": draft}).refuse(400, refused, "draft")
			s.tx(func(tx *store.Tx) error {
				if _, err := catalog.Activate(tx, draft); err != nil {
					return err
				}
				_, err := catalog.Archive(tx, draft)
				return err
			})
			s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": draft}).refuse(400, refused, "archived")
		})

		It("refuses one subscription more than the account allows a customer", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			s.setting("subscriptions_per_customer", 2)
			buyer := s.buyer(nil)
			body := object{"customer_id": buyer, "plan_id": s.plan(nil, s.fee("1")).text("id")}
			s.post("/v1/subscriptions", with(body, object{"end_date": "2025-01-20"})).expect(201)
			s.post("/v1/subscriptions", body).expect(201)
			s.post("/v1/subscriptions", body).refuse(400, refused, "at most 2")
			s.clock("2025-01-20T00:00:00Z") // one has ended
			s.post("/v1/subscriptions", body).expect(201)
		})

		It("counts a customer's subscriptions right when requests come together", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			s.setting("subscriptions_per_customer", 2)
			body := object{"customer_id": s.buyer(nil), "plan_id": s.plan(nil, s.fee("1")).text("id")}
			answers := make(chan int, 6)
			for range cap(answers) {
				go func() {
					defer GinkgoRecover()
					answers <- s.post("/v1/subscriptions", body).status
				}()
			}
			made := 0
			for range cap(answers) {
				if <-answers == 201 {
					made++
				}
			}
			Expect(made).To(Equal(2))
			Expect(s.get("/v1/subscriptions?customer_id=" + body["customer_id"].(string)).expect(200).list("data")).To(HaveLen(2))
		})

		It("bills in whole yen", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer := s.buyer(nil)
			plan := s.plan(object{"currency": "JPY"}, s.fee("1000"), s.calls("0.5")).text("id")
			sub := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201).text("id")
			s.use(buyer, "2025-01-15T00:00:00Z", "3")
			s.clock("2025-02-01T12:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-01-15 issued 548", "2025-02-01 issued 1002", "2025-03-01 draft 1000"}))
		})

		DescribeTable("refuses what is wrong in itself",
			func(change object, violations ...string) {
				s := newFixture("2025-01-15T00:00:00Z")
				body := object{"customer_id": s.buyer(nil), "plan_id": s.plan(nil, s.fee("1")).text("id")}
				s.post("/v1/subscriptions", with(body, change)).invalid(violations...)
				Expect(s.get("/v1/subscriptions").expect(200).list("data")).To(BeEmpty())
			},
			Entry("no customer", object{"customer_id": absent}, "customer_id, external_customer_id: exactly one"),
			Entry("both of a customer's ids", object{"external_customer_id": "a"}, "customer_id, external_customer_id: exactly one"),
			Entry("no plan", object{"plan_id": absent}, "plan_id, external_plan_id: exactly one"),
			Entry("both of a plan's ids", object{"external_plan_id": "a"}, "plan_id, external_plan_id: exactly one"),
			Entry("both anchors", object{"align_billing_with_subscription_start_date": true, "billing_cycle_anchor_configuration": object{"day": 3}},
				"billing_cycle_anchor_configuration: cannot be combined"),
			Entry("an anchor with a year alone", object{"billing_cycle_anchor_configuration": object{"day": 3, "year": 2025}},
				"billing_cycle_anchor_configuration.year: needs a month"),
			Entry("an anchor beyond any month", object{"billing_cycle_anchor_configuration": object{"day": 32}},
				"billing_cycle_anchor_configuration.day: must be from 1 to 31"),
			Entry("a start that is no date", object{"start_date": "2025-02-30"}, "start_date: "),
			Entry("an end that is no date", object{"end_date": "soon"}, "end_date: "),
			Entry("an end at the start", object{"start_date": "2025-02-01", "end_date": "2025-02-01"}, "end_date: must be after start_date"),
			Entry("negative net terms", object{"net_terms": -1}, "net_terms: "),
			Entry("a member that nobody knows", object{"colour": "red"}, "colour: is not a field"),
		)

		It("refuses ids that name nothing, and another currency than the plan's", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer, plan := s.buyer(nil), s.plan(nil, s.fee("1")).text("id")
			s.post("/v1/subscriptions", object{"customer_id": "nope", "plan_id": plan}).refuse(404, "404-resource-not-found", "Customer", "nope")
			s.post("/v1/subscriptions", object{"external_customer_id": "nope", "plan_id": plan}).refuse(404, "404-resource-not-found", "Customer", "nope")
			s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": "nope"}).refuse(404, "404-resource-not-found", "Plan", "nope")
			s.post("/v1/subscriptions", object{"customer_id": buyer, "external_plan_id": "nope"}).refuse(404, "404-resource-not-found", "Plan", "nope")
			s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "currency": "EUR"}).refuse(400, refused, "currency")
			other := s.account("test")
			other.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).refuse(404, "404-resource-not-found", "Customer")
		})
	})

	Describe("GET /v1/subscriptions", func() {
		It("lists the newest first, narrowed by every filter", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			acme, apex := s.buyer(object{"external_customer_id": "acme"}), s.buyer(object{"external_customer_id": "apex"})
			plan := s.plan(object{"external_plan_id": "pro"}, s.fee("1")).text("id")
			other := s.plan(nil, s.fee("1")).text("id")
			added := func(body object) string { return s.post("/v1/subscriptions", body).expect(201).text("id") }
			ended := added(object{"customer_id": acme, "plan_id": plan, "end_date": "2025-01-20"})
			active := added(object{"customer_id": acme, "plan_id": other})
			s.clock("2025-01-20T00:00:00Z")
			upcoming := added(object{"customer_id": apex, "plan_id": plan, "start_date": "2025-02-01"})
			ids := func(query string) list { return s.get("/v1/subscriptions?"+query).expect(200).each("data", "id") }
			for query, expected := range map[string]list{
				"":                      {upcoming, active, ended},
				"customer_id=" + acme:   {active, ended},
				"customer_id[]=" + acme: {active, ended},
				"customer_id[]=" + acme + "&customer_id[]=" + apex: {upcoming, active, ended},
				"external_customer_id=apex":                        {upcoming},
				"external_customer_id[]=acme":                      {active, ended},
				"external_customer_id=nope":                        {},
				"plan_id=" + plan:                                  {upcoming, ended},
				"external_plan_id=pro":                             {upcoming, ended},
				"status=active":                                    {active},
				"status=ended":                                     {ended},
				"status=upcoming":                                  {upcoming},
				"status[]=ended&status[]=upcoming":                 {upcoming, ended},
				"created_at[gt]=2025-01-15T00:00:00Z":              {upcoming},
				"created_at[gte]=2025-01-15":                       {upcoming, active, ended},
				"created_at[lt]=2025-01-20":                        {active, ended},
				"created_at[lte]=2025-01-15T00:00:00Z":             {active, ended},
				"customer_id=" + acme + "&status=active":           {active},
			} {
				Expect(ids(query)).To(Equal(expected), query)
			}
			page := s.get("/v1/subscriptions?limit=2").expect(200)
			Expect(page.each("data", "id")).To(Equal(list{upcoming, active}))
			Expect(page.at("pagination_metadata.has_more")).To(BeTrue())
			Expect(ids("limit=2&cursor=" + page.text("pagination_metadata.next_cursor"))).To(Equal(list{ended}))
		})
		It("refuses bounds and states that are none", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			s.get("/v1/subscriptions?created_at[gt]=soon").invalid("created_at[gt]: ")
			s.get("/v1/subscriptions?status=lost").invalid("status: must be one of")
			s.get("/v1/subscriptions?limit=0").invalid("limit: ")
			s.get("/v1/subscriptions?cursor=nope").invalid("cursor: ")
		})
	})

	Describe("GET /v1/subscriptions/{subscription_id}", func() {
		It("does not know other accounts' subscriptions", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			id := s.subscribe(s.buyer(nil), nil, s.fee("1")).text("id")
			s.account("test").get("/v1/subscriptions/"+id).refuse(404, "404-resource-not-found", "Subscription", id)
		})
	})

	Describe("PUT /v1/subscriptions/{subscription_id}", func() {
		It("changes what a body has, clears what is null, and reaches drafts but nothing issued", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			id := s.subscribe(s.buyer(nil), object{"metadata": object{"a": "1", "b": "2"}}, s.fee("10")).text("id")
			changed := s.put("/v1/subscriptions/"+id, object{
				"net_terms": 30, "default_invoice_memo": "Later", "auto_collection": true, "auto_issuance": false, "metadata": object{"a": nil, "c": "3"},
			}).expect(200)
			Expect(changed.at("metadata")).To(Equal(object{"b": "2", "c": "3"}))
			Expect(changed.at("net_terms")).To(Equal(json.Number("30")))
			all := s.invoices(id)
			Expect(all.each("data", "memo")).To(Equal(list{"Later", nil}))
			Expect(all.each("data", "will_auto_issue")).To(Equal(list{false, true}))
			Expect(all.each("data", "auto_collection.enabled")).To(Equal(list{true, false}))
			Expect(all.at("data[1].due_date")).To(Equal("2025-01-15T00:00:00+00:00"))

			cleared := s.put("/v1/subscriptions/"+id, object{
				"net_terms": nil, "default_invoice_memo": nil, "auto_collection": nil, "auto_issuance": nil, "metadata": nil,
			}).expect(200)
			Expect(cleared.at("metadata")).To(Equal(object{}))
			Expect(cleared.at("net_terms")).To(Equal(json.Number("0")))
			Expect(cleared.at("auto_issuance")).To(BeNil())
			Expect(s.put("/v1/subscriptions/"+id, object{}).expect(200).json).To(Equal(cleared.json))
		})

		It("issues an invoice that was held back when the clock moves on, not before", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			id := s.subscribe(s.buyer(nil), object{"auto_issuance": false}, s.fee("10")).text("id")
			s.clock("2025-01-20T00:00:00Z")
			s.put("/v1/subscriptions/"+id, object{"auto_issuance": true}).expect(200)
			s.clock("2025-01-20T00:00:00Z")
			Expect(s.invoices(id).at("data[1].issued_at")).To(Equal("2025-01-20T00:00:00+00:00"))
		})

		It("refuses what it does not know", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			id := s.subscribe(s.buyer(nil), nil, s.fee("10")).text("id")
			s.put("/v1/subscriptions/nope", object{}).refuse(404, "404-resource-not-found", "Subscription", "nope")
			s.put("/v1/subscriptions/"+id, object{"name": "x"}).invalid("name: is not a field")
			s.put("/v1/subscriptions/"+id, object{"net_terms": "x"}).invalid("net_terms: ")
		})
	})
})

package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("Invoices", func() {
	const refused = "400-constraint-violation"

	Describe("their life", func() {
		It("I-1: waits for the grace period, is numbered, due and frozen", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer := s.buyer(object{"billing_address": object{"city": "Oslo", "country": "NO"}})
			sub := s.subscribe(buyer, object{"net_terms": 30}, s.fee("100.00"), s.calls("0.50")).text("id")
			s.clock("2025-02-01T11:59:59Z")
			draft := s.invoices(sub).entry("data", 1)
			draft.shows(object{
				"status": "draft", "invoice_date": "2025-02-01T00:00:00+00:00", "eligible_to_issue_at": "2025-02-01T12:00:00+00:00",
				"scheduled_issue_at": "2025-02-01T12:00:00+00:00", "will_auto_issue": true, "due_date": nil, "issued_at": nil,
				"hosted_invoice_url": nil, "invoice_source": "subscription", "amount_due": "100.00", "subscription.id": sub,
				"billing_address.city": "Oslo",
			})
			Expect(draft.text("invoice_number")).To(MatchRegexp(`^[A-Z]{6}-DRAFT$`))
			s.clock("2025-02-01T12:00:00Z")
			issued := s.get("/v1/invoices/" + draft.text("id")).expect(200)
			issued.shows(object{
				"status": "issued", "eligible_to_issue_at": nil, "scheduled_issue_at": nil, "issued_at": "2025-02-01T12:00:00+00:00",
				"due_date": "2025-03-03T00:00:00+00:00", "paid_at": nil,
			})
			Expect(issued.text("invoice_number")).To(MatchRegexp(`^[A-Z]{6}-00002$`))
			Expect(issued.each("line_items", "id")).To(Equal(draft.each("line_items", "id")))
		})

		It("has two drafts side by side during the grace period", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.calls("1")).text("id")
			Expect(s.bills(sub)).To(Equal([]string{"2025-02-01 draft 0.00"}))
			s.clock("2025-02-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-02-01 draft 0.00", "2025-03-01 draft 0.00"}))
			upcoming := s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200)
			Expect(upcoming.at("target_date")).To(Equal("2025-03-01T00:00:00+00:00"))
			s.clock("2025-02-01T12:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-02-01 paid 0.00", "2025-03-01 draft 0.00"}))
		})

		It("takes late events of the period until it is issued", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.calls("1")).text("id")
			s.clock("2025-02-01T11:00:00Z")
			s.use(buyer, "2025-01-31T23:59:59.999Z", "2")
			s.use(buyer, "2025-02-01T00:00:00Z", "5")
			s.clock("2025-02-01T12:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-02-01 issued 2.00", "2025-03-01 draft 5.00"}))
		})

		It("T-4: places events by the customer's days", func() {
			s := newFixture("2025-02-01T12:00:00Z")
			buyer := s.buyer(object{"timezone": "America/Los_Angeles"})
			sub := s.subscribe(buyer, nil, s.calls("1")).text("id")
			s.clock("2025-03-01T08:00:00Z")
			s.use(buyer, "2025-03-01T07:59:59Z", "1")
			s.use(buyer, "2025-03-01T08:00:00Z", "10")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 draft 1.00", "2025-04-01 draft 10.00"}))
		})

		It("I-11: is paid at once when nothing was used, with its line", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.calls("1")).text("id")
			s.clock("2025-02-01T12:00:00Z")
			bill := s.invoices(sub).entry("data", 1)
			bill.shows(object{
				"status": "paid", "total": "0.00", "amount_due": "0.00", "line_items[0].quantity": json.Number("0"),
				"issued_at": "2025-02-01T12:00:00+00:00", "paid_at": "2025-02-01T12:00:00+00:00",
			})
		})

		It("hides lines of quantity zero where the account says so", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			s.setting("hide_zero_lines", true)
			sub := s.subscribe(s.buyer(nil), nil, s.fee("9"), s.calls("1")).text("id")
			s.clock("2025-02-01T12:00:00Z")
			Expect(lines(s.invoices(sub).entry("data", 1))).To(Equal([]string{"Fee 2025-02-01 to 2025-03-01: 9.00"}))
		})

		It("follows the account's grace period, buffer, due date basis and number prefix", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			s.setting("grace_period_seconds", 3600)
			s.setting("issue_buffer_seconds", 86400)
			s.setting("due_date_basis", "invoice_date")
			s.setting("number_prefix_scope", "account")
			sub := s.subscribe(s.buyer(nil), object{"net_terms": 10}, s.calls("1")).text("id")
			s.clock("2025-02-02T00:59:59Z")
			Expect(s.invoices(sub).at("data[1].status")).To(Equal("draft"))
			s.clock("2025-02-02T01:00:00Z")
			bill := s.invoices(sub).entry("data", 1)
			Expect(bill.at("issued_at")).To(Equal("2025-02-02T01:00:00+00:00"))
			Expect(bill.at("due_date")).To(Equal("2025-02-11T00:00:00+00:00"))
			Expect(bill.at("invoice_number")).To(Equal("ABCDEF-00001"))
		})

		It("takes terms and memo from the plan where the subscription has none, and issues as the customer says", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			buyer := s.buyer(object{"auto_issuance": false, "timezone": "America/New_York"})
			plan := s.plan(object{"net_terms": 14, "default_invoice_memo": "Thanks"}, s.fee("9")).text("id")
			sub := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201).text("id")
			first := s.invoices(sub).entry("data", 1)
			Expect(first.at("will_auto_issue")).To(BeFalse())
			Expect(first.at("scheduled_issue_at")).To(BeNil())
			Expect(first.at("memo")).To(Equal("Thanks"))
			issued := s.post("/v1/invoices/"+first.text("id")+"/issue", nil).expect(200)
			Expect(issued.at("due_date")).To(Equal("2025-01-14T05:00:00+00:00")) // issued on 31 December there
		})
	})

	Describe("GET /v1/invoices", func() {
		var s fixture
		var acme, apex, early, late string
		BeforeEach(func() {
			s = newFixture("2025-01-01T00:00:00Z")
			acme, apex = s.buyer(object{"external_customer_id": "acme"}), s.buyer(nil)
			early = s.subscribe(acme, object{"net_terms": 30}, s.calls("1")).text("id") // dated 02-01, 03-01
			late = s.subscribe(apex, object{"start_date": "2025-01-20"}, s.fee("31")).text("id")
			s.clock("2025-01-31T20:00:00Z")
			s.use(acme, "2025-01-31T20:00:00Z", "50")
			s.clock("2025-02-20T00:00:00Z")
		})
		told := func(query string) []string {
			GinkgoHelper()
			texts := []string{}
			page := s.get("/v1/invoices?" + query).expect(200)
			for k := range page.list("data") {
				v := page.entry("data", k)
				texts = append(texts, v.text("invoice_date")[5:10]+" "+v.text("status")+" "+v.text("total"))
			}
			summaries := s.get("/v1/invoices/summary?" + query).expect(200)
			Expect(summaries.each("data", "id")).To(Equal(page.each("data", "id")), "the summaries of %s", query)
			return texts
		}
		It("lists the newest issued first, and by other dates where asked", func() {
			Expect(told("")).To(Equal([]string{"02-01 issued 50.00", "02-01 issued 31.00", "01-20 issued 12.00"}))
			Expect(told("date_type=due_date")).To(Equal([]string{"02-01 issued 50.00", "02-01 issued 31.00", "01-20 issued 12.00"}))
			Expect(told("date_type=invoice_date")).To(Equal([]string{"02-01 issued 31.00", "02-01 issued 50.00", "01-20 issued 12.00"}))
			Expect(told(everyStatus)).To(Equal([]string{
				"03-01 draft 31.00", "03-01 draft 0.00", "02-01 issued 31.00", "02-01 issued 50.00", "01-20 issued 12.00",
			}))
		})
		It("narrows the list by every filter", func() {
			for query, expected := range map[string][]string{
				"customer_id=" + acme:                        {"02-01 issued 50.00"},
				"external_customer_id=acme":                  {"02-01 issued 50.00"},
				"external_customer_id=nope":                  {},
				"subscription_id=" + late:                    {"02-01 issued 31.00", "01-20 issued 12.00"},
				"subscription_id=" + early + "&status=draft": {"03-01 draft 0.00"},
				"status[]=draft&subscription_id=" + late:     {"03-01 draft 31.00"},
				"status[]=paid&status[]=void":                {},
				"status=synced":                              {},
				"amount=31.00":                               {"02-01 issued 31.00"},
				"amount=31":                                  {"02-01 issued 31.00"},
				"amount[gt]=12":                              {"02-01 issued 50.00", "02-01 issued 31.00"},
				"amount[lt]=31":                              {"01-20 issued 12.00"},
				"amount[gt]=12&amount[lt]=50":                {"02-01 issued 31.00"},
				"is_recurring=true":                          {"02-01 issued 50.00", "02-01 issued 31.00", "01-20 issued 12.00"},
				"is_recurring=false":                         {},
				"due_date=2025-03-03":                        {"02-01 issued 50.00"},
				"due_date[gt]=2025-02-01":                    {"02-01 issued 50.00"},
				"due_date[lt]=2025-02-01":                    {"01-20 issued 12.00"},
				"invoice_date[gt]=2025-01-20T00:00:00Z":      {"02-01 issued 50.00", "02-01 issued 31.00"},
				"invoice_date[gte]=2025-01-20&invoice_date[lt]=2025-02-01": {"01-20 issued 12.00"},
				"invoice_date[lte]=2025-01-20":                             {"01-20 issued 12.00"},
				"due_date_window=20d":                                      {"02-01 issued 50.00", "02-01 issued 31.00"},
				"due_date_window=1m&date_type=due_date":                    {"02-01 issued 31.00", "01-20 issued 12.00"},
				"due_date_window=20d&date_type=due_date":                   {"02-01 issued 31.00"},
			} {
				Expect(told(query)).To(Equal(expected), query)
			}
		})
		It("pages without repeating or skipping", func() {
			for _, order := range []string{"", "&date_type=due_date", "&date_type=invoice_date"} {
				all := s.get("/v1/invoices?limit=100"+order).expect(200).each("data", "id")
				paged, cursor := list{}, ""
				for range all {
					page := s.get("/v1/invoices?limit=1" + order + cursor).expect(200)
					paged = append(paged, page.each("data", "id")...)
					if page.at("pagination_metadata.has_more") == true {
						cursor = "&cursor=" + page.text("pagination_metadata.next_cursor")
					}
				}
				Expect(paged).To(Equal(all), order)
			}
		})
		DescribeTable("refuses filters that are none",
			func(query, violation string) {
				s.get("/v1/invoices?" + query).invalid(violation)
				s.get("/v1/invoices/summary?" + query).invalid(violation)
			},
			Entry("an amount that is no decimal", "amount=1e3", "amount: "),
			Entry("a bound that is no decimal", "amount[gt]=x", "amount[gt]: "),
			Entry("a window of no unit", "due_date_window=7", "due_date_window: "),
			Entry("a due date that is none", "due_date=2025-02-30", "due_date: "),
			Entry("a due date bound that is none", "due_date[lt]=x", "due_date[lt]: "),
			Entry("an instant that is none", "invoice_date[gte]=x", "invoice_date[gte]: "),
			Entry("a state that is none", "status=lost", "status: must be one of"),
			Entry("a date type that is none", "date_type=issue_date", "date_type: must be one of"),
			Entry("is_recurring that is neither", "is_recurring=maybe", "is_recurring: "),
			Entry("a limit out of range", "limit=101", "limit: "),
			Entry("a damaged cursor", "cursor=x", "cursor: "),
		)
		It("finds one by id, and only in its own account", func() {
			id := s.invoices(early).at("data[0].id").(string)
			Expect(s.get("/v1/invoices/" + id).expect(200).at("id")).To(Equal(id))
			s.get("/v1/invoices/nope").refuse(404, "404-resource-not-found", "Invoice", "nope")
			other := s.account("test")
			other.get("/v1/invoices/"+id).refuse(404, "404-resource-not-found", "Invoice", id)
			Expect(other.get("/v1/invoices?" + everyStatus).expect(200).list("data")).To(BeEmpty())
		})
	})

	Describe("GET /v1/invoices/upcoming", func() {
		It("is the draft of the next billing date", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.calls("1")).text("id")
			s.use(buyer, "2025-01-15T00:00:00Z", "7")
			upcoming := s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200)
			Expect(upcoming.at("target_date")).To(Equal("2025-02-01T00:00:00+00:00"))
			Expect(upcoming.at("total")).To(Equal("7.00"))
			Expect(lines(upcoming)).To(Equal([]string{"Calls 2025-01-15 to 2025-02-01: 7.00"}))
			Expect(upcoming.at("id")).To(Equal(s.invoices(sub).at("data[0].id")))
		})
		It("needs a subscription that exists", func() {
			s := newFixture("2025-01-15T00:00:00Z")
			s.get("/v1/invoices/upcoming").invalid("subscription_id: is required")
			s.get("/v1/invoices/upcoming?subscription_id=nope").refuse(404, "404-resource-not-found", "Subscription", "nope")
		})
	})

	DescribeTableSubtree("issuing by hand", func(prefix string) {
		var s fixture
		var sub string
		issue := func(id string, body any) *answer { return s.post(prefix+id+"/issue", body) }
		start := func(prices ...object) (ids list) {
			GinkgoHelper()
			sub = s.subscribe(s.buyer(object{"auto_issuance": false}), nil, prices...).text("id")
			return s.invoices(sub).each("data", "id")
		}
		BeforeEach(func() { s = newFixture("2025-02-10T00:00:00Z") })

		It("I-8: waits until the invoice is eligible", func() {
			id := start(s.calls("1"))[0].(string)
			s.clock("2025-03-01T11:59:00Z")
			issue(id, nil).refuse(400, refused, "eligible_to_issue_at")
			s.clock("2025-03-01T12:00:00Z")
			Expect(s.get("/v1/invoices/" + id).expect(200).at("status")).To(Equal("draft"))
			issued := issue(id, object{}).expect(200)
			Expect(issued.at("status")).To(Equal("paid"))
			Expect(issued.at("issued_at")).To(Equal("2025-03-01T12:00:00+00:00"))
		})
		It("issues fixed fees at once, also synchronously", func() {
			id := start(s.fee("28"))[1].(string)
			issued := issue(id, object{"synchronous": true}).expect(200)
			Expect(issued.at("status")).To(Equal("issued"))
			Expect(issued.at("total")).To(Equal("19.00"))
			Expect(issued.at("will_auto_issue")).To(BeFalse())
		})
		It("refuses an invoice of usage synchronously", func() {
			id := start(s.calls("1"))[0].(string)
			s.clock("2025-03-05T00:00:00Z")
			issue(id, object{"synchronous": true}).refuse(400, refused, "synchronously")
		})
		It("refuses one that is issued, and one that issues itself", func() {
			id := start(s.fee("28"))[1].(string)
			issue(id, nil).expect(200)
			issue(id, nil).refuse(400, refused, "issued")
			auto := s.subscribe(s.buyer(nil), nil, s.fee("28")).text("id")
			issue(s.invoices(auto).at("data[0].id").(string), nil).refuse(400, refused, "issues itself")
		})
		It("answers a repeated request alike, and issues once", func() {
			id := start(s.fee("28"))[1].(string)
			key := header{"Idempotency-Key", "k1"}
			first := s.post(prefix+id+"/issue", object{}, key).expect(200)
			Expect(s.post(prefix+id+"/issue", object{}, key).expect(200).json).To(Equal(first.json))
		})
		It("refuses what it does not know", func() {
			id := start(s.fee("28"))[1].(string)
			issue("nope", nil).refuse(404, "404-resource-not-found", "Invoice", "nope")
			issue(id, object{"now": true}).invalid("now: is not a field")
		})
	},
		Entry("with the whole invoice as the answer", "/v1/invoices/"),
		Entry("with its summary as the answer", "/v1/invoices/summary/"),
	)

	It("go with a customer that is deleted, unless one was issued", func() {
		s := newFixture("2025-02-10T00:00:00Z")
		kept, gone := s.buyer(nil), s.buyer(nil)
		s.subscribe(kept, nil, s.fee("28"))
		sub := s.subscribe(gone, nil, s.calls("1")).text("id")
		s.cancel(sub, nil).expect(200) // what its terms were goes too
		s.delete("/v1/customers/"+kept).refuse(400, refused, "issued invoices")
		Expect(s.delete("/v1/customers/" + gone).status).To(Equal(204))
		s.get("/v1/subscriptions/"+sub).refuse(404, "404-resource-not-found", "Subscription")
		Expect(s.bills(sub)).To(BeEmpty())
		s.clock("2025-06-01T00:00:00Z")
		s.tx(func(tx *store.Tx) error {
			var left int64
			err := tx.Raw("SELECT count(*) FROM invoices WHERE account_id = ? AND customer_id = ?", tx.AccountID, gone).Scan(&left).Error
			Expect(left).To(BeZero())
			return err
		})
	})
})

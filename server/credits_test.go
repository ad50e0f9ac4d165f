package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Credits", func() {
	var api *api
	var customer, credits string
	BeforeEach(func() {
		api = start()
		api.clock("2025-03-10T09:00:00Z")
		customer = api.customer(object{"external_customer_id": "ada", "currency": "USD", "timezone": "America/New_York"}).text("id")
		credits = "/v1/customers/" + customer + "/credits"
	})

	const byAlias = "/v1/customers/external_customer_id/ada/credits"
	hundred := object{"entry_type": "increment", "amount": 100}
	add := func(change object) value {
		GinkgoHelper()
		return api.post(credits+"/ledger_entry", with(hundred, change)).expect(201)
	}

	Describe("POST /v1/customers/{customer_id}/credits/ledger_entry", func() {
		It("CR-1: adds credits", func() {
			utc := api.customer(nil).text("id")
			made := api.post("/v1/customers/"+utc+"/credits/ledger_entry", with(hundred, object{"expiry_date": "2025-12-28"})).expect(201)
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "entry_type": "increment", "entry_status": "committed", "ledger_sequence_number": json.Number("1"),
				"amount": json.Number("100"), "starting_balance": json.Number("0"), "ending_balance": json.Number("100"),
				"currency": "credits", "created_at": "2025-03-10T09:00:00+00:00", "description": nil, "metadata": object{},
				"customer": object{"id": utc, "external_customer_id": nil}, "created_invoices": nil,
				"credit_block": object{
					"id": made.at("credit_block.id"), "expiry_date": "2025-12-28T00:00:00+00:00", "filters": list{}, "per_unit_cost_basis": nil,
				},
			}))
		})

		It("keeps all that is said of them", func() {
			filter := object{"field": "item_id", "operator": "includes", "values": list{api.item("Calls")}}
			made := add(object{
				"amount": json.Number("0.50"), "currency": "USD", "description": "Gift", "metadata": object{"a": "1"},
				"effective_date": "2025-03-01", "expiry_date": "2025-04-01T12:00:00Z", "per_unit_cost_basis": "0.20", "filters": list{filter},
			})
			Expect(made.at("amount")).To(Equal(json.Number("0.5")))
			Expect(made.at("description")).To(Equal("Gift"))
			Expect(made.at("metadata")).To(Equal(object{"a": "1"}))
			Expect(made.at("credit_block.filters")).To(Equal(list{filter}))
			Expect(made.at("credit_block.per_unit_cost_basis")).To(Equal("0.20"))
			Expect(made.at("credit_block.expiry_date")).To(Equal("2025-04-01T04:00:00+00:00"), "midnight in New York")
			block := api.get(credits + "?currency=USD").expect(200)
			Expect(block.at("data[0]")).To(Equal(object{
				"id": made.at("credit_block.id"), "balance": json.Number("0.5"), "maximum_initial_balance": json.Number("0.5"),
				"effective_date": "2025-03-01T05:00:00+00:00", "expiry_date": "2025-04-01T04:00:00+00:00", "per_unit_cost_basis": "0.20",
				"filters": list{filter}, "status": "active", "credit_block_source": "manual", "credit_allocation": nil,
				"credit_commitment": nil, "metadata": object{"a": "1"},
			}))
		})

		It("adds them once, however often the request is sent", func() {
			key := header{"Idempotency-Key", "k1"}
			first := api.post(credits+"/ledger_entry", hundred, key).expect(201)
			Expect(api.post(credits+"/ledger_entry", hundred, key).expect(201).json).To(Equal(first.json))
			Expect(api.get(credits + "/ledger").expect(200).list("data")).To(HaveLen(1))
		})

		DescribeTable("refuses what is wrong in itself",
			func(change object, violations ...string) {
				api.post(credits+"/ledger_entry", with(hundred, change)).invalid(violations...)
				Expect(api.get(credits + "/ledger").expect(200).list("data")).To(BeEmpty())
			},
			Entry("nothing", object{"amount": 0}, "amount: "),
			Entry("less than nothing", object{"amount": -5}, "amount: "),
			Entry("no amount", object{"amount": absent}, "amount: "),
			Entry("an amount as text", object{"amount": "5"}, "amount: "),
			Entry("parts of a cent", object{"amount": json.Number("0.005"), "currency": "USD"}, "amount: "),
			Entry("a unit that is none", object{"currency": "tokens"}, "currency: "),
			Entry("a negative cost", object{"per_unit_cost_basis": "-1"}, "per_unit_cost_basis: "),
			Entry("an end before the beginning", object{"effective_date": "2025-05-01", "expiry_date": "2025-04-01"}, "expiry_date: "),
			Entry("another kind of entry", object{"entry_type": "credit_block_expiry"}, "entry_type: "),
			Entry("a member nobody knows", object{"colour": "red"}, "colour: "),
		)

		It("refuses real money that is not the customer's", func() {
			api.post(credits+"/ledger_entry", with(hundred, object{"currency": "EUR"})).refuse(400, "400-constraint-violation", "currency")
			poor := api.customer(nil).text("id")
			api.post("/v1/customers/"+poor+"/credits/ledger_entry", with(hundred, object{"currency": "USD"})).refuse(400, "400-constraint-violation")
		})

		It("misses a customer and an item that do not exist", func() {
			api.post("/v1/customers/nope/credits/ledger_entry", hundred).refuse(404, "404-resource-not-found", "Customer", "nope")
			filter := object{"field": "item_id", "operator": "includes", "values": list{"nope"}}
			api.post(credits+"/ledger_entry", with(hundred, object{"filters": list{filter}})).refuse(404, "404-resource-not-found", "Item", "nope")
		})
	})

	Describe("POST /v1/customers/external_customer_id/{external_customer_id}/credits/ledger_entry", func() {
		It("adds credits to the customer that bears the alias", func() {
			made := api.post(byAlias+"/ledger_entry", hundred).expect(201)
			Expect(made.at("customer")).To(Equal(object{"id": customer, "external_customer_id": "ada"}))
		})

		It("misses an alias that no customer bears", func() {
			api.post("/v1/customers/external_customer_id/nope/credits/ledger_entry", hundred).refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("GET /v1/customers/{customer_id}/credits/ledger", func() {
		It("pages through the entries of one unit, the newest first", func() {
			for amount := range 3 {
				add(object{"amount": amount + 1})
			}
			add(object{"currency": "USD"})
			first := api.get(credits + "/ledger?limit=2").expect(200)
			Expect(first.each("data", "ledger_sequence_number")).To(Equal(list{json.Number("3"), json.Number("2")}))
			Expect(first.each("data", "ending_balance")).To(Equal(list{json.Number("6"), json.Number("3")}))
			last := api.get(credits + "/ledger?limit=2&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
			Expect(last.each("data", "ledger_sequence_number")).To(Equal(list{json.Number("1")}))
			Expect(last.at("pagination_metadata.next_cursor")).To(BeNil())
		})

		DescribeTable("can be narrowed",
			func(query string, amounts ...string) {
				add(object{"amount": 1})
				api.clock("2025-03-11T09:00:00Z")
				add(object{"amount": 2})
				want := list{}
				for _, amount := range amounts {
					want = append(want, json.Number(amount))
				}
				Expect(api.get(credits+"/ledger"+query).expect(200).each("data", "amount")).To(Equal(want))
			},
			Entry("by nothing", "", "2", "1"),
			Entry("by what is empty", "?entry_type=&currency=&cursor=", "2", "1"),
			Entry("to a unit", "?currency=USD"),
			Entry("to a unit that does not exist", "?currency=tokens"),
			Entry("to a kind", "?entry_type=increment", "2", "1"),
			Entry("to another kind", "?entry_type=decrement"),
			Entry("to a status", "?entry_status=pending"),
			Entry("to amounts from one on", "?minimum_amount=1.5", "2"),
			Entry("to a time", "?created_at[lt]=2025-03-11T09:00:00Z", "1"),
			Entry("to a day of the customer's", "?created_at[gte]=2025-03-11", "2"),
		)

		It("ER-7: returns 1 to 100 at once", func() {
			for _, limit := range []string{"0", "101", "abc"} {
				api.get(credits + "/ledger?limit=" + limit).invalid("limit: ")
			}
			api.get(credits + "/ledger?limit=100").expect(200)
		})

		It("refuses what is wrong in itself", func() {
			api.get(credits + "/ledger?cursor=nope").invalid("cursor: ")
			api.get(credits + "/ledger?minimum_amount=much").invalid("minimum_amount: ")
			api.get(credits + "/ledger?created_at[gt]=never").invalid("created_at[gt]: ")
		})

		It("misses a customer that does not exist", func() {
			api.get("/v1/customers/nope/credits/ledger").refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("GET /v1/customers/external_customer_id/{external_customer_id}/credits/ledger", func() {
		It("lists the entries of the customer that bears the alias", func() {
			add(nil)
			Expect(api.get(byAlias + "/ledger").expect(200).json).To(Equal(api.get(credits + "/ledger").expect(200).json))
		})

		It("misses an alias that no customer bears", func() {
			api.get("/v1/customers/external_customer_id/nope/credits/ledger").refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("GET /v1/customers/{customer_id}/credits", func() {
		It("lists the blocks that have not expired, or all", func() {
			add(object{"amount": 1, "expiry_date": "2025-03-12"})
			add(object{"amount": 2})
			amounts := func(query string) list { return api.get(credits+query).expect(200).each("data", "balance") }
			Expect(amounts("")).To(Equal(list{json.Number("2"), json.Number("1")}))
			api.clock("2025-03-12T04:00:00Z")
			Expect(amounts("")).To(Equal(list{json.Number("2")}))
			Expect(amounts("?include_all_blocks=true")).To(Equal(list{json.Number("2"), json.Number("0")}))
		})

		It("lists the blocks that take effect on a day of the customer's", func() {
			for _, day := range []string{"2025-04-01", "2025-04-02"} {
				add(object{"effective_date": day})
			}
			found := api.get(fmt.Sprintf("%s?effective_date[gte]=%s&effective_date[lt]=%s", credits, "2025-04-01", "2025-04-02")).expect(200)
			Expect(found.each("data", "effective_date")).To(Equal(list{"2025-04-01T04:00:00+00:00"}))
		})

		It("misses a customer that does not exist", func() {
			api.get("/v1/customers/nope/credits").refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	Describe("GET /v1/customers/external_customer_id/{external_customer_id}/credits", func() {
		It("lists the blocks of the customer that bears the alias", func() {
			add(nil)
			Expect(api.get(byAlias).expect(200).json).To(Equal(api.get(credits).expect(200).json))
		})

		It("misses an alias that no customer bears", func() {
			api.get("/v1/customers/external_customer_id/nope/credits").refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})
})

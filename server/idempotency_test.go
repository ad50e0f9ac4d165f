package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("Idempotency-Key", func() {
	var api *api
	BeforeEach(func() {
		api = start()
		storetest.SetClock(api.store, api.ctx, instant("2025-05-10T12:00:00Z"))
	})
	key := func(k string) header { return header{"Idempotency-Key", k} }
	items := func() int { return len(api.get("/v1/items?limit=100").expect(http.StatusOK).list("data")) }

	It("gives the first answer again and does nothing (ER-3)", func() {
		first := api.post("/v1/items", `{"name":"A","metadata":{"x":"1","y":"2"}}`, key("k1"))
		again := api.post("/v1/items", `{"metadata":{"y":"2","x":"1"},  "name":"A"}`, key("k1"))
		Expect(again.expect(http.StatusCreated).json).To(Equal(first.expect(http.StatusCreated).json))
		Expect(first.header.Get("Idempotency-Key")).To(Equal("k1"))
		Expect(first.header).NotTo(HaveKey("Idempotent-Replayed"))
		Expect(again.header.Get("Idempotency-Key")).To(Equal("k1"))
		Expect(again.header.Get("Idempotent-Replayed")).To(Equal("true"))
		Expect(items()).To(Equal(1))
	})

	It("gives back whole answers, unions and nulls included", func() {
		item := api.post("/v1/items", object{"name": "A"}).expect(http.StatusCreated).text("id")
		price := object{"name": "P", "item_id": item, "cadence": "monthly", "model_type": "tiered", "fixed_price_quantity": json.Number("1.50"),
			"tiered_config": object{"tiers": list{object{"first_unit": 0, "last_unit": 10, "unit_amount": "1.50"}, object{"first_unit": 10, "unit_amount": "1"}}}}
		plan := object{"name": "Plan", "currency": "USD", "prices": list{object{"price": price}}}
		customer := object{"name": "C", "email": "c@example.com", "currency": "USD", "tax_id": object{"country": "DE", "type": "eu_vat", "value": "1"}}
		id := api.post("/v1/customers", customer).expect(http.StatusCreated).text("id")
		grant := object{"entry_type": "increment", "amount": json.Number("12.50"), "per_unit_cost_basis": "0.1"}
		for path, body := range map[string]object{"/v1/plans": plan, "/v1/customers": customer, "/v1/customers/" + id + "/credits/ledger_entry": grant} {
			first, again := api.post(path, body, key(path[len(path)-5:])), api.post(path, body, key(path[len(path)-5:]))
			first.expect(http.StatusCreated)
			Expect(again.header).To(HaveKey("Idempotent-Replayed"), path)
			Expect(string(again.text)).To(Equal(string(first.text)), path)
		}
	})

	It("is refused for another request, and another try would not help (ER-4)", func() {
		api.post("/v1/items", object{"name": "A"}, key("k1")).expect(http.StatusCreated)
		r := api.post("/v1/items", object{"name": "B"}, key("k1"))
		r.refuse(http.StatusConflict, "409-resource-conflict")
		Expect(r.header.Get("X-Should-Retry")).To(Equal("false"))
		Expect(r.header.Get("Idempotency-Key")).To(Equal("k1"))
		Expect(items()).To(Equal(1))
	})

	DescribeTable("is remembered for 48 hours of the account's clock",
		func(now string, made int) {
			api.post("/v1/items", object{"name": "A"}, key("k1")).expect(http.StatusCreated)
			storetest.SetClock(api.store, api.ctx, instant(now))
			api.post("/v1/items", object{"name": "A"}, key("k1")).expect(http.StatusCreated)
			Expect(items()).To(Equal(made))
		},
		Entry("so after 48 hours it is known", "2025-05-12T12:00:00Z", 1),
		Entry("and a second later it is new (ER-4)", "2025-05-12T12:00:01Z", 2),
	)

	It("can be used again after a refusal (ER-5)", func() {
		r := api.post("/v1/items", object{}, key("k2"))
		r.invalid("name: is required")
		Expect(r.header.Get("Idempotency-Key")).To(Equal("k2"))
		api.post("/v1/items", object{"name": "A"}, key("k2")).expect(http.StatusCreated)
	})

	It("belongs to one account", func() {
		other := api.account("test")
		api.post("/v1/items", object{"name": "A"}, key("k1")).expect(http.StatusCreated)
		r := other.post("/v1/items", object{"name": "B"}, key("k1"))
		r.expect(http.StatusCreated)
		Expect(r.header).NotTo(HaveKey("Idempotent-Replayed"))
	})

	It("may have 64 characters, of any script", func() {
		api.post("/v1/items", object{"name": "A"}, key(strings.Repeat("é", 64))).expect(http.StatusCreated)
		r := api.post("/v1/items", object{"name": "A"}, key(strings.Repeat("k", 65)))
		r.invalid("Idempotency-Key: must have at most 64 characters")
		Expect(r.header).NotTo(HaveKey("Idempotency-Key"))
		api.post("/v1/items", object{"name": "A"}, key("\xff")).invalid("Idempotency-Key: must be text in UTF-8")
	})

	It("means nothing to a GET", func() {
		Expect(api.get("/v1/items", key("k1")).header).NotTo(HaveKey("Idempotency-Key"))
	})

	It("is echoed even where the API key is refused", func() {
		r := api.post("/v1/items", object{}, key("k1"), header{"Authorization", ""})
		r.refuse(http.StatusUnauthorized, "401-authentication-error")
		Expect(r.header.Get("Idempotency-Key")).To(Equal("k1"))
	})

	It("makes one thing of many requests at once", func() {
		answers := make([]*answer, 12)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				defer GinkgoRecover()
				answers[i] = api.post("/v1/items", object{"name": "A"}, key("k1"))
			})
		}
		all.Wait()
		for _, r := range answers {
			Expect(r.status).To(BeElementOf(http.StatusCreated, http.StatusConflict))
			if r.status == http.StatusConflict {
				Expect(r.header).NotTo(HaveKey("X-Should-Retry"))
			}
		}
		Expect(items()).To(Equal(1))
	})

	It("gives the kept answer to all replays at once, whatever holds the key", func() {
		first := api.post("/v1/items", object{"name": "A"}, key("k1")).expect(http.StatusCreated)
		var all sync.WaitGroup
		defer all.Wait()
		api.tx(func(tx *store.Tx) error { // as a replay holds the key that has not ended
			Expect(tx.Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "idempotency_key "+tx.AccountID+" k1").Error).To(Succeed())
			answers := make([]*answer, 8)
			for i := range answers {
				all.Go(func() {
					defer GinkgoRecover()
					answers[i] = api.post("/v1/items", object{"name": "A"}, key("k1"))
				})
			}
			all.Wait()
			for _, again := range answers {
				Expect(again.expect(http.StatusCreated).json).To(Equal(first.json))
				Expect(again.header.Get("Idempotent-Replayed")).To(Equal("true"))
			}
			api.post("/v1/items", object{"name": "B"}, key("k1")).refuse(http.StatusConflict, "409-resource-conflict")
			return nil
		})
		Expect(items()).To(Equal(1))
	})

	It("is cleared away after its time, a few with each new one", func() {
		for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
			api.post("/v1/items", object{"name": "A"}, key(k)).expect(http.StatusCreated)
		}
		storetest.SetClock(api.store, api.ctx, instant("2025-05-13T12:00:00Z"))
		kept := func() (n int64) {
			api.tx(func(tx *store.Tx) error { return tx.Table("idempotency_keys").Count(&n).Error })
			return n
		}
		api.post("/v1/items", object{"name": "A"}, key("g")).expect(http.StatusCreated)
		Expect(kept()).To(BeNumerically("==", 3))
		api.post("/v1/items", object{"name": "A"}, key("h")).expect(http.StatusCreated)
		Expect(kept()).To(BeNumerically("==", 2))
	})
})

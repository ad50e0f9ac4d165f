package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// item makes an item and returns its id.
func (a *api) item(name string) string {
	GinkgoHelper()
	return a.post("/v1/items", object{"name": name}).expect(201).text("id")
}

var _ = Describe("Items", func() {
	var api *api
	BeforeEach(func() { api = start() })

	Describe("POST /v1/items", func() {
		It("makes an item", func() {
			api.clock("2025-03-01T10:00:00Z")
			made := api.post("/v1/items", object{"name": "Widget", "metadata": object{"a": "1", "b": nil}}).expect(201)
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "name": "Widget", "created_at": "2025-03-01T10:00:00+00:00", "archived_at": nil,
				"external_connections": list{}, "metadata": object{"a": "1"},
			}))
			Expect(made.text("id")).To(MatchRegexp(`^item_[0-9A-Za-z]{20}$`))
		})

		It("ER-5: can be corrected under the same Idempotency-Key", func() {
			key := header{"Idempotency-Key", "k2"}
			api.post("/v1/items", object{"name": 5}, key).invalid("name: ")
			api.post("/v1/items", object{"name": "A"}, key).expect(201)
		})

		It("makes one item of a request that is repeated", func() {
			key := header{"Idempotency-Key", "k1"}
			first := api.post("/v1/items", object{"name": "A"}, key).expect(201)
			again := api.post("/v1/items", object{"name": "A"}, key)
			Expect(again.expect(201).json).To(Equal(first.json))
			Expect(again.header.Get("Idempotent-Replayed")).To(Equal("true"))
			Expect(api.get("/v1/items").expect(200).list("data")).To(HaveLen(1))
		})

		It("ER-10: refuses a member it does not know", func() {
			api.post("/v1/items", object{"name": "A", "colour": "red"}).invalid("colour:")
			Expect(api.get("/v1/items").expect(200).list("data")).To(BeEmpty())
		})

		It("refuses an item without a name", func() {
			api.post("/v1/items", object{}).invalid("name: ")
			api.post("/v1/items", object{"name": ""}).invalid("name: ")
		})

		It("refuses metadata beyond its bounds", func() {
			many := object{}
			for n := range 51 {
				many[fmt.Sprint("key", n)] = "v"
			}
			api.post("/v1/items", object{"name": "A", "metadata": many}).invalid("metadata: ")
		})
	})

	Describe("GET /v1/items", func() {
		It("pages through them, the newest first", func() {
			for _, name := range []string{"one", "two", "three"} {
				api.item(name)
			}
			first := api.get("/v1/items?limit=2").expect(200)
			Expect(first.each("data", "name")).To(Equal(list{"three", "two"}))
			Expect(first.at("pagination_metadata.has_more")).To(BeTrue())
			last := api.get("/v1/items?limit=2&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
			Expect(last.each("data", "name")).To(Equal(list{"one"}))
			Expect(last.at("pagination_metadata")).To(Equal(object{"has_more": false, "next_cursor": nil}))
		})

		It("refuses a cursor it did not give", func() {
			api.get("/v1/items?cursor=nope").invalid("cursor: ")
		})

		It("shows none of another account", func() {
			api.item("ours")
			Expect(api.account("test").get("/v1/items").expect(200).list("data")).To(BeEmpty())
		})
	})

	Describe("GET /v1/items/{item_id}", func() {
		It("shows the item as it was made", func() {
			made := api.post("/v1/items", object{"name": "Widget"}).expect(201)
			Expect(api.get("/v1/items/" + made.text("id")).expect(200).json).To(Equal(made.json))
		})

		It("misses what does not exist, here or in another account", func() {
			api.get("/v1/items/nope").refuse(404, "404-resource-not-found", "Item", "nope")
			api.account("test").get("/v1/items/"+api.item("ours")).refuse(404, "404-resource-not-found", "Item")
		})
	})
})

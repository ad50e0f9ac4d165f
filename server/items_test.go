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

	Describe("PUT /v1/items/{item_id}", func() {
		var path string
		connection := func(system, id string) object {
			return object{"external_connection_name": system, "external_entity_id": id}
		}
		BeforeEach(func() {
			path = "/v1/items/" + api.post("/v1/items", object{"name": "Widget", "metadata": object{"a": "1", "b": "2"}}).expect(201).text("id")
		})

		It("changes what is given", func() {
			before := api.get(path).expect(200).json.(object)
			after := api.put(path, object{"name": "Gadget", "metadata": object{"a": nil, "c": "3"}}).expect(200)
			Expect(after.json).To(Equal(with(before, object{"name": "Gadget", "metadata": object{"b": "2", "c": "3"}})))
			Expect(api.put(path, object{}).expect(200).json).To(Equal(after.json))
			Expect(api.get(path).expect(200).json).To(Equal(after.json))
			Expect(api.put(path, object{"metadata": nil}).expect(200).at("metadata")).To(BeEmpty())
		})

		It("replaces the names in other systems", func() {
			two := list{connection("stripe", "prod_1"), connection("netsuite", "7")}
			Expect(api.put(path, object{"external_connections": two}).expect(200).at("external_connections")).To(Equal(two))
			Expect(api.put(path, object{"name": "Gadget"}).expect(200).at("external_connections")).To(Equal(two), "as they were")
			one := list{connection("bill.com", "b")}
			Expect(api.put(path, object{"external_connections": one}).expect(200).at("external_connections")).To(Equal(one))
			Expect(api.put(path, object{"external_connections": nil}).expect(200).at("external_connections")).To(BeEmpty())
		})

		DescribeTable("refuses", func(change object, violation string) {
			api.put(path, change).invalid(violation)
			Expect(api.get(path).expect(200).at("name")).To(Equal("Widget"))
		},
			Entry("an empty name", object{"name": ""}, "name: "),
			Entry("a name that is no text", object{"name": false}, "name: "),
			Entry("another system", object{"name": "A", "external_connections": list{connection("elsewhere", "1")}}, "external_connections[0].external_connection_name: "),
			Entry("half a connection", object{"name": "A", "external_connections": list{object{"external_connection_name": "stripe"}}}, "external_connections[0].external_entity_id: "),
			Entry("another member", object{"name": "A", "archived_at": nil}, "archived_at: "),
		)

		It("misses what does not exist, here or in another account", func() {
			api.put("/v1/items/nope", object{"name": "A"}).refuse(404, "404-resource-not-found", "Item", "nope")
			api.account("test").put(path, object{"name": "A"}).refuse(404, "404-resource-not-found", "Item")
		})
	})

	Describe("POST /v1/items/{item_id}/archive", func() {
		It("archives it, once", func() {
			api.clock("2025-03-01T10:00:00Z")
			path := "/v1/items/" + api.item("Widget")
			Expect(api.post(path+"/archive", nil).expect(200).at("archived_at")).To(Equal("2025-03-01T10:00:00+00:00"))
			Expect(api.get("/v1/items").expect(200).at("data[0].archived_at")).To(Equal("2025-03-01T10:00:00+00:00"), "it is still listed")
			api.post(path+"/archive", nil).refuse(400, "400-constraint-violation", "archived already")
			Expect(api.put(path, object{"name": "Old"}).expect(200).at("name")).To(Equal("Old"))
			api.post("/v1/items/nope/archive", nil).refuse(404, "404-resource-not-found", "Item", "nope")
			api.account("test").post(path+"/archive", nil).refuse(404, "404-resource-not-found", "Item")
		})

		It("archives it once for a request that is repeated", func() {
			path, key := "/v1/items/"+api.item("Widget")+"/archive", header{"Idempotency-Key", "k1"}
			Expect(api.post(path, nil, key).expect(200).json).To(Equal(api.post(path, nil, key).expect(200).json))
		})
	})
})

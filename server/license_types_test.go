package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// licenseType makes a license type and returns its id.
func (a *api) licenseType(name string) string {
	GinkgoHelper()
	return a.post("/v1/license_types", object{"name": name, "grouping_key": "seat_id"}).expect(201).text("id")
}

var _ = Describe("License types", func() {
	var api *api
	BeforeEach(func() { api = start() })

	Describe("POST /v1/license_types", func() {
		It("makes a license type", func() {
			made := api.post("/v1/license_types", object{"name": "Seat", "grouping_key": "seat_id"}).expect(201)
			Expect(made.json).To(Equal(object{"id": made.at("id"), "name": "Seat", "grouping_key": "seat_id"}))
		})

		It("makes one of a request that is repeated", func() {
			key := header{"Idempotency-Key", "k1"}
			made := api.post("/v1/license_types", object{"name": "Seat", "grouping_key": "seat_id"}, key).expect(201)
			again := api.post("/v1/license_types", object{"name": "Seat", "grouping_key": "seat_id"}, key)
			Expect(again.expect(201).json).To(Equal(made.json))
			Expect(api.get("/v1/license_types").expect(200).list("data")).To(HaveLen(1))
		})

		It("refuses what it cannot be named by", func() {
			api.post("/v1/license_types", object{}).invalid("grouping_key: is required", "name: is required")
			api.post("/v1/license_types", object{"name": "", "grouping_key": ""}).invalid("grouping_key: must not be empty", "name: must not be empty")
			api.post("/v1/license_types", object{"name": "A", "grouping_key": "a", "colour": "red"}).invalid("colour: ")
		})
	})

	Describe("GET /v1/license_types", func() {
		It("lists them, the oldest first, page by page", func() {
			for _, name := range []string{"a", "b", "c"} {
				api.licenseType(name)
			}
			first := api.get("/v1/license_types?limit=2").expect(200)
			Expect(first.each("data", "name")).To(Equal(list{"a", "b"}))
			second := api.get("/v1/license_types?limit=2&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
			Expect(second.each("data", "name")).To(Equal(list{"c"}))
			Expect(second.at("pagination_metadata.next_cursor")).To(BeNil())
		})

		It("refuses a cursor it did not give", func() {
			api.get("/v1/license_types?cursor=nope").invalid("cursor: ")
		})
	})

	Describe("GET /v1/license_types/{license_type_id}", func() {
		It("shows it as it was made", func() {
			id := api.licenseType("Seat")
			Expect(api.get("/v1/license_types/" + id).expect(200).at("name")).To(Equal("Seat"))
		})

		It("misses what does not exist, or is another account's", func() {
			other := api.account("test").licenseType("Seat")
			for _, id := range []string{"nope", other} {
				api.get("/v1/license_types/"+id).refuse(404, "404-resource-not-found", "LicenseType", id)
			}
		})
	})
})

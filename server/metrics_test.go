package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// metric makes a metric of a new item and returns its id.
func (a *api) metric(sql string) string {
	GinkgoHelper()
	body := object{"name": "Metric", "description": nil, "item_id": a.item("Measured"), "sql": sql}
	return a.post("/v1/metrics", body).expect(201).text("id")
}

var _ = Describe("Metrics", func() {
	var api *api
	var item string
	BeforeEach(func() {
		api = start()
		item = api.item("Downloads")
	})

	body := func(change object) object {
		b := object{"name": "Bytes", "description": "All of them", "item_id": item, "sql": "SELECT SUM(bytes) FROM events"}
		for member, value := range change {
			b[member] = value
		}
		return b
	}

	Describe("POST /v1/metrics", func() {
		It("makes an active metric, with its item", func() {
			made := api.post("/v1/metrics", body(nil)).expect(201)
			Expect(made.at("name")).To(Equal("Bytes"))
			Expect(made.at("description")).To(Equal("All of them"))
			Expect(made.at("status")).To(Equal("active"))
			Expect(made.at("sql")).To(Equal("SELECT SUM(bytes) FROM events"))
			Expect(made.at("item")).To(Equal(api.get("/v1/items/" + item).expect(200).json))
			Expect(made.at("parameter_definitions")).To(BeNil())
		})

		It("tells where SQL is wrong", func() {
			api.post("/v1/metrics", body(object{"sql": "SELECT COUNT(*) FROM events\nLIMIT 5"})).invalid("sql: line 2, column 1: ")
		})

		DescribeTable("M-8: refuses what is no metric",
			func(sql, place string) {
				api.post("/v1/metrics", body(object{"sql": sql})).invalid("sql: " + place + ": ")
			},
			Entry("for a second statement", "SELECT SUM(n) FROM events; DROP TABLE events", "line 1, column 26"),
			Entry("for want of an aggregate", "SELECT n FROM events", "line 1, column 8"),
		)

		It("wants a description, be it null", func() {
			api.post("/v1/metrics", body(object{"description": nil})).expect(201)
			without := body(nil)
			delete(without, "description")
			api.post("/v1/metrics", without).invalid("description: ")
		})

		It("misses an item that does not exist", func() {
			api.post("/v1/metrics", body(object{"item_id": "nope"})).refuse(404, "404-resource-not-found", "Item", "nope")
		})
	})

	Describe("GET /v1/metrics", func() {
		It("lists them, the newest first, of a time if asked", func() {
			api.clock("2025-03-01T10:00:00Z")
			api.post("/v1/metrics", body(object{"name": "old"})).expect(201)
			api.clock("2025-03-02T10:00:00Z")
			api.post("/v1/metrics", body(object{"name": "new"})).expect(201)
			Expect(api.get("/v1/metrics").expect(200).each("data", "name")).To(Equal(list{"new", "old"}))
			Expect(api.get("/v1/metrics?created_at[gte]=2025-03-02").expect(200).each("data", "name")).To(Equal(list{"new"}))
			Expect(api.get("/v1/metrics?created_at[lt]=2025-03-02T10:00:00Z").expect(200).each("data", "name")).To(Equal(list{"old"}))
		})

		It("refuses a time that is none", func() {
			api.get("/v1/metrics?created_at[gte]=yesterday").invalid("created_at[gte]: ")
		})
	})

	Describe("GET /v1/metrics/{metric_id}", func() {
		It("shows the metric as it was made", func() {
			made := api.post("/v1/metrics", body(nil)).expect(201)
			Expect(api.get("/v1/metrics/" + made.text("id")).expect(200).json).To(Equal(made.json))
		})

		It("misses what does not exist", func() {
			api.get("/v1/metrics/nope").refuse(404, "404-resource-not-found", "Metric", "nope")
		})
	})

	Describe("PUT /v1/metrics/{metric_id}", func() {
		It("changes the metadata: sets a key, drops one that is null, keeps the others", func() {
			made := api.post("/v1/metrics", body(object{"metadata": object{"a": "1", "b": "2", "c": "3"}})).expect(201)
			changed := api.put("/v1/metrics/"+made.text("id"), object{"metadata": object{"a": "4", "b": nil}}).expect(200)
			Expect(changed.at("metadata")).To(Equal(object{"a": "4", "c": "3"}))
			Expect(changed.at("sql")).To(Equal(made.at("sql")))
			Expect(api.get("/v1/metrics/" + made.text("id")).expect(200).json).To(Equal(changed.json))
		})

		It("changes nothing of its own accord, and clears all with null", func() {
			made := api.post("/v1/metrics", body(object{"metadata": object{"a": "1"}})).expect(201)
			Expect(api.put("/v1/metrics/"+made.text("id"), object{}).expect(200).json).To(Equal(made.json))
			Expect(api.put("/v1/metrics/"+made.text("id"), object{"metadata": nil}).expect(200).at("metadata")).To(Equal(object{}))
		})

		It("refuses to change anything else", func() {
			made := api.post("/v1/metrics", body(nil)).expect(201)
			api.put("/v1/metrics/"+made.text("id"), object{"name": "Another"}).invalid("name: ")
			Expect(api.get("/v1/metrics/" + made.text("id")).expect(200).json).To(Equal(made.json))
		})

		It("misses what does not exist", func() {
			api.put("/v1/metrics/nope", object{}).refuse(404, "404-resource-not-found", "Metric", "nope")
		})
	})
})

package server_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Dimensional price groups", func() {
	const (
		path     = "/v1/dimensional_price_groups"
		byAlias  = path + "/external_dimensional_price_group_id/"
		notFound = "404-resource-not-found"
	)
	var s fixture
	BeforeEach(func() { s = newFixture("2025-01-01T00:00:00Z") })

	body := func(change object) object {
		return with(object{"name": "Hours", "billable_metric_id": s.metric, "dimensions": list{"region", "size"}, "external_dimensional_price_group_id": "vm"}, change)
	}
	// small is the body of a price for small machines in that region.
	small := func(region string, change object) object {
		return with(s.calls("0.10"), object{
			"name": "Small in " + region,
			"dimensional_price_configuration": with(object{
				"external_dimensional_price_group_id": "vm", "dimension_values": list{region, "small"},
			}, change),
		})
	}

	Describe("POST /v1/dimensional_price_groups", func() {
		It("makes a group", func() {
			made := s.post(path, body(object{"metadata": object{"a": "1", "b": nil}})).expect(201)
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "name": "Hours", "billable_metric_id": s.metric, "dimensions": list{"region", "size"},
				"external_dimensional_price_group_id": "vm", "metadata": object{"a": "1"},
			}))
		})

		DescribeTable("refuses what is wrong in itself",
			func(change object, violation string) {
				s.post(path, body(change)).invalid(violation)
				Expect(s.get(path).expect(200).list("data")).To(BeEmpty())
			},
			Entry("no dimensions", object{"dimensions": list{}}, "dimensions: must not be empty"),
			Entry("a dimension twice", object{"dimensions": list{"a", "a"}}, "dimensions: must not have the same entry twice"),
			Entry("a dimension without a name", object{"dimensions": list{"a", ""}}, "dimensions[1]: must not be empty"),
			Entry("no name", object{"name": absent}, "name: is required"),
			Entry("an alias of no letters", object{"external_dimensional_price_group_id": ""}, "external_dimensional_price_group_id: must have from 1 to 255 characters"),
			Entry("a member nobody knows", object{"colour": "red"}, "colour: "),
		)

		It("misses a metric that does not exist", func() {
			s.post(path, body(object{"billable_metric_id": "nope"})).refuse(404, notFound, "Metric", "nope")
		})

		It("refuses an alias that another group bears", func() {
			s.post(path, body(nil)).expect(201)
			s.post(path, body(nil)).refuse(400, "400-duplicate-resource-creation", "external_dimensional_price_group_id")
			s.post(path, body(object{"external_dimensional_price_group_id": nil})).expect(201)
		})
	})

	Describe("GET /v1/dimensional_price_groups", func() {
		It("lists them, the newest first", func() {
			for _, name := range []string{"a", "b", "c"} {
				s.post(path, body(object{"name": name, "external_dimensional_price_group_id": absent})).expect(201)
			}
			Expect(s.get(path).expect(200).each("data", "name")).To(Equal(list{"c", "b", "a"}))
		})

		It("refuses a limit it does not have", func() {
			s.get(path + "?limit=101").invalid("limit: ")
		})
	})

	for _, form := range []string{path + "/{dimensional_price_group_id}", byAlias + "{external_dimensional_price_group_id}"} {
		at := func(made value) string {
			return strings.NewReplacer("{dimensional_price_group_id}", made.text("id"), "{external_dimensional_price_group_id}", "vm").Replace(form)
		}
		nowhere := strings.NewReplacer("{dimensional_price_group_id}", "nope", "{external_dimensional_price_group_id}", "nope").Replace(form)

		Describe("GET "+form, func() {
			It("shows the group as it was made", func() {
				made := s.post(path, body(nil)).expect(201)
				Expect(s.get(at(made)).expect(200).json).To(Equal(made.json))
			})

			It("misses what does not exist", func() {
				s.get(nowhere).refuse(404, notFound, "DimensionalPriceGroup", "nope")
			})
		})

		Describe("PUT "+form, func() {
			It("changes metadata, and leaves what is left out", func() {
				made := s.post(path, body(object{"metadata": object{"a": "1"}})).expect(201)
				changed := s.put(at(made), object{"metadata": object{"b": "2"}}).expect(200)
				changed.shows(object{"metadata": object{"a": "1", "b": "2"}, "external_dimensional_price_group_id": "vm"})
				Expect(s.get(at(made)).expect(200).json).To(Equal(changed.json))
			})

			It("DP-4: changes the alias, and nothing else", func() {
				made := s.post(path, body(nil)).expect(201)
				s.put(at(made), object{"name": "Other", "external_dimensional_price_group_id": "other"}).invalid("name: ")
				Expect(s.get(at(made)).expect(200).json).To(Equal(made.json))
				changed := s.put(at(made), object{"external_dimensional_price_group_id": "other"}).expect(200)
				Expect(s.get(byAlias + "other").expect(200).json).To(Equal(changed.json))
				s.get(byAlias+"vm").refuse(404, notFound)
			})

			It("refuses an alias that another group bears", func() {
				made := s.post(path, body(nil)).expect(201)
				s.post(path, body(object{"external_dimensional_price_group_id": "taken"})).expect(201)
				s.put(at(made), object{"external_dimensional_price_group_id": "taken"}).refuse(400, "400-duplicate-resource-creation")
			})

			It("misses what does not exist", func() {
				s.put(nowhere, object{}).refuse(404, notFound, "DimensionalPriceGroup", "nope")
			})
		})
	}

	Describe("A price in a group", func() {
		var group string
		BeforeEach(func() { group = s.post(path, body(nil)).expect(201).text("id") })

		It("has the group's metric, and shows its values", func() {
			for _, named := range []object{nil, {"external_dimensional_price_group_id": absent, "dimensional_price_group_id": group}} {
				made := s.plan(nil, with(small("eu", named), object{"billable_metric_id": absent})).entry("prices", 0)
				made.shows(object{
					"billable_metric":                 object{"id": s.metric},
					"dimensional_price_configuration": object{"dimensional_price_group_id": group, "dimension_values": list{"eu", "small"}},
				})
			}
		})

		DescribeTable("is refused",
			func(change object, violation string) {
				s.post("/v1/prices", with(small("eu", change), object{"currency": "USD"})).invalid("dimensional_price_configuration" + violation)
			},
			Entry("DP-2: with fewer values than dimensions", object{"dimension_values": list{"us-east-1"}}, ".dimension_values: "),
			Entry("with a value that is no text", object{"dimension_values": list{"eu", 2}}, ".dimension_values[1]: must be a string"),
			Entry("without values", object{"dimension_values": absent}, ".dimension_values: is required"),
			Entry("without a group", object{"external_dimensional_price_group_id": absent}, ": "),
			Entry("with a group named twice", object{"dimensional_price_group_id": "any"}, ": "),
			Entry("with a member nobody knows", object{"colour": "red"}, ".colour: "),
		)

		It("misses a group that does not exist", func() {
			unknown := with(small("eu", object{"external_dimensional_price_group_id": "nope"}), object{"currency": "USD"})
			s.post("/v1/prices", unknown).refuse(404, notFound, "DimensionalPriceGroup", "nope")
		})

		It("DP-5: is the only one of its values in a plan", func() {
			s.plan(nil, small("eu", nil), small("us", nil))
			s.post("/v1/plans", object{"name": "Pro", "currency": "USD", "prices": list{
				object{"price": small("eu", nil)}, object{"price": with(small("eu", nil), object{"name": "Again"})},
			}}).invalid("prices[1].price.dimensional_price_configuration.dimension_values: ")
		})
	})
})

package examples_test

import (
	"encoding/json"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/examples"
)

const contract = `openapi: 3.0.3
paths:
  /v1/items: # a remark that stays
    post:
      operationId: createItem
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/ItemCreate"}
            examples:
              example:
                value: {name: Tiles, price: 1.10, from: "2025-06-02", more: [true, null]}
      responses:
        "201": {description: Made., content: {application/json: {schema: {$ref: "#/components/schemas/Item"}}}}
  /v1/items/{item_id}:
    parameters:
      - $ref: "#/components/parameters/ItemID"
    get:
      operationId: fetchItem
      responses:
        "200": {description: It., content: {application/json: {schema: {$ref: "#/components/schemas/Item"}}}}
    delete:
      operationId: deleteItem
      responses:
        "204": {description: It is gone.}
components:
  parameters:
    ItemID: {name: item_id, in: path, required: true, examples: {tiles: {value: item_tiles}, maps: {value: item_maps}}, schema: {type: string}}
  schemas:
    Item: {type: object}
`

func read(text string) *examples.Document {
	GinkgoHelper()
	d, err := examples.Read([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	return d
}

type object = map[string]any

var _ = Describe("A document", func() {
	It("has its operations with their examples, whose numbers keep their digits", func() {
		d := read(contract)
		create := d.Operation("createItem")
		Expect(create.Method + " " + create.Path).To(Equal("POST /v1/items"))
		Expect(create.Status).To(Equal(201))
		Expect(create.Body).To(Equal(object{"name": "Tiles", "price": json.Number("1.10"), "from": "2025-06-02", "more": []any{true, nil}}))
		Expect(d.Operation("fetchItem").Parameters).To(HaveLen(1))
		Expect(d.Operation("fetchItem").Parameters[0].Examples).To(Equal([]examples.Example{{Name: "tiles", Value: "item_tiles"}, {Name: "maps", Value: "item_maps"}}))
		Expect(d.Operation("deleteItem").HasAnswer).To(BeFalse())
		Expect(d.Operation("none")).To(BeNil())
	})

	It("is written with answers, of which equal ones are shared, and is otherwise as it was", func() {
		d := read(contract)
		item := object{"id": "item_tiles", "name": "no", "at": "2025-06-02", "n": json.Number("1.10"), "quote": `a "b" <é> c: d`, "none": nil,
			"list": []any{}, "long": []any{object{"text": strings.Repeat("word ", 40), "id": "x"}, "y"}}
		text, err := d.Write([]examples.Answered{{d.Operation("createItem"), item}, {d.Operation("fetchItem"), item}})
		Expect(err).NotTo(HaveOccurred())
		again := read(text)
		Expect(again.Operation("fetchItem").AnswerName).To(Equal("createItem"))
		Expect(again.Answer(again.Operation("createItem"))).To(Equal(item))
		without := strings.ReplaceAll(text, `, examples: {example: {$ref: "#/components/examples/createItem"}}`, "")
		Expect(without).To(HavePrefix(contract))
		Expect(strings.Count(text, "value:\n")).To(Equal(1))

		other := object{"id": "item_tiles", "name": "Maps"}
		both := []examples.Answered{{again.Operation("createItem"), item}, {again.Operation("fetchItem"), other}}
		text, err = again.Write(both)
		Expect(err).NotTo(HaveOccurred())
		third := read(text)
		Expect(third.Answer(third.Operation("fetchItem"))).To(Equal(other))
		Expect(third.Write([]examples.Answered{{third.Operation("createItem"), item}, {third.Operation("fetchItem"), other}})).To(Equal(text), "nothing changed")
	})
})

var _ = Describe("Differences", func() {
	example := object{"id": "a", "n": json.Number("1.0"), "list": []any{object{"x": nil}}}
	DescribeTable("finds",
		func(answer any, differences ...string) {
			Expect(examples.Differences(answer, example)).To(HaveExactElements(differences))
		},
		Entry("nothing where all is the same", example),
		Entry("another value", object{"id": "b", "n": json.Number("1.0"), "list": []any{object{"x": nil}}}, `.id: "b", the example says "a"`),
		Entry("a number with other digits", object{"id": "a", "n": json.Number("1"), "list": []any{object{"x": nil}}}, `.n: 1, the example says 1.0`),
		Entry("a member that is gone", object{"id": "a", "list": []any{object{"x": nil}}}, ".n: only the example has it"),
		Entry("a new member that is null", object{"id": "a", "m": nil, "n": json.Number("1.0"), "list": []any{object{"x": nil}}}, ".m: the example does not have it"),
		Entry("an entry more", object{"id": "a", "n": json.Number("1.0"), "list": []any{object{"x": nil}, nil}}, ".list: 2 entries, the example has 1"),
		Entry("another value deep inside", object{"id": "a", "n": json.Number("1.0"), "list": []any{object{"x": false}}}, ".list[0].x: false, the example says null"),
		Entry("another kind", []any{}, `: [], the example says {"id":"a","list":[{"x":null}],"n":1.0}`),
	)
})

var _ = Describe("Names", func() {
	const first, second = "item_AAAAAAAAAAAAAAAAAAAA", "item_BBBBBBBBBBBBBBBBBBBB"
	began := time.Date(2031, 3, 30, 0, 59, 0, 0, time.UTC)
	var names *examples.Names
	BeforeEach(func() {
		names = examples.NewNames(read(contract), began, time.Date(2025, 6, 2, 9, 0, 0, 0, time.UTC))
	})

	It("takes names from the example, one for each id", func() {
		Expect(names.Told(object{"id": first, "url": "/items/" + first}, object{"id": "item_tiles", "url": "/items/item_tiles"})).
			To(Equal(object{"id": "item_tiles", "url": "/items/item_tiles"}))
		Expect(names.Real(object{"item_ids": []any{"item_tiles", "item_maps"}})).To(Equal(object{"item_ids": []any{first, "item_maps"}}))
		Expect(names.Told(second, "item_tiles")).To(Equal(second), "the name is that of another")
		Expect(names.Told(first, "item_maps")).To(Equal("item_tiles"), "it has a name")
		Expect(names.Bind(second, "item_tiles")).NotTo(Succeed())
		Expect(names.Bind(first, "item_maps")).NotTo(Succeed())
	})

	It("makes names only where examples are written", func() {
		Expect(names.Told(first, nil)).To(Equal(first))
		names.Invent = true
		Expect(names.Told([]any{first, second, first}, nil)).To(Equal([]any{"item_1", "item_2", "item_1"}))
	})

	DescribeTable("tells real time as that of the story",
		func(real, told string) { Expect(names.Told(real, nil)).To(Equal(told)) },
		Entry("now", "2031-03-30T00:59:07+00:00", "2025-06-02T09:00:00+00:00"),
		Entry("in an hour, where clocks change", "2031-03-30T01:59:59.123456Z", "2025-06-02T10:00:00Z"),
		Entry("in 30 days, past the end of a month", "2031-04-29T00:59:01", "2025-07-02T09:00:00"),
		Entry("not what is of the story itself", "2025-07-31T22:00:00+00:00", "2025-07-31T22:00:00+00:00"),
	)
})

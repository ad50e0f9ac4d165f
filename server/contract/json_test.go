package contract_test

import (
	"bytes"
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/server/contract"
	"tollkeeper/store/fault"
)

var _ = Describe("the text of a body", func() {
	DescribeTable("has numbers without exponent and trailing zeros",
		func(text, number string) {
			Expect(contract.ReadJSON([]byte(text))).To(Equal(json.Number(number)))
		},
		Entry("an integer stays", "12", "12"),
		Entry("zeros at the end go", "1.50", "1.5"),
		Entry("and the point with them", "5.0", "5"),
		Entry("an exponent is resolved", "1.5e3", "1500"),
		Entry("a negative one too", "1e-05", "0.00001"),
		Entry("there is no negative zero", "-0.0", "0"),
		Entry("38 digits are kept", "12345678901234567890123456789.012345678", "12345678901234567890123456789.012345678"),
	)

	It("is read as encoding/json reads it, whatever it holds", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			text, err := json.Marshal(values(3).Draw(t, "value"))
			if err != nil {
				t.Fatal(err)
			}
			read, err := contract.ReadJSON(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			var expected any
			if err := decoder.Decode(&expected); err != nil {
				t.Fatal(err)
			}
			again, _ := json.Marshal(read)
			plain, _ := json.Marshal(expected)
			if !bytes.Equal(again, plain) {
				t.Fatalf("%s is read as %s", text, again)
			}
		})
	})

	It("is accepted or refused by a fault, however broken", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			text, _ := json.Marshal(values(3).Draw(t, "value"))
			for range rapid.IntRange(1, 4).Draw(t, "edits") {
				at := rapid.IntRange(0, len(text)).Draw(t, "at")
				text = append(append(bytes.Clone(text[:at]), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "bytes")...),
					text[min(len(text), at+rapid.IntRange(0, 3).Draw(t, "cut")):]...)
			}
			_, err := contract.ReadJSON(text)
			if err != nil && !fault.Is(err, fault.KindInvalid) {
				t.Fatalf("%q: %v", text, err)
			}
			if err == nil && !json.Valid(text) {
				t.Fatalf("%q is no JSON", text)
			}
		})
	})

	It("has its places in the order of the text, and an end to each object", func() {
		order := []string{"", "b", "b[0]", "b[0].x", "b[0]}", "b[1]", "a", "a}", "}"}
		places := contract.Positions([]byte(`{"b":[{"x":1},2],"a":{}}`), order)
		Expect(places).To(HaveLen(len(order)))
		for i, place := range order {
			Expect(places).To(HaveKeyWithValue(place, i))
		}
		Expect(contract.Positions([]byte(`{"b":[{"x":1},2],"a":{}}`), []string{"a}", "b[0].x", "c"})).To(Equal(map[string]int{"b[0].x": 0, "a}": 1}))
	})
})

// values draws JSON values, nested at most that deep, with whole numbers.
func values(depth int) *rapid.Generator[any] {
	name := rapid.StringMatching(`[a-zé"\\]{0,4}`)
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), name.AsAny(), rapid.Int32().AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := values(depth - 1)
	return rapid.OneOf(append(leaves, rapid.SliceOfN(inner, 0, 3).AsAny(), rapid.MapOfN(name, inner, 0, 3).AsAny())...)
}

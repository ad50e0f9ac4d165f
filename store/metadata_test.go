package store_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

func ref(s string) *string { return &s }

var _ = Describe("Metadata", func() {
	have := store.Metadata{"a": "1", "b": "2"}

	It("is merged key by key, and null removes a key", func() {
		merged, err := have.Merge(map[string]*string{"a": nil, "c": ref("3")})
		Expect(merged, err).To(Equal(store.Metadata{"b": "2", "c": "3"}))
		Expect(have).To(HaveLen(2)) // unchanged
	})

	It("is cleared by null", func() {
		merged, err := have.Merge(nil)
		Expect(merged, err).To(Equal(store.Metadata{}))
	})

	It("takes fifty keys and not one more", func() {
		change := map[string]*string{}
		for k := range 50 {
			change[fmt.Sprint(k)] = ref("x")
		}
		merged, err := store.Metadata{}.Merge(change)
		Expect(merged, err).To(HaveLen(50))
		_, err = merged.Merge(map[string]*string{"one more": ref("x")})
		Expect(err).To(MatchError(HavePrefix("metadata: ")))
	})

	DescribeTable("bounds keys and values in characters",
		func(key, value string, ok bool) {
			_, err := have.Merge(map[string]*string{key: &value})
			Expect(err == nil).To(Equal(ok))
		},
		Entry("a key of 100", strings.Repeat("é", 100), "v", true),
		Entry("a key of 101", strings.Repeat("é", 101), "v", false),
		Entry("an empty key", "", "v", false),
		Entry("a value of 500", "k", strings.Repeat("é", 500), true),
		Entry("a value of 501", "k", strings.Repeat("é", 501), false),
		Entry("an empty value", "k", "", true),
	)
})

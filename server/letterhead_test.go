package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The letterhead", func() {
	It("is as it was sent, and empty before", func() {
		a := start()
		empty := a.get("/v1/letterhead").expect(200)
		Expect(empty.at("id")).To(BeNil())
		Expect(empty.at("link_days")).To(BeEquivalentTo("60"))
		made := a.put("/v1/letterhead", sellersHead).expect(200)
		Expect(made.at("bank.iban")).To(Equal("IE29AIBK93115212345678"))
		Expect(a.get("/v1/letterhead").expect(200).at("id")).To(Equal(made.at("id")))
	})

	DescribeTable("refuses what no document can show", func(body object, places ...string) {
		start().put("/v1/letterhead", body).refuse(400, "400-request-validation-errors", places...)
	},
		Entry("no color", object{"color": "red"}, "color"),
		Entry("no language", object{"language": "xx"}, "language"),
		Entry("no image", object{"logo": "aGVsbG8="}, "logo"),
		Entry("no base64", object{"logo": "?"}, "logo"),
		Entry("a field twice", object{"custom_fields": list{object{"metadata_key": "a", "label": "A"}, object{"metadata_key": "a", "label": "B"}}}, "custom_fields[1].key"),
		Entry("no country", object{"address": object{"country": "Ireland"}}, "address.country"),
	)
})

package rig

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Invoices of two accounts that did the same, in the order of their members too.
const (
	oneAccount   = `{"id": "inv_aaaaaaaaaaaaaaaaaaaa", "customer": {"id": "cus_bbbbbbbbbbbbbbbbbbbb"}, "invoice_number": "ABCDEF-00001", "hosted_invoice_url": "http://127.0.0.1:1/i/abc", "total": "1.50", "again": "inv_aaaaaaaaaaaaaaaaaaaa"}`
	otherAccount = `{"customer": {"id": "cus_dddddddddddddddddddd"}, "id": "inv_cccccccccccccccccccc", "invoice_number": "GHIJKL-00001", "hosted_invoice_url": "https://bill.test/i/def", "total": "1.50", "again": "inv_cccccccccccccccccccc"}`
)

var _ = Describe("A dump", func() {
	dump := func(ctx SpecContext, invoice string) string {
		GinkgoHelper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := invoice
			if r.URL.Path == "/list" {
				answer = `{"data": [` + invoice + `], "pagination_metadata": {"next_cursor": null}}`
			}
			_, _ = io.WriteString(w, answer)
		}))
		defer server.Close()
		d := Dump{Client: Client{URL: server.URL}}
		Expect(d.Object(ctx, "/object")).To(Succeed())
		Expect(d.List(ctx, "/list")).To(Succeed())
		return d.String()
	}

	It("numbers what is random, and leaves the rest", func(ctx SpecContext) {
		const line = `{"again":"inv_0","customer":{"id":"cus_1"},"hosted_invoice_url":"link","id":"inv_0","invoice_number":"PREFIX-00001","total":"1.50"}`
		Expect(dump(ctx, oneAccount)).To(Equal(line + "\n" + line))
	})

	It("is the same of accounts that show the same", func(ctx SpecContext) {
		Expect(dump(ctx, otherAccount)).To(Equal(dump(ctx, oneAccount)))
	})

	DescribeTable("differs", func(ctx SpecContext, before, after string) {
		changed := strings.Replace(oneAccount, before, after, 1)
		Expect(changed).NotTo(Equal(oneAccount))
		Expect(dump(ctx, changed)).NotTo(Equal(dump(ctx, oneAccount)))
	},
		Entry("by a cent", `"1.50"`, `"1.51"`),
		Entry("by a digit that says no more", `"1.50"`, `"1.5"`),
		Entry("by a number of an invoice", "-00001", "-00002"),
		Entry("by an id of something else", `"again": "inv_a`, `"again": "inv_b`),
		Entry("by a link that is missing", `"http://127.0.0.1:1/i/abc"`, "null"),
	)

	It("fails where something is not shown", func(ctx SpecContext) {
		server := httptest.NewServer(http.NotFoundHandler())
		defer server.Close()
		d := Dump{Client: Client{URL: server.URL}}
		Expect(d.Object(ctx, "/object")).To(MatchError(ContainSubstring("404")))
		Expect(d.List(ctx, "/list")).To(MatchError(ContainSubstring("404")))
	})
})

var _ = DescribeTable("The difference of two texts", func(one, other, shown string) {
	Expect(Difference("before", one, "now", other)).To(Equal(shown))
},
	Entry("is the first line that differs", "a\nb\nc", "a\nx\ny", "  line 1\n  before: b\n  now:    x"),
	Entry("is its place in a long line", strings.Repeat("a", 1000)+"b", strings.Repeat("a", 1000)+"c",
		"  line 0\n  before: "+strings.Repeat("a", 300)+"b\n  now:    "+strings.Repeat("a", 300)+"c"),
	Entry("is the number of lines where one ends before", "a", "a\nb", "  1 lines before, 2 now"),
)

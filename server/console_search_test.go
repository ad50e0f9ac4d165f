package server_test

import (
	"net/http"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var _ = Describe("The search of the console", func() {
	It("finds what a text begins, and an event by its whole key", func() {
		s, buyer := filled()
		d := s.desk(user.RoleReader)
		found := func(text string) string { return d.see("/console/search?q=" + url.QueryEscape(text)).html }
		for _, text := range []string{hostile, "<SCRIPT>al", "acme", buyer} {
			Expect(found(text)).To(ContainSubstring(`href="/console/customers/`+buyer+`"`), text)
		}
		Expect(found("acme")).To(And(ContainSubstring("Invoices found"), ContainSubstring("Subscriptions found")))
		Expect(found("pro ")).To(ContainSubstring("Plans found"))
		Expect(found("summ")).To(ContainSubstring("SUMMER"))
		number := value{"invoice", s.get("/v1/invoices?customer_id=" + buyer).expect(200).list("data")[0]}.text("invoice_number")
		Expect(found(number)).To(ContainSubstring(number + "</a>"))
		Expect(found("e000001")).To(ContainSubstring(`<code class="id">e000001</code>`))
		Expect(found("e00000")).To(ContainSubstring("Nothing found"), "a part of a key")
		Expect(d.see("/console/search").html).To(ContainSubstring("What do you look for?"))
		Expect(start().desk(user.RoleOwner).see("/console/search?q=acme").html).To(ContainSubstring("Nothing found"), "of another account")
	})

	It("takes whatever text a browser sends", func() {
		d := start().desk(user.RoleOwner)
		for _, text := range []string{"%00", "%ff%fe", "%27%22--", "%25", "_", "%5C"} {
			Expect(d.send(http.MethodGet, "/console/search?q="+text, nil).status).To(Equal(http.StatusOK), text)
		}
	})
})

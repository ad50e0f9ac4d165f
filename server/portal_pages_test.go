package server_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The pages of a portal", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-03-01T00:00:00Z") })
	open := func(buyer string) string {
		GinkgoHelper()
		return s.post("/v1/customers/"+buyer+"/portal_sessions", object{}).expect(201).text("url")
	}

	// The rule: semantics 20.1.4.
	It("list invoices of every state but drafts, 20 a page, newest first", func() {
		buyer := s.buyer(object{"currency": "USD"})
		one := func(number int) value {
			GinkgoHelper()
			return s.post("/v1/invoices", s.oneOff(buyer, object{"line_items": list{s.widgets("1", fmt.Sprintf("%d.00", 100+number))}})).expect(201)
		}
		for number := range 21 {
			issued := s.post("/v1/invoices/"+one(number).text("id")+"/issue", nil).expect(200)
			switch number {
			case 3:
				s.pay(issued.text("id"))
			case 4:
				s.post("/v1/invoices/"+issued.text("id")+"/void", nil).expect(200)
			}
		}
		one(99)
		address := open(buyer)
		amounts := func(page string) (found []string) {
			for _, m := range regexp.MustCompile(`<td class="num">USD\x{a0}(\d+)\.00</td>`).FindAllStringSubmatch(page, -1) {
				found = append(found, m[1])
			}
			return found
		}
		first := s.open(address + "/invoices").text
		Expect(amounts(first)).To(And(HaveLen(20), HaveEach(Not(Equal("199")))))
		Expect(amounts(first)[0]).To(Equal("120"))
		older := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first)
		Expect(older).To(HaveLen(2))
		base, _, _ := strings.Cut(address, "/portal/")
		second := s.open(base + older[1]).text
		Expect(amounts(second)).To(Equal([]string{"100"}))
		Expect(second).NotTo(ContainSubstring(`rel="next"`))
	})

	// The rule: semantics 20.1.3.
	It("show the newest 50 entries of a ledger, and 50 blocks", func() {
		buyer := s.buyer(object{"currency": "USD"})
		for n := range 52 {
			s.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "increment", "amount": n + 1, "currency": "USD"}).expect(201)
		}
		page := s.open(open(buyer) + "/credits").text
		Expect(strings.Count(page, "<td>1 Mar 2025</td>")).To(Equal(50))
		Expect(strings.Count(page, "<td>–</td>")).To(Equal(50))
		Expect(page).To(ContainSubstring("1,378.00"))
		Expect(page).To(ContainSubstring(`<td class="num">52.00</td>`))
	})

	// The rules: semantics 20.1.2 and 20.1.7.
	It("are in the customer's language and days, with the costs that the API has", func() {
		buyer := s.buyer(object{"currency": "USD", "language": "de", "timezone": "Pacific/Auckland"})
		page := s.open(open(buyer)).text
		Expect(page).To(ContainSubstring(`lang="de"`))
		Expect(page).To(ContainSubstring("Es gibt noch keine Kosten"))
		sub := s.subscribe(buyer, nil, s.calls("1.50")).text("id")
		s.clock("2025-03-31T12:00:00Z") // the 1st of April there
		s.use(buyer, "2025-03-31T11:30:00Z", "3")
		costs := s.get("/v1/subscriptions/" + sub + "/costs").expect(200).list("data")
		page = s.open(open(buyer)).text
		Expect(page).To(ContainSubstring("01.03.2025"))
		Expect(costs).NotTo(BeEmpty())
		Expect(page).To(ContainSubstring(strings.ReplaceAll(costs[len(costs)-1].(object)["total"].(string), ".", ",") + "\u00a0USD"))
	})

	// The rule: semantics 20.2.2.
	It("look the same at every address that opens nothing", func() {
		buyer := s.buyer(object{"currency": "USD"})
		address := s.bill(buyer, "5").text("hosted_invoice_url")
		base, _, _ := strings.Cut(address, "/i/")
		token := address[strings.LastIndex(address, "/")+1:]
		wrong := s.open(base + "/i/" + token[:len(token)-1] + "_")
		Expect(wrong.status).To(Equal(http.StatusNotFound))
		for _, other := range []string{"/i/x", "/i/" + strings.Repeat("a", 69), "/portal/x"} {
			page := s.open(base + other)
			Expect(page.status).To(Equal(http.StatusNotFound))
			Expect(page.text).To(Equal(wrong.text), other)
		}
	})
})

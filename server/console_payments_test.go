package server_test

import (
	"html"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// panel returns what a panel of the page says, without its heading.
func (s shown) panel(heading string) string {
	GinkgoHelper()
	_, rest, found := strings.Cut(s.html, "<h2>"+heading+"</h2>")
	Expect(found).To(BeTrue(), "there is no panel %s", heading)
	text, _, _ := strings.Cut(rest, "<section")
	return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(text, " ")), " "))
}

var _ = Describe("The payments of an invoice in the console", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T05:00:00Z") // midnight in New York
		buyer = s.buyer(object{"currency": "USD", "timezone": "America/New_York"})
	})
	see := func(id string) shown { GinkgoHelper(); return s.desk(user.RoleFinance).see("/console/invoices/" + id) }

	It("are none yet while the invoice is owed", func() {
		page := see(s.bill(buyer, "28").text("id"))
		Expect(page.panel("Payments")).To(HavePrefix("No payment yet."))
		Expect(page.panel("Line items")).To(HaveSuffix("Amount due USD 28.00"))
	})

	It("are the payment that was recorded by hand, with its day, notes and reference", func() {
		id := s.bill(buyer, "28").text("id")
		s.clock("2025-03-03T05:00:00Z")
		s.post("/v1/invoices/"+id+"/mark_paid", object{"payment_received_date": "2025-03-02", "external_id": "wire 17", "notes": "Bank transfer"}).expect(200)
		page := see(id)
		Expect(page.panel("Payments")).To(HavePrefix("Payment Amount Recorded by hand Bank transfer, wire 17 2 Mar 2025 USD 28.00"))
		Expect(page.panel("Line items")).To(HaveSuffix("Paid USD 28.00"), "it is not due any more")
		Expect(s.desk(user.RoleFinance).see("/console/invoices").html).NotTo(MatchRegexp(`data-label="Amount due">[^/]*28\.00`))
	})

	It("are what the balance paid, and the rest", func() {
		s.moveBalance(buyer, "30")
		Expect(see(s.bill(buyer, "28").text("id")).panel("Payments")).To(HavePrefix("Payment Amount From the balance 2025-03-01 05:00:00 UTC USD 28.00"))
		second := s.bill(buyer, "28").text("id")
		Expect(see(second).panel("Payments")).To(HavePrefix("Payment Amount From the balance 2025-03-01 05:00:00 UTC USD 2.00"))
		s.clock("2025-03-02T12:00:00Z")
		s.pay(second)
		Expect(see(second).panel("Payments")).To(And(ContainSubstring("From the balance 2025-03-01 05:00:00 UTC USD 2.00"), ContainSubstring("Recorded by hand 1 Mar 2025 USD 26.00")))
	})

	It("are none where prepaid credits or a credit note left nothing to pay", func() {
		bill := s.bill(buyer, "28")
		s.post("/v1/credit_notes", object{"reason": "duplicate", "line_items": list{credited(bill.at("line_items[0].id"), "28.00")}}).expect(201)
		Expect(see(bill.text("id")).panel("Payments")).To(HavePrefix("Nothing was left to pay: credit notes took off the whole amount."))
		s.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 100, "currency": "USD"}).expect(201)
		used := s.subscribe(buyer, nil, s.calls("1")).text("id")
		s.use(buyer, "2025-03-01T05:00:00Z", "28")
		s.clock("2025-04-03T05:00:00Z")
		Expect(see(s.invoices(used).entry("data", 1).text("id")).panel("Payments")).To(HavePrefix("Nothing was left to pay: prepaid credits paid for the usage."))
		Expect(see(s.bill(buyer, "0").text("id")).panel("Payments")).To(HavePrefix("Nothing was to pay."))
	})

	It("are the attempts to charge", func() {
		s.setting("payment_gateway", "test")
		one := func(method string) string {
			payer := s.buyer(object{"payment_provider": "stripe_charge", "payment_provider_id": method})
			return s.post("/v1/invoices", s.oneOff(payer, object{"invoice_date": "2025-03-01T12:00:00Z", "due_date": "2025-03-01T12:00:00Z", "will_auto_issue": true})).expect(201).text("id")
		}
		declined, good := one("decline"), one("ok")
		s.clock("2025-03-01T12:00:00Z")
		Expect(see(declined).panel("Payments")).To(HavePrefix("Payment Amount Charge failed 2025-03-01 12:00:00 UTC USD 59.97"))
		Expect(see(good).panel("Payments")).To(HavePrefix("Payment Amount Charged 2025-03-01 12:00:00 UTC USD 59.97"))
	})
})

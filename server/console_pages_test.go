package server_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// hostile is a name that would run a script if it were not escaped.
const hostile = `<script>alert("1")</script><img src=x onerror=alert(1)>"'&`

// filled is an account in which there is something of each kind, with hostile names.
func filled() (s fixture, buyer string) {
	GinkgoHelper()
	s = newFixture("2025-01-01T00:00:00Z")
	buyer = s.buyer(object{"name": hostile, "currency": "USD", "external_customer_id": "acme", "metadata": object{hostile: hostile}})
	plan := s.plan(object{"name": "Pro " + hostile}, s.fee("20.00"), s.calls("0.001")).text("id")
	sub := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01"}).expect(201).text("id")
	s.use(buyer, "2025-01-01T00:00:00Z", "1000", "2500")
	s.clock("2025-02-03T00:00:00Z")
	s.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 100, "currency": "USD", "description": hostile}).expect(201)
	s.post("/v1/alerts/customer_id/"+buyer, object{"type": "credit_balance_depleted", "currency": "USD"}).expect(201)
	s.post("/v1/coupons", object{"redemption_code": "SUMMER", "discount": object{"discount_type": "percentage", "percentage_discount": 0.1}}).expect(201)
	s.post("/v1/webhook_endpoints", object{"url": "http://127.0.0.1:9/none"}).expect(201)
	s.post("/v1/api_keys", object{"name": hostile}).expect(201)
	s.post("/v1/events/backfills", object{"timeframe_start": "2025-01-02T00:00:00Z", "timeframe_end": "2025-01-03T00:00:00Z"}).expect(200)
	s.post("/v1/prices", with(s.fee("5.00"), object{"name": hostile, "currency": "USD"})).expect(201)
	issued := s.invoices(sub).list("data")
	Expect(issued).NotTo(BeEmpty())
	for _, each := range issued {
		i := value{"invoice", each}
		if i.at("status") == "issued" && len(i.list("line_items")) > 0 && i.at("total") == "20.00" {
			s.post("/v1/credit_notes", object{"reason": "duplicate", "memo": hostile, "line_items": list{object{"invoice_line_item_id": i.entry("line_items", 0).text("id"), "amount": "1.00"}}}).expect(201)
			break
		}
	}
	return s, buyer
}

var _ = Describe("The pages of the console", func() {
	It("are all there for an account without anything", func() {
		api := start()
		pages := api.desk(user.RoleOwner).walk()
		for _, path := range []string{"/console", "/console/customers", "/console/invoices", "/console/credits", "/console/plans", "/console/events", "/console/clock", "/console/work", "/console/settings", "/console/audit"} {
			Expect(pages).To(HaveKey(path))
		}
		Expect(pages["/console/customers"].html).To(ContainSubstring("No customers yet"))
	})

	It("are all there for a filled account, with hostile names escaped", func() {
		s, buyer := filled()
		d := s.desk(user.RoleOwner)
		pages := d.walk()
		Expect(len(pages)).To(BeNumerically(">", 100))
		kinds := map[string]int{}
		for path, page := range pages {
			Expect(page.html).NotTo(ContainSubstring("<script>alert"), path)
			Expect(page.html).NotTo(ContainSubstring("<img src=x"), path)
			kinds[strings.Split(strings.TrimPrefix(path, "/console/"), "/")[0]]++
		}
		for _, kind := range []string{"customers", "subscriptions", "invoices", "credit-notes", "plans", "prices", "metrics", "coupons", "alerts", "webhooks", "backfills"} {
			Expect(kinds[kind]).To(BeNumerically(">", 0), kind)
		}
		Expect(pages["/console/customers/"+buyer].html).To(ContainSubstring("&lt;script&gt;alert(&#34;1&#34;)"))
		Expect(pages["/console/alerts"].html).To(ContainSubstring("row-link"))
		Expect(d.see("/console/events?keys=e000001").html).To(ContainSubstring("call"))
	})

	It("show how the amount of a line came about", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		buyer := s.buyer(object{"currency": "USD"})
		tiers := with(s.fee("0"), object{"name": "Calls", "billable_metric_id": s.metric, "model_type": "tiered", "unit_config": nil, "tiered_config": object{"tiers": list{
			object{"first_unit": 0, "last_unit": 1000, "unit_amount": "0.01"}, object{"first_unit": 1000, "unit_amount": "0.000190"}}}})
		delete(tiers, "unit_config")
		sub := s.subscribe(buyer, object{"start_date": "2025-01-01"}, tiers).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "1000", "2500")
		s.clock("2025-02-02T00:00:00Z")
		var invoice value
		for _, each := range s.invoices(sub).list("data") {
			if i := (value{"invoice", each}); i.at("total") == "10.48" {
				invoice = i
			}
		}
		d := s.desk(user.RoleFinance)
		page := d.see("/console/invoices/" + invoice.text("id"))
		Expect(page.html).NotTo(ContainSubstring("Measured"))
		page = d.see("/console/invoices/" + invoice.text("id") + "?line=" + invoice.entry("line_items", 0).text("id"))
		for _, shown := range []string{"Measured", "3,500", "SELECT SUM(n) FROM events", "Rated", "0.000190", "2,500", "10.00", "10.48", "1 Jan – 31 Jan 2025"} {
			Expect(page.html).To(ContainSubstring(shown))
		}
	})

	It("hide what a role may not see, and what it may not do", func() {
		s, _ := filled()
		reader := s.desk(user.RoleReader)
		home := reader.see("/console")
		Expect(home.html).NotTo(ContainSubstring("API keys"))
		Expect(home.html).NotTo(ContainSubstring("New customer"))
		for _, path := range []string{"/console/keys", "/console/do/createCustomer", "/console/nowhere", "/console/customers/cus_nobody"} {
			Expect(reader.send(http.MethodGet, path, nil).status).To(Equal(http.StatusNotFound), path)
		}
		for path, page := range reader.walk() {
			if path != "/console/do" {
				Expect(page.html).NotTo(ContainSubstring("/console/do/create"), path)
			}
		}
	})

	It("of one account show nothing of another", func() {
		s, buyer := filled()
		other := start().desk(user.RoleOwner)
		Expect(other.send(http.MethodGet, "/console/customers/"+buyer, nil).status).To(Equal(http.StatusNotFound))
		Expect(s.desk(user.RoleOwner).see("/console/customers/" + buyer).status).To(Equal(http.StatusOK))
	})

	It("lead by cursor through a list that is longer than a page", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		for range 30 {
			s.buyer(object{"name": "Acme"})
		}
		d := s.desk(user.RoleOwner)
		first := d.see("/console/customers")
		Expect(strings.Count(first.html, "row-link")).To(Equal(25))
		older := ""
		for _, path := range first.links() {
			if strings.Contains(path, "cursor=") {
				older = path
			}
		}
		second := d.see(older)
		Expect(strings.Count(second.html, "row-link")).To(Equal(5))
		Expect(second.html).To(ContainSubstring("Newest"))
		Expect(d.send(http.MethodGet, "/console/customers?cursor=nonsense", nil).status).To(Equal(http.StatusBadRequest))
	})

	It("load files that are kept for good and come from this server", func() {
		d := start().desk(user.RoleOwner)
		page := d.see("/console")
		for _, file := range []string{"console.css", "console.js", "htmx.min.js", "mark.svg"} {
			at := strings.Index(page.html, file)
			Expect(at).To(BeNumerically(">", 0), file)
			path := page.html[strings.LastIndex(page.html[:at], `"`)+1 : at+len(file)]
			got := d.send(http.MethodGet, path, nil)
			Expect(got.status).To(Equal(http.StatusOK), path)
			Expect(got.header.Get("Cache-Control")).To(ContainSubstring("immutable"))
			Expect(got.html).NotTo(ContainSubstring("url(http"))
		}
	})
})

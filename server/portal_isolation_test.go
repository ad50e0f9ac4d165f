package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/hosted"
)

// hostedRoutes are all routes of pages for customers.
func hostedRoutes() (all []*echo.Route) {
	e := echo.New()
	hosted.Mount(e, hosted.Config{})
	for _, r := range e.Routes() {
		if strings.Contains(r.Path, ":token") {
			all = append(all, r)
		}
	}
	return all
}

// patron is a customer with something of each kind, and what only their pages may show.
type patron struct {
	id, portal, page string
	marks            []string // in texts
	files            []string // names below the page of an invoice
	ids              []string // what a request may try to name
}

var _ = Describe("The pages of one customer", func() {
	It("show and change nothing of another, at any route, with any session and any id of another", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		patrons := make([]patron, 3)
		for k := range patrons {
			name := fmt.Sprintf("Patron-%c%c%c", 'Q'+k, 'X', 'Z'-k)
			amount := fmt.Sprintf("%d%d%d.%d%d", k+3, k+4, k+5, k+1, k+2)
			c := s.buyer(object{
				"currency": "USD", "name": name, "external_customer_id": "alias-" + name, "email": name + "@ours.example",
				"billing_address": object{"line1": "Street of " + name, "city": "City-" + name, "country": "IE"}, "tax_id": object{"type": "eu_vat", "value": "IE-" + name, "country": "IE"},
			})
			bill := s.bill(c, amount)
			note := s.post("/v1/credit_notes", object{"reason": "duplicate", "memo": "Memo of " + name, "line_items": list{credited(bill.entry("line_items", 0).text("id"), "0.01")}}).expect(201)
			s.pay(bill.text("id"))
			s.post("/v1/customers/"+c+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 611 + k*111, "currency": "USD"}).expect(201)
			s.setting("mail_from", "billing@ours.example")
			s.post("/v1/alerts/customer_id/"+c, object{"type": "credit_balance_dropped", "currency": "USD", "thresholds": list{object{"value": 90 + k}}}).expect(201)
			p := patron{id: c, page: bill.text("hosted_invoice_url")}
			p.portal = s.post("/v1/customers/"+c+"/portal_sessions", object{"invalidate_existing": false}).expect(201).text("url")
			Expect(s.visit(http.MethodPost, p.portal+"/alerts", url.Values{"watch": {"balance USD"}, "threshold": {fmt.Sprint(70 + k)}}).status).To(Equal(http.StatusSeeOther))
			own := s.ownAlerts(c)
			Expect(own).To(HaveLen(1))
			p.marks = []string{name, amount, fmt.Sprintf("%d.00", 611+k*111), bill.text("invoice_number"), bill.text("id"), note.text("id"), c, p.portal[strings.LastIndex(p.portal, "/")+1:], p.page[strings.LastIndex(p.page, "/")+1:], own[0].ID}
			p.files = []string{note.text("id") + ".pdf", note.text("id") + ".xml", "receipt.pdf", "brand.css", "logo"}
			p.ids = []string{c, bill.text("id"), bill.text("invoice_number"), note.text("id"), "alias-" + name, own[0].ID}
			patrons[k] = p
		}
		before := make([]value, len(patrons))
		for k, p := range patrons {
			before[k] = s.get("/v1/customers/" + p.id).expect(200)
		}

		for _, p := range patrons { // what is looked for is there, on the pages of its own customer
			shown := s.open(p.portal).text + s.open(p.portal+"/credits").text + s.open(p.portal+"/invoices").text + s.open(p.page).text
			for _, mark := range p.marks[:4] {
				Expect(shown).To(ContainSubstring(mark))
			}
		}

		asked := 0
		for _, route := range hostedRoutes() {
			for k, mine := range patrons {
				base := mine.portal
				if strings.HasPrefix(route.Path, "/i/") {
					base = mine.page
				}
				for _, theirs := range patrons[:k] {
					base, rest := base, strings.TrimPrefix(strings.TrimPrefix(route.Path, "/i/:token"), "/portal/:token")
					var addresses []string
					if strings.Contains(rest, ":file") {
						for _, file := range append(slices.Clone(theirs.files), mine.files...) {
							addresses = append(addresses, base+"/"+file)
						}
					} else {
						addresses = append(addresses, base+rest)
					}
					form := url.Values{"line1": {"Changed"}, "country": {"FR"}}
					for _, id := range theirs.ids {
						for _, name := range []string{"id", "customer_id", "customer", "invoice_id", "cursor", "external_customer_id", "token", "currency", "alert", "watch"} {
							if route.Method == http.MethodGet && !strings.Contains(rest, ":file") {
								addresses = append(addresses, base+rest+"?"+name+"="+url.QueryEscape(id))
							}
							form.Add(name, id)
						}
					}
					for _, address := range addresses {
						if strings.HasSuffix(route.Path, "/end") {
							break // below, when all is read
						}
						var posted url.Values
						if route.Method == http.MethodPost {
							posted = form
						}
						answer := s.visit(route.Method, address, posted)
						asked++
						Expect(answer.status).To(BeNumerically("<", 500), "%s %s", route.Method, address)
						shown := answer.text + fmt.Sprint(answer.header)
						for _, mark := range theirs.marks {
							if strings.Contains(address, mark) {
								continue // it was asked for, and is in the address that leads back
							}
							Expect(shown).NotTo(ContainSubstring(mark), "%s %s", route.Method, address)
						}
					}
				}
			}
		}
		GinkgoWriter.Printf("%d requests over %d routes\n", asked, len(hostedRoutes()))
		Expect(asked).To(BeNumerically(">", 500))
		now := s.get("/v1/customers/" + patrons[0].id).expect(200)
		for _, field := range []string{"billing_address", "tax_id", "name", "email"} {
			Expect(now.at(field)).To(Equal(before[0].at(field)), "the others changed each only themselves")
		}

		for _, p := range patrons {
			Expect(s.ownAlerts(p.id)).To(HaveLen(1), "the others removed none and added none")
		}

		By("and ends no session but its own")
		Expect(s.visit(http.MethodPost, patrons[1].portal+"/end", url.Values{"token": {patrons[0].portal}}).status).To(Equal(200))
		Expect(s.open(patrons[1].portal).status).To(Equal(http.StatusGone))
		Expect(s.open(patrons[0].portal).status).To(Equal(200))
		Expect(s.open(patrons[2].portal).status).To(Equal(200))
	})
})

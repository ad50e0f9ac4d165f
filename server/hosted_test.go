package server_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/paper"
	"tollkeeper/server"
	"tollkeeper/store"
)

// opened is the answer to somebody without a key.
type opened struct {
	status int
	header http.Header
	text   string
}

// open asks for an address that an answer showed, at the server of the spec.
func (a *api) open(address string) opened {
	GinkgoHelper()
	return a.visit(http.MethodGet, address, nil)
}

func (a *api) visit(method, address string, form url.Values) (o opened) {
	GinkgoHelper()
	u, err := url.Parse(address)
	Expect(err).NotTo(HaveOccurred())
	request, err := http.NewRequest(method, a.url+u.RequestURI(), strings.NewReader(form.Encode()))
	Expect(err).NotTo(HaveOccurred())
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return opened{response.StatusCode, response.Header, string(body)}
}

// letterhead is one with all that XML demands.
var sellersHead = object{
	"name": "Brightline Speech Ltd", "address": object{"line1": "88 Quay Street", "city": "Dublin", "country": "IE"},
	"tax_numbers": list{object{"kind": "vat", "value": "IE9876543Z"}}, "bank": object{"iban": "IE29AIBK93115212345678"}, "color": "#14515c",
	"custom_fields": list{object{"metadata_key": "order_number", "label": "Order number"}},
}

var _ = Describe("Pages for customers", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		s.put("/v1/letterhead", sellersHead).expect(200)
		buyer = s.buyer(object{
			"currency": "USD", "name": "Bluebird <b>Radio</b>", "external_customer_id": "bluebird", "metadata": object{"order_number": "4711"},
			"billing_address": object{"line1": "14 Mill Lane", "city": "Bristol", "country": "GB"},
		})
	})

	Describe("of an invoice", func() {
		// The rule: semantics 20.2.1.
		It("show it to who has the address, and to no robot, cache or other site", func() {
			invoice := s.bill(buyer, "100", "20.50")
			page := s.open(invoice.text("hosted_invoice_url"))
			Expect(page.status).To(Equal(200))
			Expect(page.text).To(ContainSubstring("Brightline Speech Ltd"))
			Expect(page.text).To(ContainSubstring("Bluebird &lt;b&gt;Radio&lt;/b&gt;"))
			Expect(page.text).To(ContainSubstring("120.50"))
			Expect(page.text).To(ContainSubstring("4711"))
			Expect(page.text).To(ContainSubstring("IE29 AIBK 9311 5212 3456 78"))
			Expect(page.text).To(ContainSubstring(`name="robots" content="noindex`))
			Expect(page.text).NotTo(ContainSubstring("<script"))
			Expect(page.text).NotTo(ContainSubstring("style="))
			Expect(page.header.Get("X-Robots-Tag")).To(ContainSubstring("noindex"))
			Expect(page.header.Get("Cache-Control")).To(Equal("no-store"))
			Expect(page.header.Get("Referrer-Policy")).To(Equal("no-referrer"))
			Expect(page.header.Get("Content-Security-Policy")).To(ContainSubstring("default-src 'none'"))
		})

		It("are the same address in each answer", func() {
			invoice := s.bill(buyer, "100")
			address := invoice.text("hosted_invoice_url")
			Expect(s.invoice(invoice.text("id")).text("hosted_invoice_url")).To(Equal(address))
			Expect(s.get("/v1/invoices/summary?customer_id=" + buyer).expect(200).text("data[0].hosted_invoice_url")).To(Equal(address))
			Expect(invoice.text("invoice_pdf")).To(Equal(address + ".pdf"))
		})

		// The rules: semantics 19.3.1 and 19.4.4.
		It("have the PDF and the XML, with the same bytes each time", func() {
			invoice := s.bill(buyer, "100")
			first := s.open(invoice.text("invoice_pdf"))
			Expect(first.status).To(Equal(200))
			Expect(first.header.Get("Content-Type")).To(Equal("application/pdf"))
			Expect(first.text).To(HavePrefix("%PDF-"))
			second := s.open(invoice.text("invoice_pdf"))
			Expect(second.text).To(Equal(first.text))
			s.post("/v1/invoices/"+invoice.text("id")+"/regenerate_invoice_pdf", nil).expect(200)
			Expect(s.open(invoice.text("invoice_pdf")).text).To(Equal(first.text))
			xml := s.open(invoice.text("hosted_invoice_url") + ".xml")
			Expect(xml.status).To(Equal(200))
			Expect(xml.text).To(ContainSubstring(`<cbc:PayableAmount currencyID="USD">100.00</cbc:PayableAmount>`))
			Expect(xml.text).To(ContainSubstring("4711"))
		})

		// The rule: semantics 19.5.1.
		It("keep what the issue fixed, whatever is changed afterwards", func() {
			invoice := s.bill(buyer, "100")
			before := s.open(invoice.text("invoice_pdf"))
			s.put("/v1/customers/"+buyer, object{"name": "Other", "email": "other@example.com", "language": "de", "metadata": object{"order_number": "9"}, "billing_address": object{"country": "FR"}}).expect(200)
			s.put("/v1/letterhead", object{"name": "Sold GmbH", "language": "fr"}).expect(200)
			s.tx(func(tx *store.Tx) error { return tx.Where("true").Delete(&paper.File{}).Error })
			Expect(s.open(invoice.text("invoice_pdf")).text).To(Equal(before.text))
			page := s.open(invoice.text("hosted_invoice_url")).text
			Expect(page).To(ContainSubstring("Bluebird"))
			Expect(page).To(ContainSubstring("14 Mill Lane"))
			Expect(page).NotTo(ContainSubstring("Sold GmbH"))
			Expect(s.open(s.bill(buyer, "7").text("hosted_invoice_url")).text).To(ContainSubstring("Sold GmbH"))
		})

		It("list the usage of each day where the account wants it, also of an invoice of a threshold", func() {
			s.setting("usage_by_day", true)
			id := s.subscribe(buyer, object{"invoicing_threshold": "10.00"}, s.calls("1.00")).text("id")
			s.clock("2025-03-02T10:00:00Z")
			s.use(buyer, "2025-03-02T09:00:00Z", "3")
			s.clock("2025-03-03T10:00:00Z")
			s.use(buyer, "2025-03-03T09:00:00Z", "8")
			s.clock("2025-03-03T10:00:00Z")
			Expect(s.bills(id)).To(ContainElement("2025-03-03 issued 11.00"))
			partial := s.invoices(id).entry("data", 1)
			days := `(?s)Usage by day.*2 Mar 2025</td>\s*<td class="num">3<.*3 Mar 2025</td>\s*<td class="num">8<.*Total</th>\s*<td class="num">11<`
			Expect(s.open(partial.text("hosted_invoice_url")).text).To(MatchRegexp(days))
			before := s.open(partial.text("invoice_pdf")).text
			s.setting("usage_by_day", false)
			Expect(s.open(partial.text("hosted_invoice_url")).text).To(MatchRegexp(days))
			s.tx(func(tx *store.Tx) error { return tx.Where("true").Delete(&paper.File{}).Error })
			Expect(s.open(partial.text("invoice_pdf")).text).To(Equal(before))
			s.clock("2025-04-01T12:00:00Z")
			Expect(s.open(s.invoices(id).entry("data", 1).text("hosted_invoice_url")).text).NotTo(ContainSubstring("Usage by day"))
		})

		// The rules: semantics 19.1.8, 20.2.3 and 20.2.4.
		It("say what became of it", func() {
			invoice := s.bill(buyer, "100")
			id, address := invoice.text("id"), invoice.text("hosted_invoice_url")
			Expect(s.open(address).text).To(ContainSubstring("Due on 1 March 2025"))
			note := s.post("/v1/credit_notes", object{"line_items": list{credited(invoice.at("line_items[0].id"), "30")}, "reason": "duplicate"}).expect(201)
			page := s.open(address).text
			Expect(page).To(ContainSubstring("−30.00"))
			Expect(page).To(ContainSubstring("70.00"))
			Expect(s.open(note.text("credit_note_pdf")).text).To(HavePrefix("%PDF-"))
			Expect(s.open(strings.TrimSuffix(note.text("credit_note_pdf"), ".pdf") + ".xml").text).To(ContainSubstring("<CreditNote"))
			Expect(s.open(address + "/receipt.pdf").status).To(Equal(404))
			s.post("/v1/invoices/"+id+"/regenerate_receipt_pdf", nil).refuse(400, "400-constraint-violation")
			s.pay(id)
			paid := s.open(address).text
			Expect(paid).To(ContainSubstring("Paid on 1 March 2025"))
			Expect(paid).To(MatchRegexp(`(?s)Total</th>.*>100\.00<.*−30\.00.*Received</th>.*>−70\.00<.*To pay</th>.*>0\.00<`))
			Expect(s.open(address + "/receipt.pdf").text).To(HavePrefix("%PDF-"))
			s.post("/v1/invoices/"+id+"/regenerate_receipt_pdf", nil).expect(200)

			void := s.bill(buyer, "5")
			s.post("/v1/invoices/"+void.text("id")+"/void", nil).expect(200)
			Expect(s.open(void.text("hosted_invoice_url")).text).To(ContainSubstring("Void since"))
			Expect(s.open(void.text("invoice_pdf")).text).To(HavePrefix("%PDF-"))
		})

		// The rule: semantics 19.2.1.
		It("are in the language of the customer", func() {
			s.put("/v1/customers/"+buyer, object{"language": "de"}).expect(200)
			page := s.open(s.bill(buyer, "1234.5").text("hosted_invoice_url")).text
			Expect(page).To(ContainSubstring(`lang="de"`))
			Expect(page).To(ContainSubstring("Zu zahlen"))
			Expect(page).To(ContainSubstring("1.234,50"))
		})

		It("end 60 days after the issue, when an answer has another address", func() {
			invoice := s.bill(buyer, "100")
			address := invoice.text("hosted_invoice_url")
			s.clock("2025-04-29T23:59:59Z")
			Expect(s.open(address).status).To(Equal(200))
			s.clock("2025-04-30T00:00:00Z")
			Expect(s.open(address).status).To(Equal(http.StatusGone))
			Expect(s.open(address + ".pdf").status).To(Equal(http.StatusGone))
			later := s.invoice(invoice.text("id")).text("hosted_invoice_url")
			Expect(later).NotTo(Equal(address))
			Expect(s.open(later).status).To(Equal(200))
			Expect(s.open(later + ".pdf").status).To(Equal(200))
			s.clock("2025-06-30T00:00:00Z")
			Expect(s.open(later).status).To(Equal(http.StatusGone))
		})

		It("open nothing of a draft, of another invoice, of another account", func() {
			one, two := s.bill(buyer, "1"), s.bill(buyer, "2")
			address := one.text("hosted_invoice_url")
			swapped := strings.Replace(address, one.text("id")[4:], two.text("id")[4:], 1)
			Expect(swapped).NotTo(Equal(address))
			Expect(s.open(swapped).status).To(Equal(404))
			draft := s.post("/v1/invoices", object{"customer_id": buyer, "currency": "USD", "net_terms": 0, "invoice_date": "2025-03-01", "line_items": list{
				object{"name": "Work", "item_id": s.item, "quantity": 1, "model_type": "unit", "unit_config": object{"unit_amount": "5"}, "start_date": "2025-03-01", "end_date": "2025-03-01"},
			}}).expect(201)
			Expect(draft.at("hosted_invoice_url")).To(BeNil())
			Expect(draft.at("invoice_pdf")).To(BeNil())
			ofDraft := strings.Replace(address, one.text("id")[4:], draft.text("id")[4:], 1)
			Expect(s.open(ofDraft).status).To(Equal(404))
			note := s.post("/v1/credit_notes", object{"line_items": list{credited(two.at("line_items[0].id"), "1")}, "reason": "duplicate"}).expect(201)
			Expect(s.open(address + "/" + note.text("id") + ".pdf").status).To(Equal(404))
			for _, wrong := range []string{"/i/x", "/i/" + strings.Repeat("a", 69), "/i/i_" + strings.Repeat("a", 67), address + "x", address + "/../x", address + ".exe"} {
				Expect(s.open(wrong).status).To(Equal(404), wrong)
			}
		})
	})

	Describe("of the portal", func() {
		open := func(body object) string {
			GinkgoHelper()
			return s.post("/v1/customers/"+buyer+"/portal_sessions", body).expect(201).text("url")
		}

		// The rule: semantics 20.1.1.
		It("show plan, costs, credits and invoices until the session ends", func() {
			s.bill(buyer, "49")
			s.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 25, "currency": "USD"}).expect(201)
			address := open(object{})
			page := s.open(address)
			Expect(page.status).To(Equal(200))
			Expect(page.text).To(ContainSubstring("Bluebird &lt;b&gt;Radio"))
			Expect(page.text).To(ContainSubstring("25.00"))
			Expect(page.text).NotTo(ContainSubstring("<script"))
			Expect(page.header.Get("Cache-Control")).To(Equal("no-store"))
			Expect(s.open(address + "/invoices").text).To(ContainSubstring("49.00"))
			Expect(s.open(address + "/credits").text).To(ContainSubstring("25.00"))
			Expect(s.open(address + "/usage").status).To(Equal(200))
			s.clock("2025-03-01T00:59:59Z")
			Expect(s.open(address).status).To(Equal(200))
			s.clock("2025-03-01T01:00:00Z")
			for _, below := range []string{"", "/usage", "/credits", "/invoices", "/brand.css"} {
				Expect(s.open(address + below).status).To(Equal(http.StatusGone))
			}
		})

		It("end when another session is made, unless it lets them be", func() {
			first := open(object{})
			second := open(object{"invalidate_existing": false, "expires_in_minutes": 180})
			Expect(s.open(first).status).To(Equal(200))
			Expect(s.open(second).status).To(Equal(200))
			third := s.post("/v1/customers/external_customer_id/bluebird/portal_sessions", object{}).expect(201)
			Expect(third.at("customer_id")).To(Equal(buyer))
			Expect(s.open(first).status).To(Equal(http.StatusGone))
			Expect(s.open(second).status).To(Equal(http.StatusGone))
			Expect(s.open(third.text("url")).status).To(Equal(200))
			Expect(s.visit(http.MethodPost, third.text("url")+"/end", url.Values{}).status).To(Equal(200))
			Expect(s.open(third.text("url")).status).To(Equal(http.StatusGone))
		})

		It("last from 1 to 180 minutes", func() {
			for _, minutes := range []int{0, 181, -1} {
				s.post("/v1/customers/"+buyer+"/portal_sessions", object{"expires_in_minutes": minutes}).refuse(400, "400-request-validation-errors")
			}
			s.post("/v1/customers/nope/portal_sessions", object{}).refuse(404, "404-resource-not-found")
		})

		// The rule: semantics 20.1.5.
		It("let the customer correct address and tax number, and nothing else", func() {
			address := open(object{})
			form := url.Values{"line1": {"9 New Road"}, "city": {"Paris"}, "country": {"fr"}, "tax_id": {"FR123"}, "name": {"Mallory"}, "email": {"m@example.com"}}
			saved := s.visit(http.MethodPost, address+"/details", form)
			Expect(saved.status).To(Equal(http.StatusSeeOther))
			Expect(s.open(saved.header.Get("Location")).text).To(ContainSubstring("9 New Road"))
			c := s.get("/v1/customers/" + buyer).expect(200)
			Expect(c.at("billing_address.country")).To(Equal("FR"))
			Expect(c.at("tax_id.value")).To(Equal("FR123"))
			Expect(c.at("name")).To(Equal("Bluebird <b>Radio</b>"))
			Expect(s.visit(http.MethodPost, address+"/details", url.Values{"country": {"France"}}).status).To(Equal(400))
			Expect(s.visit(http.MethodPost, address+"/details", url.Values{"line1": {strings.Repeat("x", 600)}}).status).To(Equal(400))
		})

		// The rule: semantics 20.2.7.
		It("change nothing by a form that lacks fields, is too large or cannot be read", func() {
			address := open(object{}) + "/details"
			form := url.Values{"line1": {"9 New Road"}, "line2": {"Floor 2"}, "city": {"Paris"}, "country": {"FR"}, "tax_id": {"FR123"}}
			Expect(s.visit(http.MethodPost, address, form).status).To(Equal(http.StatusSeeOther))
			was := s.get("/v1/customers/" + buyer).expect(200)
			large := url.Values{"line1": {""}, "tax_id": {""}, "more": {strings.Repeat("x", 64<<10)}}
			for _, each := range []url.Values{{}, large, {"other": {"x"}}, {"line1": {strings.Repeat("x", 501)}}} {
				s.visit(http.MethodPost, address, each)
				now := s.get("/v1/customers/" + buyer).expect(200)
				Expect(now.at("billing_address")).To(Equal(was.at("billing_address")))
				Expect(now.at("tax_id")).To(Equal(was.at("tax_id")))
			}
			Expect(s.visit(http.MethodPost, address, large).status).To(Equal(http.StatusBadRequest))
			Expect(s.visit(http.MethodPost, address, url.Values{"line2": {""}}).status).To(Equal(http.StatusSeeOther))
			now := s.get("/v1/customers/" + buyer).expect(200)
			Expect(now.at("billing_address.line2")).To(BeNil())
			Expect(now.at("billing_address.line1")).To(Equal("9 New Road"))
			Expect(now.at("tax_id")).To(Equal(was.at("tax_id")))
		})

		It("have a permanent address where the account wants it", func() {
			Expect(s.get("/v1/customers/" + buyer).expect(200).at("portal_url")).To(BeNil())
			s.setting("portal_links", true)
			address := s.get("/v1/customers/" + buyer).expect(200).text("portal_url")
			Expect(s.open(address).status).To(Equal(200))
			Expect(s.open(address).text).NotTo(ContainSubstring("Sign out"), "there is no session to end")
			Expect(s.open(open(object{})).text).To(ContainSubstring("Sign out"))
			Expect(s.visit(http.MethodPost, address+"/end", url.Values{}).status).To(Equal(http.StatusNotFound))
			s.setting("portal_links", false)
			Expect(s.open(address).status).To(Equal(http.StatusGone))
		})

		It("are stored without their tokens, and no log has them", func() {
			address := open(object{})
			token := address[strings.LastIndex(address, "/")+1:]
			s.open(address)
			s.open(address + "/invoices")
			s.tx(func(tx *store.Tx) error {
				for _, table := range []string{"portal_sessions", "audit_changes", "audit_entries", "idempotency_keys"} {
					var found int64
					if err := tx.Raw("SELECT count(*) FROM "+table+" t WHERE t::text LIKE ?", "%"+token[22:]+"%").Scan(&found).Error; err != nil {
						return err
					}
					Expect(found).To(BeZero(), table)
				}
				return nil
			})
		})

		It("show nothing of another customer, nor of another account", func() {
			other := s.buyer(object{"currency": "USD", "name": "Rival", "external_customer_id": "rival"})
			secret := s.bill(other, "777.77")
			s.post("/v1/customers/"+other+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 333, "currency": "USD"}).expect(201)
			mine := s.bill(buyer, "1")
			address := open(object{"invalidate_existing": false})
			token := address[strings.LastIndex(address, "/")+1:]
			theirs := s.post("/v1/customers/"+other+"/portal_sessions", object{}).expect(201).text("url")
			for _, base := range []string{address, mine.text("hosted_invoice_url")} {
				for _, below := range []string{"", "/usage", "/credits", "/invoices", "/brand.css", "/logo", ".pdf", ".xml", "/receipt.pdf", "/" + secret.text("id"), "/" + other,
					"?customer_id=" + other, "/invoices?customer_id=" + other, "/invoices?cursor=" + secret.text("id")} {
					page := s.open(base + below)
					Expect(page.status).To(BeElementOf(200, 400, 404), base+below)
					for _, of := range []string{"Rival", "777.77", "333.00", secret.text("invoice_number"), secret.text("id"), other} {
						Expect(page.text).NotTo(ContainSubstring(of), base+below)
					}
				}
			}
			elsewhere := s.account("test")
			foreign := store.AccountID(elsewhere.ctx)[len("acct_"):]
			mixed := strings.Replace(address, token[2:22], foreign, 1)
			Expect(s.open(mixed).status).To(Equal(http.StatusGone))
			unknown := strings.Replace(address, token[2:22], strings.Repeat("0", 20), 1)
			Expect(s.open(unknown).status).To(Equal(404))
			Expect(s.open(theirs[:len(theirs)-1]).status).To(Equal(404))
		})
	})

	It("fetch no payment methods where there is no provider", func() {
		s.post("/v1/customers/"+buyer+"/sync_payment_methods_from_gateway", nil).expect(204)
		s.post("/v1/customers/external_customer_id/bluebird/sync_payment_methods_from_gateway", nil).expect(204)
		s.post("/v1/customers/nope/sync_payment_methods_from_gateway", nil).refuse(404, "404-resource-not-found")
		charged := s.buyer(object{"currency": "USD", "payment_provider": "stripe_charge", "payment_provider_id": "x"})
		s.post("/v1/customers/"+charged+"/sync_payment_methods_from_gateway", nil).refuse(400, "404-feature-not-available")
	})

	// The rule: semantics 14.5.7.
	It("take their account's share of the processors, as do its documents, and none of another account", func() {
		ours := s.bill(buyer, "100", "20.50").text("hosted_invoice_url")
		portal := s.post("/v1/customers/"+buyer+"/portal_sessions", object{}).expect(201).text("url")
		other := s.account("test").newFixture("2025-03-01T00:00:00Z")
		theirs := other.bill(other.buyer(object{"currency": "USD"}), "100", "20.50").text("hosted_invoice_url")
		var release []func()
		for { // all that one account may have
			ctx, leave := context.WithTimeout(s.ctx, 200*time.Millisecond)
			free, err := s.store.Processor(ctx)
			leave()
			if err != nil {
				break
			}
			release = append(release, free)
		}
		Expect(release).NotTo(BeEmpty())
		answers := make(chan int, 9)
		waiting := []string{ours, ours + ".pdf", portal, portal + "/invoices"}
		for _, address := range waiting {
			go func() {
				defer GinkgoRecover()
				answers <- s.open(address).status
			}()
		}
		Consistently(answers, 300*time.Millisecond).ShouldNot(Receive())
		Expect(s.open(ours+"/brand.css").status).To(Equal(200), "it does not read the invoice")
		for _, address := range []string{theirs, theirs + ".pdf"} {
			Expect(other.open(address).status).To(Equal(200))
		}
		for _, free := range release {
			free()
		}
		for range waiting {
			Eventually(answers, onBusyMachine).Should(Receive(Equal(200)))
		}
	})

	// The rule: semantics 20.2.6.
	It("are slowed down for an address that guesses", func() {
		a := s.api
		one := server.New(server.Config{Store: a.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)), StrangersPerSecond: 2})
		listener := httptest.NewServer(one.Handler())
		DeferCleanup(listener.Close)
		guesser := *a
		guesser.url = listener.URL
		last := 0
		for range 40 {
			last = guesser.open("/i/i_" + strings.Repeat("a", 67)).status
		}
		Expect(last).To(Equal(http.StatusTooManyRequests))
	})
})

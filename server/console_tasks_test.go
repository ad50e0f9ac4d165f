package server_test

import (
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// issuedInvoice is an issued invoice of 20.00 with one line, due now.
func issuedInvoice(s fixture) (invoice value, line string) {
	GinkgoHelper()
	sub := s.subscribe(s.buyer(object{"currency": "USD"}), object{"start_date": "2025-01-01"}, s.fee("20.00")).text("id")
	for _, each := range s.invoices(sub).list("data") {
		if i := (value{"invoice", each}); i.at("status") == "issued" && i.at("total") == "20.00" {
			return i, i.entry("line_items", 0).text("id")
		}
	}
	Fail("no invoice was issued")
	return value{}, ""
}

var _ = Describe("The page that credits an invoice", func() {
	It("begins with what is left of each line, says what happens, and makes the note once", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		invoice, line := issuedInvoice(s)
		s.post("/v1/credit_notes", object{"line_items": list{object{"invoice_line_item_id": line, "amount": "4.50"}}}).expect(201)
		left := s.get("/v1/invoices/"+invoice.text("id")+"/creditable_line_items").expect(200).entry("data", 0)
		left.shows(object{"invoice_line_item_id": line, "amount": "20.00", "credited": "4.50", "creditable": "15.50"})

		d := s.desk(user.RoleFinance)
		path := "/console/invoices/" + invoice.text("id") + "/credit"
		Expect(d.see("/console/invoices/" + invoice.text("id")).links()).To(ContainElement(path))
		page := d.see(path)
		Expect(page.html).To(And(ContainSubstring(`value="15.50"`), ContainSubstring("USD 15.50 of the invoice are due"), ContainSubstring("Product unsatisfactory")))
		Expect(d.see(path + "?amounts=none").html).NotTo(ContainSubstring(`value="15.50"`))

		form := url.Values{"amount." + line: {"5.50"}, "reason": {"duplicate"}, "memo": {"<b>twice</b>"}, "once": {"form_credit"}}
		done := d.submit(path, form)
		Expect(done.status).To(Equal(http.StatusSeeOther), done.html)
		to := done.header.Get("Location")
		Expect(d.see(to).html).To(And(ContainSubstring("5.50"), ContainSubstring("Duplicate"), ContainSubstring("&lt;b&gt;twice")))
		Expect(d.submit(path, form).header.Get("Location")).To(Equal(to), "sent twice, done once")
		Expect(d.see(path).html).To(ContainSubstring(`value="10.00"`))
		s.get("/v1/audit_log?action=createCreditNote").expect(200).entry("data", 0).shows(object{"actor.type": "person", "actor.id": d.person})
	})

	It("says beside the line what is wrong, and credits nothing", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		invoice, line := issuedInvoice(s)
		d := s.desk(user.RoleOwner)
		path := "/console/invoices/" + invoice.text("id") + "/credit"
		for _, amount := range []string{"20.01", "abc", "-1", "1.001", "<script>"} {
			refused := d.submit(path, url.Values{"amount." + line: {amount}})
			Expect(refused.status).To(Equal(http.StatusBadRequest), amount)
			refused.sound()
			Expect(refused.html).To(ContainSubstring("Nothing was saved"), amount)
		}
		refused := d.submit(path, url.Values{"amount." + line: {"1.001"}})
		Expect(refused.html).To(And(ContainSubstring(`href="#f-amount.`+line), ContainSubstring(`aria-invalid="true"`), ContainSubstring("at most the 2 decimals")))
		Expect(d.submit(path, url.Values{"amount." + line: {""}}).status).To(Equal(http.StatusBadRequest), "no line")
		Expect(s.get("/v1/credit_notes").expect(200).list("data")).To(BeEmpty())
	})

	It("is not there for roles that may not credit, and for drafts", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		invoice, _ := issuedInvoice(s)
		path := "/console/invoices/" + invoice.text("id") + "/credit"
		for _, role := range []user.Role{user.RoleReader, user.RoleSupport, user.RoleEngineer} {
			Expect(s.desk(role).send(http.MethodGet, path, nil).status).To(Equal(http.StatusNotFound), string(role))
			Expect(s.desk(role).submit(path, url.Values{}).status).To(Equal(http.StatusNotFound), string(role))
		}
		draft := ""
		for _, each := range s.get("/v1/invoices?status[]=draft").expect(200).list("data") {
			draft = value{"invoice", each}.text("id")
		}
		Expect(draft).NotTo(BeEmpty())
		s.get("/v1/invoices/"+draft+"/creditable_line_items").refuse(400, "400-constraint-violation", "issued or paid")
		Expect(s.desk(user.RoleOwner).send(http.MethodGet, "/console/invoices/"+draft+"/credit", nil).status).To(Equal(http.StatusBadRequest))
		s.get("/v1/invoices/nope/creditable_line_items").refuse(404, "404-resource-not-found", "Invoice")
	})
})

var _ = Describe("The page that changes a plan", func() {
	var s fixture
	var sub, better string
	BeforeEach(func() {
		s = newFixture("2025-01-01T00:00:00Z")
		buyer := s.buyer(object{"currency": "USD"})
		small := s.plan(object{"name": "Small"}, s.fee("31.00")).text("id")
		better = s.plan(object{"name": "Better " + hostile}, s.fee("62.00")).text("id")
		sub = s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": small, "start_date": "2025-01-01"}).expect(201).text("id")
		s.clock("2025-01-11T00:00:00Z")
	})

	It("previews what would be billed, changes nothing, and then bills that", func() {
		d := s.desk(user.RoleFinance)
		path := "/console/subscriptions/" + sub + "/change"
		Expect(d.see("/console/subscriptions/" + sub).links()).To(ContainElement(path))
		Expect(d.see(path).html).To(And(ContainSubstring("Better &lt;script&gt;"), Not(ContainSubstring("Drafts before"))))
		before := s.get("/v1/invoices?subscription_id=" + sub + "&status[]=draft&status[]=issued").expect(200)
		notes := s.get("/v1/credit_notes").expect(200)

		page := d.see(path + "?plan_id=" + better + "&change_option=immediate")
		Expect(page.html).To(And(ContainSubstring("Would be made: "), ContainSubstring("Would be credited"), ContainSubstring("Drafts before"), ContainSubstring("42.00"), ContainSubstring("21.00")))
		Expect(s.get("/v1/invoices?subscription_id=" + sub + "&status[]=draft&status[]=issued").expect(200).list("data")).To(Equal(before.list("data")))
		Expect(s.get("/v1/credit_notes").expect(200).list("data")).To(Equal(notes.list("data")))

		preview := s.post("/v1/subscriptions/"+sub+"/preview_plan_change", object{"plan_id": better, "change_option": "immediate"}).expect(200)
		done := d.submit(path, url.Values{"plan_id": {better}, "change_option": {"immediate"}, "once": {"form_change"}})
		Expect(done.status).To(Equal(http.StatusSeeOther), done.html)
		Expect(d.see(done.header.Get("Location")).html).To(ContainSubstring("Better &lt;script&gt;"))
		credited := s.get("/v1/credit_notes").expect(200).list("data")
		Expect(credited).To(HaveLen(1))
		Expect(value{"note", credited[0]}.at("total")).To(Equal(preview.entry("changed_resources.created_credit_notes", 0).at("total")))
		Expect(d.submit(path, url.Values{"plan_id": {better}, "change_option": {"immediate"}, "once": {"form_change"}}).status).To(Equal(http.StatusSeeOther))
		Expect(s.get("/v1/credit_notes").expect(200).list("data")).To(HaveLen(1), "sent twice, done once")
	})

	It("names no page of a document that a preview takes back", func() {
		preview := s.post("/v1/subscriptions/"+sub+"/preview_plan_change", object{"plan_id": better, "change_option": "immediate"}).expect(200)
		for _, made := range preview.list("changed_resources.created_invoices") {
			Expect(made).To(And(HaveKeyWithValue("hosted_invoice_url", BeNil()), HaveKeyWithValue("invoice_pdf", BeNil())))
		}
		Expect(preview.list("changed_resources.created_invoices")).NotTo(BeEmpty())
		Expect(preview.list("changed_resources.created_credit_notes")).To(HaveEach(HaveKeyWithValue("credit_note_pdf", BeNil())))
		Expect(preview.list("changed_resources.created_credit_notes")).NotTo(BeEmpty())
	})

	It("tells no endpoint of a preview, and uses no invoice number", func() {
		s.post("/v1/webhook_endpoints", object{"url": "http://127.0.0.1:9/none"}).expect(201)
		for range 3 {
			s.post("/v1/subscriptions/"+sub+"/preview_plan_change", object{"plan_id": better, "change_option": "immediate"}).expect(200)
		}
		Expect(s.get("/v1/webhook_deliveries").expect(200).list("data")).To(BeEmpty())
		Expect(s.get("/v1/subscription_changes?subscription_id=" + sub).expect(200).list("data")).To(BeEmpty())
	})

	It("says beside the field what is wrong", func() {
		d := s.desk(user.RoleOwner)
		path := "/console/subscriptions/" + sub + "/change"
		for _, query := range []string{"plan_id=nope", "plan_id=" + better + "&version=x", "plan_id=" + better + "&version=99", "plan_id=" + better + "&change_option=requested_date", "plan_id=" + better + "&change_option=never"} {
			refused := d.send(http.MethodGet, path+"?"+query, nil)
			Expect(refused.status).To(BeNumerically(">=", 400), query)
			Expect(refused.status).To(BeNumerically("<", 500), query)
			refused.sound()
			Expect(refused.html).To(ContainSubstring("Nothing was saved"), query)
		}
		Expect(s.desk(user.RoleReader).send(http.MethodGet, path, nil).status).To(Equal(http.StatusNotFound))
		Expect(s.desk(user.RoleSupport).submit(path, url.Values{"plan_id": {better}}).status).To(Equal(http.StatusNotFound))
	})
})

var _ = Describe("Versions of a plan side by side", func() {
	It("say in a word what is added, removed and changed", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		made := s.plan(object{"name": "Pro"}, with(s.fee("20.00"), object{"name": "Fee"}), with(s.fee("5.00"), object{"name": "Seats"}), s.calls("0.001"))
		plan, prices := made.text("id"), made.list("prices")
		s.post("/v1/plans/"+plan+"/versions", object{
			"version":        2,
			"replace_prices": list{object{"replaces_price_id": value{"price", prices[0]}.text("id"), "price": with(s.fee("25.00"), object{"name": "Fee"})}},
			"remove_prices":  list{object{"price_id": value{"price", prices[1]}.text("id")}},
			"add_prices":     list{object{"price": with(s.fee("9.00"), object{"name": "Support"})}},
		}).expect(201)
		d := s.desk(user.RoleReader)
		address := "/console/plans/" + plan + "?versions=1,2"
		Expect(strings.Join(d.see("/console/plans/"+plan).links(), " ")).To(ContainSubstring("?versions=1,2"))
		page := d.see(address)
		Expect(page.html).To(And(ContainSubstring("1 added, 1 removed, 1 changed, 1 the same"), ContainSubstring("+ Added"), ContainSubstring("− Removed"), ContainSubstring("~ Changed"), ContainSubstring("25.00")))
		for _, wrong := range []string{"1", "1,9", "x,y", "2,"} {
			Expect(d.send(http.MethodGet, "/console/plans/"+plan+"?versions="+wrong, nil).status).To(BeElementOf(400, 404), wrong)
		}
	})
})

var _ = Describe("Drafts among many, in the console", func() {
	It("are to be issued by hand where they do not issue themselves and may be issued", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		owner, other := s.desk(user.RoleOwner), newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(nil)
		other.post("/v1/invoices", other.oneOff(other.buyer(nil), nil)).expect(201)
		Expect(owner.see("/console").html).NotTo(ContainSubstring("to be issued by hand"))
		s.post("/v1/invoices", s.oneOff(buyer, nil)).expect(201)
		s.post("/v1/invoices", s.oneOff(buyer, object{"invoice_date": "2025-03-05"})).expect(201)
		s.post("/v1/invoices", s.oneOff(buyer, object{"invoice_date": "2025-03-05", "will_auto_issue": true})).expect(201)
		Expect(owner.see("/console").html).To(ContainSubstring("1 draft to be issued by hand"))
		s.clock("2025-03-06T00:00:00Z")
		Expect(owner.see("/console").html).To(ContainSubstring("2 drafts to be issued by hand"))
	})

	It("lead the clock to the first of them, or to the end of the first period", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		owner := s.desk(user.RoleOwner)
		leads := func(to string) {
			GinkgoHelper()
			page := owner.see("/console/clock").html
			if to == "" {
				Expect(page).NotTo(ContainSubstring("To the next invoice"))
				return
			}
			Expect(page).To(MatchRegexp(`value="` + to + `"[^>]*>To the next invoice`))
		}
		leads("")
		buyer := s.buyer(object{"currency": "USD", "timezone": "Europe/Berlin"})
		s.subscribe(buyer, object{"start_date": "2025-03-01"}, s.fee("20.00"))
		leads("2025-03-31T22:00:00Z") // which is the end of March in Berlin, after its clock change
		s.post("/v1/invoices", s.oneOff(buyer, object{"will_auto_issue": true, "invoice_date": "2025-03-05"})).expect(201)
		for range 100 { // drafts that are newer, and later
			s.post("/v1/invoices", s.oneOff(buyer, object{"will_auto_issue": true, "invoice_date": "2025-03-20"})).expect(201)
		}
		leads("2025-03-04T23:00:00Z")
		Expect(owner.submit("/console/clock", url.Values{"to": {"2025-03-04T23:00:00Z"}}).status).To(Equal(http.StatusSeeOther))
		leads("2025-03-19T23:00:00Z")
	})
})

package server_test

import (
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

// What is read with a key that only reads opens nothing that changes, and links can be taken back.
var _ = Describe("Links for customers", func() {
	var m fixture
	var buyer, innocent string
	BeforeEach(func() {
		m = newFixture("2025-03-01T00:00:00Z")
		m.setting("portal_links", true)
		buyer, innocent = m.buyer(object{"currency": "USD", "name": "Globex"}), m.buyer(object{"currency": "USD", "name": "Rival"})
	})
	portalOf := func(id string) string {
		GinkgoHelper()
		return m.get("/v1/customers/" + id).expect(200).text("portal_url")
	}

	It("are shown by keys that may change customers alone, and in no webhook or subscription", func() {
		Expect(m.open(portalOf(buyer)).status).To(Equal(200))
		m.post("/v1/webhook_endpoints", object{"url": "https://hooks.acme.test/"}).expect(201)
		m.put("/v1/customers/"+buyer, object{"name": "Globex Ltd"}).expect(200)
		plan := m.plan(object{}, fee(m.item)).text("id")
		bought := m.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201)
		Expect(bought.at("customer.id")).To(Equal(buyer))
		Expect(bought.at("customer.portal_url")).To(BeNil())
		for _, scopes := range []list{{"customers:read"}, {"read"}} {
			reader := m.withKey(object{"scopes": scopes})
			Expect(reader.get("/v1/customers/" + buyer).expect(200).at("portal_url")).To(BeNil())
			for _, shown := range reader.get("/v1/customers").expect(200).at("data").([]any) {
				Expect(shown.(map[string]any)["portal_url"]).To(BeNil())
			}
		}
		Expect(m.withKey(object{"scopes": list{"customers:write"}}).get("/v1/customers/" + buyer).expect(200).text("portal_url")).To(Equal(portalOf(buyer)))
		m.tx(func(tx *store.Tx) error {
			var told, opening int64
			Expect(tx.Raw("SELECT count(*) FROM webhook_messages m WHERE m::text LIKE '%portal_url%'").Scan(&told).Error).To(Succeed())
			Expect(told).To(BeNumerically(">", 0))
			Expect(tx.Raw("SELECT count(*) FROM webhook_messages m WHERE m::text LIKE '%/portal/%'").Scan(&opening).Error).To(Succeed())
			Expect(opening).To(BeZero())
			return nil
		})
	})

	It("show the portal where they last, and change nothing", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.store.PublishAt("https://bill.test", true)
		m.setting("portal_links", true)
		buyer := m.buys(object{"billing_address": object{"line1": "14 Mill Lane", "country": "IE"}}, "ann")
		address := m.get("/v1/customers/" + buyer).expect(200).text("portal_url")
		page := m.open(address)
		Expect(page.text).To(And(ContainSubstring("14 Mill Lane"), ContainSubstring("only shows your account")))
		Expect(page.text).NotTo(Or(ContainSubstring("/details"), ContainSubstring("/alerts"), ContainSubstring("<input")))
		was := m.get("/v1/customers/" + buyer).expect(200)
		for below, form := range map[string]url.Values{
			"/details":       {"line1": {"1 Thief Street"}, "country": {"IE"}, "tax_id": {"IE1"}},
			"/alerts":        {"watch": {"balance USD"}, "threshold": {"1"}},
			"/alerts/remove": {"alert": {"x"}},
			"/end":           {},
		} {
			Expect(m.visit(http.MethodPost, address+below, form).status).To(BeElementOf(400, 404), below)
		}
		now := m.get("/v1/customers/" + buyer).expect(200)
		Expect(now.at("billing_address")).To(Equal(was.at("billing_address")))
		Expect(now.at("tax_id")).To(BeNil())

		By("and a link that changes is mailed to the customer")
		Expect(page.text).To(ContainSubstring(url.PathEscape(address[strings.LastIndex(address, "/")+1:]) + "/link"))
		Expect(m.visit(http.MethodPost, address+"/link", url.Values{}).status).To(Equal(200))
		m.pass(0)
		Expect(m.got()).To(HaveExactElements(HavePrefix("ann: ")))
	})

	It("of a portal end when they are withdrawn, sessions with them, and the next one opens", func() {
		first, theirs := portalOf(buyer), portalOf(innocent)
		session := m.post("/v1/customers/"+buyer+"/portal_sessions", object{}).expect(201).text("url")
		other := m.post("/v1/customers/"+innocent+"/portal_sessions", object{}).expect(201).text("url")
		second := m.post("/v1/customers/"+buyer+"/withdraw_portal_links", nil).expect(200).text("portal_url")
		Expect(second).To(Equal(portalOf(buyer)))
		Expect(second).NotTo(Equal(first))
		for _, ended := range []string{first, session} {
			Expect(m.open(ended).status).To(Equal(http.StatusGone))
		}
		Expect(m.visit(http.MethodPost, first+"/link", url.Values{}).status).To(Equal(404))
		for _, works := range []string{second, theirs, other} {
			Expect(m.open(works).status).To(Equal(200))
		}
		m.put("/v1/customers/"+buyer, object{"name": "Globex Ltd"}).expect(200)
		Expect(portalOf(buyer)).To(Equal(second))
		third := m.post("/v1/customers/"+buyer+"/withdraw_portal_links", nil).expect(200).text("portal_url")
		Expect(m.open(second).status).To(Equal(http.StatusGone))
		Expect(m.open(third).status).To(Equal(200))
		m.withKey(object{"scopes": list{"customers:read"}}).post("/v1/customers/"+buyer+"/withdraw_portal_links", nil).expect(403)
		m.account("test").post("/v1/customers/"+buyer+"/withdraw_portal_links", nil).refuse(404, "404-resource-not-found")
	})

	It("of an invoice end when they are withdrawn, on the page and in the documents", func() {
		invoice, innocent := m.bill(buyer, "20.00"), m.bill(buyer, "7.00")
		first, theirs := invoice.text("hosted_invoice_url"), innocent.text("hosted_invoice_url")
		path := "/v1/invoices/" + invoice.text("id") + "/withdraw_links"
		withdrawn := m.post(path, nil).expect(200)
		second := withdrawn.text("hosted_invoice_url")
		Expect(second).NotTo(Equal(first))
		Expect(withdrawn.text("invoice_pdf")).To(Equal(second + ".pdf"))
		for _, below := range []string{"", ".pdf", ".xml", "/brand.css"} {
			Expect(m.open(first+below).status).To(Equal(404), below)
			Expect(m.open(theirs+below).status).To(BeElementOf(200, 404), below)
		}
		Expect(m.open(theirs).status).To(Equal(200))
		Expect(m.open(second).status).To(Equal(200))
		Expect(m.open(second + ".pdf").status).To(Equal(200))
		Expect(m.open(portalOf(buyer) + "/invoices").text).To(And(ContainSubstring(second), Not(ContainSubstring(first))))
		Expect(m.invoice(invoice.text("id")).text("hosted_invoice_url")).To(Equal(second))
		m.withKey(object{"scopes": list{"invoices:read"}}).post(path, nil).expect(403)
		m.account("test").post(path, nil).refuse(404, "404-resource-not-found")
		draft := m.post("/v1/invoices", object{"customer_id": buyer, "currency": "USD", "net_terms": 0, "invoice_date": "2025-03-01", "line_items": list{
			object{"name": "Work", "item_id": m.item, "quantity": 1, "model_type": "unit", "unit_config": object{"unit_amount": "5"}, "start_date": "2025-03-01", "end_date": "2025-03-01"},
		}}).expect(201)
		m.post("/v1/invoices/"+draft.text("id")+"/withdraw_links", nil).refuse(400, "400-constraint-violation")
	})
})

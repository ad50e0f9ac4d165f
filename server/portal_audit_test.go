package server_test

import (
	"net/http"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("What a customer changes in the portal", func() {
	It("is in the audit log, by the session and the customer's name of then, with nothing of another customer", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		buyer := m.buys(object{"name": "Globex"}, "ann")
		innocent := m.buys(object{"name": "Rival"}, "ben")
		m.entry(buyer, object{"entry_type": "increment", "amount": 5, "currency": "USD"})
		session := m.post("/v1/customers/"+buyer+"/portal_sessions", object{}).expect(201)
		send := func(below string, form url.Values) int {
			GinkgoHelper()
			return m.visit(http.MethodPost, session.text("url")+below, form).status
		}
		entries := func(filter string) []any { return m.get("/v1/audit_log?" + filter).expect(200).at("data").([]any) }
		before := len(entries("limit=100"))

		for _, country := range []string{"France", "F1", "é", "\x01\x02", "F"} {
			Expect(send("/details", url.Values{"country": {country}})).To(Equal(400), country)
		}
		Expect(entries("limit=100")).To(HaveLen(before), "what is refused has no entry")
		for range 3 { // the second and the third change nothing, so they have no entry
			Expect(send("/details", url.Values{"line1": {"9 New Road"}, "country": {"FR"}, "tax_id": {"FR123"}})).To(Equal(http.StatusSeeOther))
		}
		m.put("/v1/customers/"+buyer, object{"name": "Globex Ltd"}).expect(200)
		Expect(send("/alerts", url.Values{"watch": {"balance USD"}, "threshold": {"2"}})).To(Equal(http.StatusSeeOther))
		own := m.ownAlerts(buyer)
		Expect(own).To(HaveLen(1))
		Expect(send("/alerts/remove", url.Values{"alert": {own[0].ID}})).To(Equal(http.StatusSeeOther))
		Expect(send("/end", url.Values{})).To(Equal(200))
		Expect(send("/details", url.Values{"line1": {"1 Late Road"}})).To(Equal(http.StatusGone))

		for action, told := range map[string]struct{ name, resource, id string }{
			"editPortalDetails": {"Globex", "customers", buyer},
			"addPortalAlert":    {"Globex Ltd", "alerts", own[0].ID},
			"removePortalAlert": {"Globex Ltd", "alerts", own[0].ID},
			"endPortalSession":  {"Globex Ltd", "portal_sessions", session.text("id")},
		} {
			found := entries("action=" + action)
			Expect(found).To(HaveLen(1), action)
			entry := found[0].(map[string]any)
			Expect(entry["actor"]).To(Equal(map[string]any{"type": "person", "id": session.text("id"), "name": told.name}), action)
			Expect(entry["request_id"]).NotTo(BeEmpty())
			Expect(entry["changes"]).To(ContainElement(And(HaveKeyWithValue("resource", told.resource), HaveKeyWithValue("id", told.id))), action)
		}
		Expect(entries("actor_id=" + session.text("id"))).To(HaveLen(4))
		Expect(entries("resource_id="+innocent)).To(HaveLen(1), "its creation")
		m.tx(func(tx *store.Tx) error {
			var kinds []string
			Expect(tx.Raw("SELECT DISTINCT actor_type FROM audit_entries WHERE account_id = ? AND actor_id = ?", tx.AccountID, session.text("id")).Scan(&kinds).Error).To(Succeed())
			Expect(kinds).To(Equal([]string{"portal_session"}))
			return nil
		})
		Expect(m.account("test").get("/v1/audit_log?actor_id=" + session.text("id")).expect(200).at("data")).To(BeEmpty())
	})
})

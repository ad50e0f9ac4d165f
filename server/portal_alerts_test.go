package server_test

import (
	"net/http"
	"net/url"
	"regexp"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// ownAlerts are the alerts that a customer set.
func (a *api) ownAlerts(customerID string) (own []alert.Alert) {
	GinkgoHelper()
	a.tx(func(tx *store.Tx) (err error) {
		own, err = alert.Own(tx, customerID)
		return err
	})
	return own
}

var _ = Describe("Alerts that a customer sets in the portal", func() {
	var m *mailFixture
	BeforeEach(func() { m = newMailFixture("2025-03-01T00:00:00Z") })
	portal := func(buyer string) string {
		GinkgoHelper()
		return m.post("/v1/customers/"+buyer+"/portal_sessions", object{"expires_in_minutes": 180}).expect(201).text("url")
	}
	set := func(portal, watch, threshold string) opened {
		GinkgoHelper()
		return m.visit(http.MethodPost, portal+"/alerts", url.Values{"watch": {watch}, "threshold": {threshold}})
	}
	choices := func(portal string) (values []string) {
		GinkgoHelper()
		for _, found := range regexp.MustCompile(`<option value="([^"]+)"`).FindAllStringSubmatch(m.open(portal).text, -1) {
			values = append(values, found[1])
		}
		return values
	}

	It("watch costs, usage and a balance, and are mailed to the customer's first address in the customer's language", func() {
		buyer := m.buys(object{"language": "de", "email_delivery": false}, "ann", "bob")
		sub := m.subscribe(buyer, object{}, m.calls("1.00")).text("id")
		m.entry(buyer, object{"entry_type": "increment", "amount": 5, "currency": "USD"})
		p := portal(buyer)
		watch := choices(p)
		Expect(watch).To(HaveExactElements("cost "+sub, HavePrefix("usage "+sub+" "), "balance USD"))
		for k, threshold := range []string{"7.5", "10", "2"} {
			Expect(set(p, watch[k], threshold).header.Get("Location")).To(HaveSuffix("#alerts"))
		}
		page := m.open(p).text
		Expect(page).To(And(ContainSubstring("Kosten von"), ContainSubstring("<strong>7,5</strong>"), ContainSubstring("<strong>2,00\u00a0USD</strong>"), ContainSubstring("ann@"+m.domain)))

		m.listens(webhook.SubscriptionCostExceeded)
		m.use(buyer, "2025-03-01T00:00:00Z", "4")
		m.clock("2025-03-01T01:00:00Z")
		m.pass(time.Minute)
		Expect(m.got()).To(ConsistOf(HavePrefix("ann: Ihr Guthaben ist auf Ihre Schwelle gefallen: 2,00")))
		m.use(buyer, "2025-03-01T01:00:00Z", "9")
		m.clock("2025-03-01T02:00:00Z")
		m.pass(time.Minute)
		Expect(m.got()).To(ConsistOf(HavePrefix("ann: Ihr Guthaben"), HavePrefix("ann: Die Kosten haben Ihre Schwelle erreicht: 7,50"), HavePrefix("ann: Die Nutzung hat Ihre Schwelle erreicht: 10")))
		Expect(m.log()[2].TextBody).To(Or(ContainSubstring("8,00\u00a0USD"), ContainSubstring("13")))
		m.use(buyer, "2025-03-01T02:00:00Z", "1")
		m.clock("2025-03-01T03:00:00Z")
		m.pass(time.Minute)
		Expect(m.got()).To(HaveLen(3), "once in a period")
		Expect(m.told()).To(BeEmpty(), "the account is not told")
	})

	It("are the customer's: the API neither lists nor changes them, and the account can have its own beside", func() {
		buyer := m.buys(nil, "ann")
		sub := m.subscribe(buyer, object{}, m.calls("1.00")).text("id")
		Expect(set(portal(buyer), "cost "+sub, "7").status).To(Equal(http.StatusSeeOther))
		own := m.ownAlerts(buyer)
		Expect(own).To(HaveLen(1))
		Expect(m.get("/v1/alerts?subscription_id=" + sub).expect(200).list("data")).To(BeEmpty())
		m.get("/v1/alerts/"+own[0].ID).refuse(404, "404-resource-not-found")
		m.post("/v1/alerts/"+own[0].ID+"/disable", nil).refuse(404, "404-resource-not-found")
		m.post("/v1/alerts/subscription_id/"+sub, object{"type": "cost_exceeded", "thresholds": list{object{"value": 7}}}).expect(201)
		Expect(m.get("/v1/alerts?subscription_id=" + sub).expect(200).list("data")).To(HaveLen(1))
	})

	It("watch nothing of another customer, and are removed by their own", func() {
		ann, bob := m.buys(nil, "ann"), m.buys(nil, "bob")
		theirs := m.subscribe(bob, object{}, m.calls("1.00")).text("id")
		p, q := portal(ann), portal(bob)
		Expect(set(p, "cost "+theirs, "7").status).To(Equal(400))
		Expect(set(p, "balance USD", "7").status).To(Equal(400), "there is none")
		Expect(set(q, "cost "+theirs, "7").status).To(Equal(http.StatusSeeOther))
		id := m.ownAlerts(bob)[0].ID
		remove := func(portal string) int {
			return m.visit(http.MethodPost, portal+"/alerts/remove", url.Values{"alert": {id}}).status
		}
		Expect(remove(p)).To(Equal(http.StatusSeeOther))
		Expect(m.ownAlerts(bob)).To(HaveLen(1))
		Expect(m.visit(http.MethodPost, q+"/end", nil).status).To(Equal(200))
		Expect(set(q, "cost "+theirs, "7").status).To(Equal(http.StatusGone))
		Expect(m.ownAlerts(bob)).To(HaveLen(1), "they stay when the session ends")
		q = portal(bob)
		Expect(remove(q)).To(Equal(http.StatusSeeOther))
		Expect(remove(q)).To(Equal(http.StatusSeeOther))
		Expect(m.ownAlerts(bob)).To(BeEmpty())
	})

	// The rule: semantics 20.1.6.
	It("are ten at most, with thresholds that are numbers, where the account sends mail", func() {
		buyer := m.buys(nil, "ann")
		watch := "cost " + m.subscribe(buyer, object{}, m.calls("1.00")).text("id")
		p := portal(buyer)
		for _, bad := range []string{"", "-1", "1e999", "many", "1,5"} {
			Expect(set(p, watch, bad).status).To(Equal(400), bad)
		}
		for range alert.MostOwn {
			Expect(set(p, watch, "7").status).To(Equal(http.StatusSeeOther))
		}
		Expect(set(p, watch, "7").status).To(Equal(400))
		Expect(choices(p)).To(BeEmpty())
		m.setting("mail_from", nil)
		other := m.buys(nil, "bob")
		watch = "cost " + m.subscribe(other, object{}, m.calls("1.00")).text("id")
		Expect(choices(portal(other))).To(BeEmpty())
		Expect(set(portal(other), watch, "7").status).To(Equal(400))
	})
})

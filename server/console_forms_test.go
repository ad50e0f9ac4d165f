package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var _ = Describe("The forms of the console", func() {
	// The rules: semantics 21.2.2 and 21.2.3.
	It("create by the API's own operation, in the name of the person", func() {
		api := start()
		d := api.desk(user.RoleOwner)
		Expect(d.see("/console/do/createCustomer").html).To(ContainSubstring(`name="name"`))
		form := url.Values{"name": {"Acme"}, "email": {"bills@acme.test"}, "currency": {"USD"}, "metadata.key": {"team", ""}, "metadata.value": {"tiles", ""}, "once": {"form_1"}}
		done := d.submit("/console/do/createCustomer", form)
		Expect(done.status).To(Equal(http.StatusSeeOther), done.html)
		to := done.header.Get("Location")
		Expect(to).To(HavePrefix("/console/customers/"))
		page := d.see(to)
		Expect(page.html).To(ContainSubstring("Acme"))
		Expect(page.html).To(ContainSubstring("Done: create a customer"))

		again := d.submit("/console/do/createCustomer", form)
		Expect(again.header.Get("Location")).To(Equal(to), "sent twice, done once")
		all := api.get("/v1/customers").expect(200)
		Expect(all.list("data")).To(HaveLen(1))
		Expect(all.entry("data", 0).at("metadata")).To(Equal(object{"team": "tiles"}))

		entry := api.get("/v1/audit_log?action=createCustomer").expect(200).entry("data", 0)
		entry.shows(object{"actor.type": "person", "actor.name": "Mira Kovač", "actor.id": d.person})
	})

	It("show what is wrong beside the field, and save nothing", func() {
		api := start()
		d := api.desk(user.RoleOwner)
		refused := d.submit("/console/do/createCustomer", url.Values{"name": {"Acme"}, "email": {"bills@acme.test"}, "timezone": {"Mars/Olympus"}})
		Expect(refused.status).To(Equal(http.StatusBadRequest))
		refused.sound()
		Expect(refused.html).To(ContainSubstring("Nothing was saved"))
		Expect(refused.html).To(ContainSubstring(`href="#f-timezone"`))
		Expect(refused.html).To(ContainSubstring(`id="p-timezone"`))
		Expect(refused.html).To(ContainSubstring(`value="Acme"`))
		Expect(api.get("/v1/customers").expect(200).list("data")).To(BeEmpty())
	})

	It("change of a resource only what was changed", func() {
		api := start()
		d := api.desk(user.RoleOwner)
		id := api.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test", "metadata": object{"a": "1", "b": "2"}}).expect(201).text("id")
		form := d.see("/console/do/updateCustomer?customer_id=" + id)
		Expect(form.html).To(ContainSubstring(`value="Acme"`))
		was := between(form.html, `name="was" value="`, `"`)
		done := d.submit("/console/do/updateCustomer", url.Values{"param.customer_id": {id}, "was": {was}, "name": {"Acme Tiles"}, "email": {"bills@acme.test"}, "metadata.key": {"a"}, "metadata.value": {"1"}})
		Expect(done.status).To(Equal(http.StatusSeeOther), done.html)
		Expect(done.header.Get("Location")).To(HavePrefix("/console/customers/" + id))
		after := api.get("/v1/customers/" + id).expect(200)
		after.shows(object{"name": "Acme Tiles", "email": "bills@acme.test", "metadata": object{"a": "1"}})
	})

	It("grow rows and fields of variants without a script", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		d := s.desk(user.RoleOwner)
		form := url.Values{"name": {"Tiles"}, "item_id": {s.item}, "cadence": {"monthly"}, "currency": {"USD"}, "model_type": {"tiered"}, "billable_metric_id": {s.metric}, "choose": {"model_type"}}
		shaped := d.submit("/console/do/createPrice", form)
		Expect(shaped.status).To(Equal(http.StatusOK))
		shaped.sound()
		Expect(shaped.html).To(ContainSubstring(`name="tiered_config.tiers[0].unit_amount"`))
		form.Del("choose")
		form.Set("rows", "tiered_config.tiers[0]")
		form.Set("add", "tiered_config.tiers")
		Expect(d.submit("/console/do/createPrice", form).html).To(ContainSubstring(`name="tiered_config.tiers[1].unit_amount"`))
		form.Del("add")
		form.Set("tiered_config.tiers[0].first_unit", "0")
		form.Set("tiered_config.tiers[0].last_unit", "10")
		form.Set("tiered_config.tiers[0].unit_amount", "0.5")
		form.Set("tiered_config.tiers[1].first_unit", "10")
		form.Set("tiered_config.tiers[1].unit_amount", "0.000000000000000000190")
		refused := d.submit("/console/do/createPrice", form)
		Expect(refused.status).To(Equal(http.StatusBadRequest))
		Expect(refused.html).To(ContainSubstring(`id="p-tiered_config.tiers[1].unit_amount"`))
		form.Set("tiered_config.tiers[1].unit_amount", "0.000190")
		done := d.submit("/console/do/createPrice", form)
		Expect(done.status).To(Equal(http.StatusSeeOther), done.html)
		page := d.see(strings.Split(done.header.Get("Location"), "?")[0])
		Expect(page.html).To(ContainSubstring("0.000190"))
		Expect(page.html).To(ContainSubstring("Monthly, in arrears"))
	})

	It("have the rows that are named, at most 200, and room for one more until then", func() {
		d := start().desk(user.RoleReader)
		one := d.submit("/console/do/simulatePlan", url.Values{"rows": {"add_prices[999]"}, "choose": {"x"}})
		Expect(one.status).To(Equal(http.StatusOK))
		one.sound()
		Expect(one.html).To(ContainSubstring(`name="rows" value="add_prices[0]"`))

		form := url.Values{"add": {"remove_prices"}}
		for n := range 200 {
			form.Add("rows", fmt.Sprintf("remove_prices[%d]", n))
		}
		full := d.submit("/console/do/simulatePlan", form)
		Expect(full.status).To(Equal(http.StatusOK))
		Expect(full.html).To(ContainSubstring("A form takes 200 rows in all"))
		Expect(strings.Count(full.html, `name="rows"`)).To(Equal(200))

		form.Add("rows", "add_prices[7].price.tiered_config.tiers[8]")
		refused := d.submit("/console/do/simulatePlan", form)
		Expect(refused.status).To(Equal(http.StatusBadRequest))
		Expect(refused.html).To(ContainSubstring("A form takes 200 rows in all"))
		Expect(len(refused.html)).To(BeNumerically("<", 50<<10))

		form = url.Values{"choose": {"x"}}
		for n := range 199 {
			form.Add("rows", fmt.Sprintf("add_prices[%d]", n))
		}
		long := d.submit("/console/do/simulatePlan", form)
		Expect(long.status).To(Equal(http.StatusBadRequest))
		Expect(long.html).To(ContainSubstring("longer than 5 MB"))
	})

	It("show a key once", func() {
		api := start()
		d := api.desk(user.RoleEngineer)
		done := d.submit("/console/do/createAPIKey", url.Values{"name": {"Importer"}, "scopes": {"events:read"}})
		Expect(done.status).To(Equal(http.StatusOK), done.html)
		Expect(done.html).To(MatchRegexp(`tk_test_[0-9A-Za-z]{43}`))
		Expect(d.see("/console/keys").html).NotTo(MatchRegexp(`tk_test_[0-9A-Za-z]{43}`))
	})

	It("refuse a form of another site, and one of a role without the right", func() {
		api := start()
		d := api.desk(user.RoleReader)
		Expect(d.send(http.MethodPost, "/console/do/createCustomer", url.Values{"name": {"Acme"}, "email": {"a@b.c"}}).status).To(Equal(http.StatusForbidden))
		Expect(d.submit("/console/do/createCustomer", url.Values{"name": {"Acme"}, "email": {"a@b.c"}}).status).To(Equal(http.StatusNotFound))
		Expect(api.get("/v1/customers").expect(200).list("data")).To(BeEmpty())
	})
})

var _ = Describe("The test clock of the console", func() {
	It("moves by a day, to the next invoice and to a date, and lists what happened", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		buyer := s.buyer(object{"currency": "USD"})
		s.subscribe(buyer, object{"start_date": "2025-01-01"}, s.fee("20.00"))
		d := s.desk(user.RoleOwner)
		page := d.see("/console/clock")
		Expect(page.html).To(ContainSubstring(`value="2025-01-02T00:00:00Z"`))
		moved := d.submit("/console/clock", url.Values{"to": {"2025-01-02T00:00:00Z"}})
		Expect(moved.header.Get("Location")).To(Equal("/console/clock?from=2025-01-01T00%3A00%3A00Z"))
		page = d.see(moved.header.Get("Location"))
		Expect(page.html).To(ContainSubstring("2025-01-02 00:00:00 UTC"))
		Expect(page.html).To(ContainSubstring("What happened"))
		Expect(page.html).To(ContainSubstring("20.00"))
		Expect(page.html).To(ContainSubstring(`value="2025-02-01T00:00:00Z"`), "to the next invoice")
		moved = d.submit("/console/clock", url.Values{"now": {"2025-02-01T12:30"}})
		Expect(moved.status).To(Equal(http.StatusSeeOther), moved.html)
		s.get("/v1/test_clock").expect(200).shows(object{"now": "2025-02-01T12:30:00+00:00"})
		back := d.submit("/console/clock", url.Values{"now": {"2024-01-01T00:00"}})
		Expect(back.status).To(Equal(http.StatusOK))
		Expect(back.html).To(ContainSubstring("The clock was not moved"))
	})
})

// between returns the text between two others.
func between(text, before, after string) string {
	GinkgoHelper()
	_, rest, found := strings.Cut(text, before)
	Expect(found).To(BeTrue(), before)
	inside, _, _ := strings.Cut(rest, after)
	return strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&amp;", "&", "&lt;", "<", "&gt;", ">").Replace(inside)
}

package server_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var _ = Describe("The calculator of a price", func() {
	It("shows each step for a quantity, by the API's own operation", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		tiers := with(s.fee("0"), object{"name": "Calls", "currency": "USD", "billable_metric_id": s.metric, "model_type": "tiered", "tiered_config": object{"tiers": list{
			object{"first_unit": 0, "last_unit": 1000, "unit_amount": "0.01"}, object{"first_unit": 1000, "unit_amount": "0.000190"}}}})
		delete(tiers, "unit_config")
		price := s.post("/v1/prices", tiers).expect(201).text("id")
		s.get("/v1/prices/" + price + "/calculation?quantity=3500").expect(200).shows(object{"subtotal": "10.48", "exact_subtotal": "10.475"})
		s.get("/v1/prices/"+price+"/calculation?quantity=x").refuse(400, "400-request-validation-errors", "quantity")
		s.get("/v1/prices/nope/calculation?quantity=1").refuse(404, "404-resource-not-found", "Price")
		d := s.desk(user.RoleReader)
		Expect(d.see("/console/prices/" + price + "?quantity=3500").html).To(And(ContainSubstring("10.48"), ContainSubstring("2,500"), ContainSubstring("0.000190")))
		Expect(d.see("/console/prices/" + price + "?quantity=abc").html).To(ContainSubstring("callout"))
	})
})

var _ = Describe("The editor of a metric", func() {
	const path = "/console/metrics/new"

	It("tries a query on recent events, and then makes the metric", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		s.clock("2025-01-02T00:00:00Z")
		s.use(s.buyer(object{"currency": "USD"}), "2025-01-01T12:00:00Z", "1000", "2500")
		form := url.Values{"name": {"Large calls"}, "item_id": {s.item}, "sql": {"SELECT SUM(n) FROM events\r\nWHERE n > 1500"}, "once": {"form_metric"}}
		d := s.desk(user.RoleEngineer)
		Expect(d.see(path).html).To(ContainSubstring("Try on recent events"))
		tried := d.submit(path, url.Values{"name": form["name"], "item_id": form["item_id"], "sql": form["sql"], "try": {"1"}})
		Expect(tried.status).To(Equal(http.StatusOK), tried.html)
		Expect(tried.html).To(And(ContainSubstring("2,500"), ContainSubstring("Events looked at"), ContainSubstring("Value up to here")))
		s.post("/v1/metrics/preview", object{"sql": "SELECT COUNT(*) FROM events"}).expect(200).shows(object{"value": json.Number("2"), "events": json.Number("2")})
		done := d.submit(path, form)
		Expect(done.status).To(Equal(http.StatusSeeOther), done.html)
		Expect(d.see(done.header.Get("Location")).html).To(ContainSubstring("Large calls"))
	})

	It("points at the place of an error", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		d := s.desk(user.RoleOwner)
		refused := d.submit(path, url.Values{"sql": {"SELECT SUM(n) FROM events\nWHERE n >> 5"}, "try": {"1"}})
		Expect(refused.status).To(Equal(http.StatusBadRequest))
		refused.sound()
		Expect(refused.html).To(And(ContainSubstring("Line 2, column "), ContainSubstring("WHERE n &gt;&gt; 5\n"), ContainSubstring("^")))
		Expect(s.desk(user.RoleSupport).send(http.MethodGet, path, nil).status).To(Equal(http.StatusNotFound))
	})
})

var _ = Describe("The team of an account", func() {
	const path = "/console/settings/team"

	It("is changed by its owners, each change in the audit log under who made it", func() {
		api := start()
		d := api.desk(user.RoleOwner)
		other := api.desk(user.RoleReader)
		page := d.see(path)
		Expect(strings.Count(page.html, "Mira Kovač")).To(BeNumerically(">=", 2))

		invited := d.submit(path, url.Values{"email": {"jon@ours.example"}, "role": {"finance"}})
		Expect(invited.status).To(Equal(http.StatusOK), invited.html)
		invited.sound()
		Expect(invited.html).To(And(MatchRegexp(`<code>http://127\.0\.0\.1:8080/console/invitation/`), ContainSubstring("jon@ours.example")), "the public address, whatever the host of the request")
		Expect(d.submit(path, url.Values{"email": {"nobody"}, "role": {"king"}}).status).To(Equal(http.StatusBadRequest))

		Expect(d.submit(path+"/members/"+other.person, url.Values{"role": {"finance"}}).status).To(Equal(http.StatusSeeOther))
		Expect(other.see("/console").html).To(ContainSubstring("Finance"))
		Expect(d.submit(path+"/members/"+d.person, url.Values{"role": {"reader"}}).html).To(ContainSubstring("needs an owner"))
		Expect(d.submit(path+"/members/"+other.person, url.Values{}).status).To(Equal(http.StatusSeeOther))

		engineer := api.desk(user.RoleEngineer)
		for _, name := range []string{"Importer", "Revoked"} {
			Expect(engineer.submit("/console/do/createAPIKey", url.Values{"name": {name}, "scopes": {"ingest"}}).status).To(Equal(http.StatusOK))
		}
		revoked := api.get("/v1/api_keys").expect(200).entry("data", 0)
		Expect(revoked.at("created_by")).To(Equal(engineer.person))
		api.post("/v1/api_keys/"+revoked.text("id")+"/revoke", nil).expect(200)
		removed := d.submit(path+"/members/"+engineer.person, url.Values{})
		Expect(removed.status).To(Equal(http.StatusOK), removed.html)
		removed.sound()
		Expect(removed.html).To(And(ContainSubstring("Keys that the person made still work"), ContainSubstring("Importer"), Not(ContainSubstring("Revoked"))))
		Expect(other.send(http.MethodGet, "/console", nil).status).To(Equal(http.StatusSeeOther), "the membership has ended")
		for _, action := range []string{"inviteMember", "changeMemberRole", "removeMember"} {
			api.get("/v1/audit_log?action="+action).expect(200).entry("data", 0).shows(object{"actor.type": "person", "actor.id": d.person})
		}
	})

	// The rule: semantics 21.1.2.
	It("is not there for others", func() {
		api := start()
		for _, role := range []user.Role{user.RoleFinance, user.RoleEngineer, user.RoleSupport, user.RoleReader} {
			d := api.desk(role)
			Expect(d.send(http.MethodGet, path, nil).status).To(Equal(http.StatusNotFound), string(role))
			Expect(d.submit(path, url.Values{"email": {"x@ours.example"}, "role": {"owner"}}).status).To(Equal(http.StatusNotFound), string(role))
			Expect(d.submit(path+"/members/"+d.person, url.Values{"role": {"owner"}}).status).To(Equal(http.StatusNotFound), string(role))
		}
	})
})

var _ = Describe("The newest events", func() {
	It("are listed by cursor, and followed for a while", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		s.clock("2025-01-02T00:00:00Z")
		s.use(s.buyer(object{"currency": "USD"}), "2025-01-01T12:00:00Z", "1", "2", "3")
		first := s.get("/v1/events?limit=2").expect(200)
		Expect(first.list("data")).To(HaveLen(2))
		second := s.get("/v1/events?limit=2&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
		Expect(second.list("data")).To(HaveLen(1))
		s.get("/v1/events?cursor=nonsense").refuse(400, "400-request-validation-errors", "cursor")
		d := s.desk(user.RoleReader)
		page := d.see("/console/events")
		Expect(page.html).To(And(ContainSubstring("e000003"), Not(ContainSubstring("every 2s"))))
		Expect(d.see("/console/events?follow=99999999999").html).To(ContainSubstring("every 2s"))
		Expect(d.see("/console/events?follow=1").html).NotTo(ContainSubstring("every 2s"))
		Expect(start().desk(user.RoleOwner).see("/console/events").html).To(ContainSubstring("No events yet"), "of another account")
	})
})

var _ = Describe("What no page takes", func() {
	It("is answered by a page", func() {
		d := start().desk(user.RoleOwner)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			for _, path := range []string{"/console/nowhere", "/console/customers", "/console/invoices/x/y"} {
				answer := d.send(method, path, url.Values{})
				Expect(answer.status).To(Equal(http.StatusNotFound), method+path)
				Expect(answer.html).To(ContainSubstring("<!doctype html>"), method+path)
				answer.sound()
			}
		}
	})
})

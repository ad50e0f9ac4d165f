package server_test

import (
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/user"
	"tollkeeper/store"
)

var _ = Describe("The settings of an account, in the console", func() {
	value := func(a *api, name string) (value string) {
		GinkgoHelper()
		a.tx(func(tx *store.Tx) error {
			of, err := account.Of(tx)
			for _, s := range of.Settings() {
				if s.Name == name {
					value = s.Value
				}
			}
			return err
		})
		return value
	}

	It("are changed by who manages it, one at a time, with an entry in the audit log", func() {
		a := startAlone()
		other := a.account("test")
		owner := a.desk(user.RoleOwner)
		for name, to := range map[string]string{
			"name": "Renamed & Söhne", "timezone": "Europe/Berlin", "grace_period": "24h0m0s", "future_bound": "5m0s", "auto_issuance": "false", "issue_buffer": "1h0m0s",
			"due_date_basis": "invoice_date", "number_prefix_scope": "account", "number_prefix": "ABCDEF", "hide_zero_lines": "true", "usage_by_day": "true", "portal_links": "true",
			"payment_gateway": "test", "payment_retry_days": "2,5", "smallest_charge": "0.5", "reminder_days": "-3,7", "alert_emails": "ops@example.com",
		} {
			_, err := account.FindOwnSetting(name)
			Expect(err).NotTo(HaveOccurred(), name)
			before := value(other, name)
			path := "/console/settings/" + name
			page := owner.send(http.MethodGet, path, nil)
			Expect(page.status).To(Equal(http.StatusOK), name)
			Expect(owner.submit(path, url.Values{"value": {to}}).status).To(Equal(http.StatusSeeOther), name)
			Expect(value(a, name)).To(Equal(to), name)
			Expect(value(other, name)).To(Equal(before), name)
		}
		Expect(owner.submit("/console/settings/name", url.Values{"value": {"Renamed again"}}).status).To(Equal(http.StatusSeeOther))
		entry := a.get("/v1/audit_log?limit=1").expect(200).list("data")[0].(object)
		Expect(entry).To(HaveKeyWithValue("action", "changeSetting"))
		Expect(entry["actor"]).To(HaveKeyWithValue("type", "person"))
		Expect(entry["changes"]).To(HaveLen(1))
		all := owner.send(http.MethodGet, "/console/settings", nil).html
		for _, s := range account.OwnSettings() {
			Expect(all).To(ContainSubstring(`href="/console/settings/` + s.Name + `"`))
			Expect(strings.TrimSpace(s.About)).To(HaveSuffix("."), s.Name)
		}
	})

	It("stay as they are where the value is refused, which is shown with the reason", func() {
		a := startAlone()
		owner := a.desk(user.RoleOwner)
		for name, wrong := range map[string][]string{
			"name": {"", "  ", "a\x00b", strings.Repeat("x", 2001)}, "timezone": {"Mars/Base", ""}, "grace_period": {"-1h", "12", "1ms", "9000h"}, "auto_issuance": {"maybe"},
			"number_prefix": {"abc"}, "payment_retry_days": {"5,2", "400"}, "smallest_charge": {"-1", "x"}, "alert_emails": {"no address"}, "due_date_basis": {"never"},
		} {
			before := value(a, name)
			for _, text := range wrong {
				refused := owner.submit("/console/settings/"+name, url.Values{"value": {text}})
				Expect(refused.status).To(Equal(http.StatusBadRequest), "%s %q", name, text)
				Expect(refused.html).To(ContainSubstring("Nothing was saved"))
				Expect(value(a, name)).To(Equal(before))
			}
		}
	})

	It("are the operator's where they bound the account, and no one else's than the owner's", func() {
		a := startAlone()
		owner := a.desk(user.RoleOwner)
		for _, name := range []string{"requests_per_second", "largest_ingest_bytes", "mail_from", "mail_in_test", "subscriptions_per_customer", "none"} {
			before := value(a, name)
			Expect(owner.send(http.MethodGet, "/console/settings/"+name, nil).status).To(Equal(http.StatusNotFound), name)
			Expect(owner.submit("/console/settings/"+name, url.Values{"value": {"1"}}).status).To(Equal(http.StatusNotFound), name)
			Expect(value(a, name)).To(Equal(before))
		}
		for _, role := range user.Roles {
			if !role.ManagesAccount() {
				other := a.desk(role)
				Expect(other.submit("/console/settings/name", url.Values{"value": {"Mine"}}).status).To(Equal(http.StatusNotFound), string(role))
				Expect(other.send(http.MethodGet, "/console/settings", nil).html).NotTo(ContainSubstring("/console/settings/name"))
			}
		}
		Expect(value(a, "name")).NotTo(Equal("Mine"))
	})

	It("simulate no payments of a live account", func() {
		a := startAlone().account("live")
		refused := a.desk(user.RoleOwner).submit("/console/settings/payment_gateway", url.Values{"value": {"test"}})
		Expect(refused.status).To(Equal(http.StatusBadRequest))
		Expect(refused.html).To(ContainSubstring("only a test account"))
		Expect(value(a, "payment_gateway")).To(Equal("manual"))
	})
})

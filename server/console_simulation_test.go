package server_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

var _ = Describe("The simulation of a plan, in the console", func() {
	It("shows what each customer pays and would pay, in its own days", func() {
		s := startAlone().newFixture("2025-03-01T00:00:00+01:00")
		made := s.plan(object{}, s.fee("20.00"))
		plan := made.text("id")
		s.version(plan, 2, replacing(made.text("prices[0].id"), s.fee("32.10")))
		s.on(plan, s.buyer(object{"name": "Café " + hostile, "timezone": "Europe/Berlin", "external_customer_id": "café & co"}), object{"start_date": "2025-03-01"})
		reader := s.desk(user.RoleReader)
		path := "/console/plans/" + plan + "/simulate"
		Expect(reader.send(http.MethodGet, "/console/plans/"+plan, nil).html).To(ContainSubstring(`href="` + path + `"`))
		Expect(reader.send(http.MethodGet, path, nil).status).To(Equal(http.StatusOK))

		shown := reader.send(http.MethodGet, path+"?version=2&start_date=2025-03-01&end_date=2025-04-01&customer=caf%C3%A9+%26+co", nil)
		Expect(shown.status).To(Equal(http.StatusOK))
		Expect(shown.html).To(And(ContainSubstring("20.00"), ContainSubstring("32.10"), ContainSubstring("Café &lt;script&gt;"), ContainSubstring("1 Mar – 31 Mar 2025")))
		Expect(shown.html).NotTo(ContainSubstring("<script>alert"))
		Expect(reader.send(http.MethodGet, path+"?version=2&start_date=2024-03-01&end_date=2024-04-01", nil).html).To(ContainSubstring("No subscription is on the plan"))
	})

	It("says beside the field what is wrong, and shows no other account's plan", func() {
		a := startAlone()
		s := a.newFixture("2025-03-01T00:00:00Z")
		plan := s.plan(object{}, s.fee("20.00")).text("id")
		reader := s.desk(user.RoleReader)
		path := "/console/plans/" + plan + "/simulate"
		late := reader.send(http.MethodGet, path+"?version=1&start_date=2025-03-01&end_date=2025-08-01", nil)
		Expect(late.status).To(Equal(http.StatusBadRequest))
		Expect(late.html).To(And(ContainSubstring(`id="p-end_date"`), ContainSubstring("100 days")))
		Expect(reader.send(http.MethodGet, path+"?version=x&start_date=2025-03-01&end_date=2025-03-02", nil).status).To(Equal(http.StatusBadRequest))
		Expect(reader.send(http.MethodGet, path+"?version=1&start_date=2025-03-01&end_date=2025-03-02&customer=none", nil).status).To(Equal(http.StatusNotFound))
		stranger := a.account("test").desk(user.RoleOwner)
		Expect(stranger.send(http.MethodGet, path, nil).status).To(Equal(http.StatusNotFound))
	})
})

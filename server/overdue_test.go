package server_test

import (
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// All places that show an invoice agree on the day from which it is overdue (semantics 8.1.9).
var _ = Describe("An invoice that is due", func() {
	// The rule: semantics 21.2.4.
	DescribeTable("is overdue from the day after on, wherever it is shown, by the customer's days",
		func(zone, issued, due string) {
			m := newMailFixture(issued)
			m.setting("reminder_days", "-2,-1,0,1,2")
			loc, err := time.LoadLocation(zone)
			Expect(err).NotTo(HaveOccurred())
			day, err := time.ParseInLocation(time.DateOnly, due, loc)
			Expect(err).NotTo(HaveOccurred())
			buyer := m.buys(object{"timezone": zone}, "ann")
			id := m.post("/v1/invoices", m.oneOff(buyer, object{"net_terms": nil, "due_date": due, "invoice_date": issued[:10], "will_auto_issue": false})).expect(201).text("id")
			Expect(m.post("/v1/invoices/"+id+"/issue", nil).expect(200).text("due_date")).To(Equal(day.UTC().Format("2006-01-02T15:04:05+00:00")))
			// portal is the address of a new session: one does not last for all days.
			portal := func() string {
				GinkgoHelper()
				return m.post("/v1/customers/"+buyer+"/portal_sessions", object{"invalidate_existing": false}).expect(201).text("url")
			}
			staff := m.desk(user.RoleFinance)
			listed := func(query string) bool {
				GinkgoHelper()
				return len(m.get("/v1/invoices?status=issued&customer_id="+buyer+"&"+query).expect(200).list("data")) == 1
			}
			// shown is what each says at an instant.
			shown := func(at time.Time) map[string]bool {
				GinkgoHelper()
				m.clock(at.UTC().Format(time.RFC3339))
				invoice := m.get("/v1/invoices/" + id).expect(200)
				page := m.open(invoice.text("hosted_invoice_url")).text
				Expect(page).To(SatisfyAny(ContainSubstring("Was due on"), ContainSubstring("Due on")))
				return map[string]bool{
					"the invoice":           invoice.at("overdue").(bool),
					"the list":              listed("overdue=true"),
					"the list of others":    !listed("overdue=false"),
					"the list by due date":  listed("date_type=due_date&due_date[lt]=" + at.In(loc).Format(time.DateOnly)),
					"the page":              strings.Contains(page, "Was due on"),
					"the portal":            strings.Contains(m.open(portal()).text, "1 overdue"),
					"the portal's invoices": strings.Contains(m.open(portal()+"/invoices").text, "Was due on"),
					"the console's invoice": strings.Contains(staff.see("/console/invoices/"+id).html, ">Overdue<"),
					"the console's list":    strings.Contains(staff.see("/console/invoices?status=overdue").html, "/console/invoices/"+id),
					"the console":           strings.Contains(staff.see("/console").html, "1 invoice is overdue"),
				}
			}
			for n := -2; n <= 2; n++ {
				begins := time.Date(day.Year(), day.Month(), day.Day()+n, 0, 0, 0, 0, loc)
				ends := time.Date(day.Year(), day.Month(), day.Day()+n+1, 0, 0, 0, 0, loc)
				for _, at := range []time.Time{begins, begins.Add(9*time.Hour + time.Minute), ends.Add(-time.Second)} {
					for who, said := range shown(at) {
						Expect(said).To(Equal(n > 0), "%s, on day %d at %s", who, n, at)
					}
				}
				m.pass(time.Minute)
				mail := m.log()[len(m.log())-1].Subject
				Expect(strings.Contains(mail, "was due on")).To(Equal(n > 0), mail)
				Expect(strings.Contains(mail, "is due")).To(Equal(n <= 0), mail)
			}
			By("and not once nothing of it is left to pay")
			line := m.get("/v1/invoices/" + id).expect(200).at("line_items[0].id")
			m.post("/v1/credit_notes", object{"reason": "duplicate", "line_items": list{credited(line, m.get("/v1/invoices/"+id).expect(200).text("amount_due"))}}).expect(201)
			Expect(m.get("/v1/invoices/" + id).expect(200).at("overdue")).To(BeFalse())
			Expect(listed("overdue=true")).To(BeFalse())
			Expect(m.open(portal()).text).NotTo(ContainSubstring("overdue"))
		},
		Entry("across a month's end and the day on which clocks are put forward", "Europe/Berlin", "2025-03-20T12:00:00Z", "2025-03-30"),
		Entry("across the day on which clocks are put back", "Pacific/Auckland", "2025-03-20T12:00:00Z", "2025-04-05"),
		Entry("behind UTC, at a month's end", "America/Los_Angeles", "2025-05-20T12:00:00Z", "2025-05-31"),
	)
})

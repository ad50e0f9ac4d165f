package server_test

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/user"
	"tollkeeper/store"
)

var _ = Describe("The link of a mail", func() {
	var m *mailFixture
	BeforeEach(func() {
		m = newMailFixture("2025-03-01T00:00:00Z")
		m.store.PublishAt("https://bill.test", true)
	})

	// linked are the addresses in the text of the mails of a kind about an invoice; each is in the HTML, too.
	linked := func(kind mail.Kind, invoice string) (all []string) {
		GinkgoHelper()
		for _, one := range m.log() {
			if one.Kind != kind || *one.InvoiceID != invoice {
				continue
			}
			address := regexp.MustCompile(`https://\S+`).FindString(one.TextBody)
			if address != "" {
				Expect(one.HTMLBody).To(ContainSubstring(`href="` + address + `"`))
			}
			all = append(all, address)
		}
		return all
	}

	// The rule: semantics 18.1.4.
	It("leads to the page of the invoice, in each kind of mail about one", func() {
		m.setting("reminder_days", "10,300")
		buyer := m.buys(nil, "ann")
		invoice := m.bill(buyer, "20.00")
		m.post("/v1/credit_notes", object{"reason": "duplicate", "line_items": list{credited(invoice.entry("line_items", 0).text("id"), "5.00")}}).expect(201)
		m.clock("2025-03-12T00:00:00Z")
		page := invoice.text("hosted_invoice_url")
		Expect(page).To(HavePrefix("https://bill.test/i/"))
		for _, kind := range []mail.Kind{mail.InvoiceIssued, mail.CreditNote} {
			Expect(linked(kind, invoice.text("id"))).To(Equal([]string{page}), string(kind))
		}
		Expect(linked(mail.ReminderMail, invoice.text("id"))).To(HaveLen(1))

		By("and works for as long as that of an invoice that is issued then")
		m.clock("2026-01-01T00:00:00Z")
		m.post("/v1/invoices/"+invoice.text("id")+"/mark_paid", object{"payment_received_date": "2026-01-01"}).expect(200)
		Expect(m.open(page).status).To(Equal(http.StatusGone))
		reminders, receipts := linked(mail.ReminderMail, invoice.text("id")), linked(mail.Receipt, invoice.text("id"))
		Expect(reminders).To(HaveLen(2))
		Expect(receipts).To(HaveLen(1))
		m.clock("2026-02-23T00:00:00Z")
		Expect(m.open(reminders[1]).status).To(Equal(200))
		Expect(m.open(receipts[0]).text).To(ContainSubstring("Paid on"))
		m.clock("2026-03-05T00:00:00Z")
		Expect(m.open(receipts[0]).status).To(Equal(http.StatusGone))
	})

	It("is left out where the server has no address that customers reach", func() {
		m.store.PublishAt("http://127.0.0.1:8080", false)
		m.bill(m.buys(nil, "ann"), "20.00")
		Expect(m.log()).To(HaveLen(1))
		Expect(m.log()[0].TextBody + m.log()[0].HTMLBody).NotTo(Or(ContainSubstring("/i/"), ContainSubstring("127.0.0.1"), ContainSubstring("href=")))
	})

	// The rule: semantics 18.1.10.
	It("stands in a mail of the customer's language, with dates and amounts as it writes them", func() {
		m.bill(m.buys(object{"language": "de"}, "ann"), "1234.50")
		m.bill(m.buys(object{"language": "ja"}, "bob"), "1234.50")
		log := m.log()
		Expect(log[0].Subject).To(HavePrefix("Rechnung "))
		Expect(log[0].TextBody).To(And(ContainSubstring("1.234,50\u00a0USD"), ContainSubstring("1. März 2025"), ContainSubstring("Rechnung ansehen: https://bill.test/i/")))
		Expect(log[0].HTMLBody).To(ContainSubstring(`<html lang="de">`))
		Expect(log[1].TextBody).To(And(ContainSubstring("2025年3月1日"), ContainSubstring("請求書を見る: ")))
		m.pass(time.Minute)
		Expect(m.got()).To(ConsistOf(HavePrefix("ann: Rechnung "), HavePrefix("bob: ")))

		By("and in the letterhead's, where the account has a text of its own")
		m.put("/v1/letterhead", object{"name": "Acme", "language": "fr"}).expect(200)
		m.tx(func(tx *store.Tx) error {
			return mail.SaveTemplate(tx, mail.InvoiceIssued, "", "Facture {{invoice_number}}", "{{payment_note}}")
		})
		m.bill(m.buys(object{"language": "de"}, "cyd"), "1234.50")
		Expect(m.log()[2].TextBody).To(And(ContainSubstring("Merci de régler"), ContainSubstring("Voir la facture"), Not(ContainSubstring("Rechnung"))))

		By("and in the customer's where the account has a text for it")
		m.tx(func(tx *store.Tx) error {
			return mail.SaveTemplate(tx, mail.InvoiceIssued, letterhead.German, "Ihre Rechnung {{invoice_number}}", "Hallo. {{payment_note}}")
		})
		m.bill(m.buys(object{"language": "de"}, "dan"), "1234.50")
		m.bill(m.buys(object{"language": "ja"}, "eve"), "1234.50")
		Expect(m.log()[3].Subject).To(HavePrefix("Ihre Rechnung "))
		Expect(m.log()[3].TextBody).To(And(ContainSubstring("Hallo. Bitte"), ContainSubstring("Rechnung ansehen")))
		Expect(m.log()[4].Subject).To(HavePrefix("Facture "))
		m.tx(func(tx *store.Tx) error {
			Expect(mail.SaveTemplate(tx, mail.InvoiceIssued, "it", "x", "y")).To(MatchError(ContainSubstring("language")))
			Expect(mail.SaveTemplate(tx, mail.Alert, letterhead.German, "x", "y")).To(MatchError(ContainSubstring("language")))
			return mail.ResetTemplate(tx, mail.InvoiceIssued, letterhead.German)
		})
		m.bill(m.buys(object{"language": "de"}, "fay"), "1234.50")
		Expect(m.log()[5].Subject).To(HavePrefix("Facture "))
		Expect(mail.In(letterhead.French).SeeInvoice).To(Equal("Voir la facture"))
	})

	Describe("to the portal", func() {
		// sent is the address in the mail that was sent last.
		sent := func() string {
			GinkgoHelper()
			m.office.mu.Lock()
			defer m.office.mu.Unlock()
			last := len(m.office.taken) - 1
			head, body, _ := strings.Cut(m.office.bodies[last], "\r\n\r\n")
			Expect(body).NotTo(BeEmpty())
			message := m.office.taken[last]
			Expect(head).To(ContainSubstring("multipart/alternative"))
			parts := partsOf(message.Header.Get("Content-Type"), strings.NewReader(body))
			address := regexp.MustCompile(`https://\S+`).FindString(parts["text/plain"])
			Expect(parts["text/html"]).To(ContainSubstring(`href="` + address + `"`))
			return address
		}

		It("is mailed by a person of the account, and made as the mail is sent", func() {
			buyer := m.buys(object{"email_delivery": false, "language": "pt"}, "ann", "bob")
			d := m.desk(user.RoleOwner)
			Expect(d.see("/console/customers/" + buyer).html).To(ContainSubstring("Mail a link"))
			Expect(d.submit("/console/customers/"+buyer+"/portal-link", url.Values{}).status).To(Equal(http.StatusSeeOther))
			queued := m.log()
			Expect(queued).To(HaveLen(1))
			Expect(queued[0].TextBody + queued[0].HTMLBody).NotTo(ContainSubstring("bill.test/portal/"))
			m.tx(func(tx *store.Tx) error { // as a server of a version before these mails claims one
				var found []mail.Mail
				err := tx.Raw("SELECT * FROM mails WHERE status = 'pending' AND claimed_until IS NULL FOR UPDATE SKIP LOCKED").Scan(&found).Error
				Expect(found).To(BeEmpty())
				changed := tx.Exec("UPDATE mails SET claimed_until = clock_timestamp()")
				Expect(changed.RowsAffected).To(BeZero())
				return errors.Join(err, changed.Error)
			})
			m.pass(time.Minute)
			Expect(m.got()).To(HaveExactElements(HavePrefix("ann: A sua conta em ")))
			address := sent()
			Expect(address).To(HavePrefix("https://bill.test/portal/s_"))
			Expect(m.open(address).status).To(Equal(200))
			kept := m.log()[0]
			Expect(kept.TextBody + kept.HTMLBody).NotTo(ContainSubstring(address))
			m.clock("2025-03-01T02:59:59Z")
			Expect(m.open(address).status).To(Equal(200))
			m.clock("2025-03-01T03:00:00Z")
			Expect(m.open(address).status).To(Equal(http.StatusGone))

			By("again by hand, with another link")
			m.tx(func(tx *store.Tx) error { return mail.Resend(tx, kept.ID) })
			m.pass(time.Minute)
			Expect(sent()).NotTo(Equal(address))
			Expect(m.open(sent()).status).To(Equal(200))

			Expect(m.desk(user.RoleReader).submit("/console/customers/"+buyer+"/portal-link", url.Values{}).status).To(Equal(http.StatusNotFound))
			Expect(m.account("test").desk(user.RoleOwner).submit("/console/customers/"+buyer+"/portal-link", url.Values{}).status).To(Equal(http.StatusNotFound))
		})

		// The rules: semantics 18.1.11 and 20.1.8.
		It("is asked for by a customer whose session has ended, once in a while, and by no one else", func() {
			buyer := m.buys(object{"language": "es"}, "ann")
			address := m.post("/v1/customers/"+buyer+"/portal_sessions", object{}).expect(201).text("url")
			Expect(m.visit(http.MethodPost, address+"/end", url.Values{}).status).To(Equal(200))
			Expect(m.open(address).text).To(And(ContainSubstring(`lang="es"`), ContainSubstring("/link")))
			for range 3 {
				answer := m.visit(http.MethodPost, address+"/link", url.Values{})
				Expect(answer.status).To(Equal(200))
				Expect(answer.text).NotTo(ContainSubstring("ann@"))
			}
			m.pass(time.Minute)
			Expect(m.got()).To(HaveExactElements(HavePrefix("ann: Su cuenta en ")))
			Expect(m.open(sent()).status).To(Equal(200))

			changed := address[:len(address)-1] + map[bool]string{true: "b", false: "a"}[strings.HasSuffix(address, "a")]
			Expect(m.open(changed).text).NotTo(ContainSubstring("/link"))
			Expect(m.visit(http.MethodPost, changed+"/link", url.Values{}).status).To(Equal(404))
			m.setting("mail_from", nil)
			Expect(m.open(address).text).NotTo(ContainSubstring("/link"))
		})

		It("is refused where the account or the server has none to mail", func() {
			buyer := m.buys(nil, "ann")
			d := m.desk(user.RoleOwner)
			m.store.PublishAt("http://127.0.0.1:8080", false)
			Expect(d.submit("/console/customers/"+buyer+"/portal-link", url.Values{}).html).To(ContainSubstring("TOLLKEEPER_PUBLIC_URL"))
			Expect(m.log()).To(BeEmpty())
		})
	})
})

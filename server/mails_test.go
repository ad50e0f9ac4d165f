package server_test

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/mail"
	"tollkeeper/domain/user"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

type wordDecoder = mime.WordDecoder

var _ = Describe("Mail", func() {
	// The rules: semantics 18.1.1 and 18.1.2.
	It("tells a customer of an invoice at each address once, as text and as HTML", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		buyer := m.buys(nil, "ann", "bob", "ann")
		m.owner("UPDATE customers SET name = E'<b>Globex</b>\\r\\nBcc:\\u2028x@y.test' WHERE id = '" + buyer + "'") // as before such names were refused
		number := m.bill(buyer, "1234.50").text("invoice_number")
		m.pass(0)
		m.pass(time.Hour)
		Expect(m.got()).To(ConsistOf("ann: Invoice "+number+" from "+m.name(), "bob: Invoice "+number+" from "+m.name()))
		Expect(m.statuses()).To(Equal([]mail.Status{mail.StatusSent, mail.StatusSent}))

		message := m.office.taken[0]
		Expect(message.Header).NotTo(HaveKey("Bcc"))
		from, err := message.Header.AddressList("From")
		Expect(err).NotTo(HaveOccurred())
		Expect(*from[0]).To(Equal(netmail.Address{Name: "Acme & Söhne", Address: "billing@acme.test"}))
		Expect(message.Header.Get("Message-ID")).To(Equal("<" + m.log()[0].ID + "@acme.test>"))
		Expect(message.Header.Get("Auto-Submitted")).To(Equal("auto-generated"))
		parts := partsOf(message.Header.Get("Content-Type"), message.Body)
		Expect(parts["text/plain"]).To(And(ContainSubstring("Hello <b>Globex</b> Bcc: x@y.test,"), ContainSubstring("Please pay USD\u00a01,234.50 by "), ContainSubstring("Invoice: "+number)))
		Expect(parts["text/html"]).To(And(ContainSubstring("Hello &lt;b&gt;Globex&lt;/b&gt;"), ContainSubstring("USD\u00a01,234.50"), Not(ContainSubstring("<b>")), Not(ContainSubstring("ZgotmplZ"))))
	})

	// The rule: semantics 18.1.3.
	It("is not sent to a customer who takes none, by an account that names no sender, and not about nothing", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.bill(m.buys(object{"email_delivery": false}, "ann"), "5.00")
		m.bill(m.buys(nil, "bea"), "0.00")
		m.setting("mail_from", nil)
		m.bill(m.buys(nil, "cyd"), "5.00")
		Expect(m.log()).To(BeEmpty())
	})

	// The rule: semantics 18.1.12.
	It("is held in a test account unless that may send", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.setting("mail_in_test", false)
		m.bill(m.buys(nil, "ann"), "5.00")
		m.pass(time.Hour)
		Expect(m.got()).To(BeEmpty())
		held := m.log()
		Expect(held).To(HaveExactElements(HaveField("Status", mail.StatusHeld)))
		resend := func() error {
			return m.store.Update(m.ctx, func(tx *store.Tx) error { return mail.Resend(tx, held[0].ID) })
		}
		Expect(fault.Is(resend(), fault.KindRefused)).To(BeTrue())
		m.setting("mail_in_test", true)
		Expect(resend()).To(Succeed())
		m.pass(time.Hour)
		Expect(m.got()).To(HaveLen(1))
	})

	// The rule: semantics 18.2.1.
	It("waits while the mail server is down for a day, and then all goes out, once", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.office.close()
		const buyers = 5
		for k := range buyers {
			m.bill(m.buys(nil, string(rune('a'+k))), "5.00")
		}
		for range 24 * 12 {
			m.pass(5 * time.Minute)
		}
		Expect(m.statuses()).To(HaveEach(mail.StatusPending))
		for _, waiting := range m.log() {
			Expect(waiting.Attempts).To(BeEmpty(), "an outage is no attempt at a mail")
		}
		m.office = openPostOffice(m.office.address)
		m.pass(5 * time.Minute)
		m.pass(5 * time.Minute)
		Expect(m.got()).To(HaveLen(buyers))
		Expect(m.statuses()).To(And(HaveLen(buyers), HaveEach(mail.StatusSent)))
	})

	// The rule: semantics 18.2.3.
	It("is never sent twice by itself where the outcome is not known, and can be by hand, under the same id", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.bill(m.buys(nil, "ann"), "5.00")
		lost := errors.New("the connection is lost after the end of the message")
		m.office.atEnd = func() error { return lost }
		m.pass(0)
		Expect(m.statuses()).To(Equal([]mail.Status{mail.StatusUncertain}))

		m.bill(m.buys(nil, "bob"), "5.00")
		m.tx(func(tx *store.Tx) error { // a server claims the mail and dies
			_, found, err := mail.Claim(tx, time.Now().Add(time.Minute))
			Expect(found).To(BeTrue())
			return err
		})
		m.office.mu.Lock()
		m.office.atEnd = nil
		m.office.mu.Unlock()
		m.pass(time.Minute)
		Expect(m.statuses()).To(Equal([]mail.Status{mail.StatusUncertain, mail.StatusPending}), "another server may be at it")
		m.pass(mail.Lease)
		m.pass(24 * time.Hour)
		Expect(m.statuses()).To(Equal([]mail.Status{mail.StatusUncertain, mail.StatusUncertain}))
		Expect(m.got()).To(HaveLen(1))

		first := m.log()[0]
		m.tx(func(tx *store.Tx) error { return mail.Resend(tx, first.ID) })
		m.pass(time.Minute)
		Expect(m.statuses()).To(Equal([]mail.Status{mail.StatusSent, mail.StatusUncertain}))
		Expect(m.got()).To(HaveLen(2))
		Expect(m.office.taken[0].Header.Get("Message-ID")).To(Equal(m.office.taken[1].Header.Get("Message-ID")))
		Expect(m.log()[0].Attempts).To(HaveLen(2))
	})

	// The rule: semantics 18.2.2.
	It("is tried again where it is refused for now, and fails where it is for good, without keeping another from it", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.office.answer = func(to string) error {
			switch {
			case strings.HasPrefix(to, "bad@"):
				return &smtp.SMTPError{Code: 550, Message: "no such mailbox"}
			case strings.HasPrefix(to, "full@"):
				return &smtp.SMTPError{Code: 452, Message: "the mailbox is full"}
			}
			return nil
		}
		m.bill(m.buys(nil, "bad", "full", "ok"), "5.00")
		m.pass(0)
		Expect(m.statuses()).To(Equal([]mail.Status{mail.StatusFailed, mail.StatusPending, mail.StatusSent}))
		log := m.log()
		Expect(log[0].Attempts).To(HaveExactElements(And(HaveField("Code", 550), HaveField("Error", HaveValue(ContainSubstring("no such mailbox"))))))
		Expect(*log[1].NextAttemptAt).To(BeTemporally("~", time.Now().Add(time.Minute), 20*time.Second))
		m.pass(30 * time.Second)
		Expect(m.log()[1].Attempts).To(HaveLen(1))
		for range 5 * 24 * 2 { // five days
			m.pass(30 * time.Minute)
		}
		Expect(m.statuses()).To(Equal([]mail.Status{mail.StatusFailed, mail.StatusFailed, mail.StatusSent}))
		Expect(m.log()[1].Attempts).To(HaveLen(12))
		Expect(m.got()).To(HaveLen(1))
	})

	// The rules: semantics 18.1.6 and 18.1.8.
	It("reminds of what is unpaid at nine of the customer's days, across a month's end and a change of the clock", func() {
		m := newMailFixture("2025-03-26T00:00:00Z")
		m.setting("reminder_days", "-2,0,1,30")
		buyer := m.buys(object{"timezone": "Europe/Berlin"}, "ann")
		invoice := m.bill(buyer, "5.00") // due at once, on 26 March, of which half an hour is left
		Expect(invoice.text("status")).To(Equal("issued"))
		m.pass(0)
		at := func(when string) []string {
			GinkgoHelper()
			m.clock(when)
			m.pass(time.Minute)
			got := m.got()
			m.office.mu.Lock()
			m.office.taken = nil
			m.office.mu.Unlock()
			return got
		}
		number := invoice.text("invoice_number")
		at("2025-03-26T00:00:01Z")
		Expect(at("2025-03-26T07:59:59Z")).To(BeEmpty())
		Expect(at("2025-03-26T08:00:00Z")).To(Equal([]string{"ann: Invoice " + number + " is due today"}))
		Expect(at("2025-03-27T08:00:00Z")).To(Equal([]string{"ann: Invoice " + number + " was due on 26 March 2025"}))
		Expect(at("2025-04-03T00:00:00Z")).To(ContainElement(MatchRegexp("ann: Invoice .* from ")), "that of April is issued")
		Expect(at("2025-04-25T06:59:59Z")).To(BeEmpty(), "the clock was put forward on 30 March")
		Expect(at("2025-04-25T07:00:00Z")).To(Equal([]string{"ann: Invoice " + number + " was due on 26 March 2025"}))

		Expect(at("2025-04-30T07:00:00Z")).To(BeEmpty())

		By("and not of what is paid")
		m.setting("reminder_days", "1")
		paid := m.bill(m.buys(nil, "bob"), "7.00")
		m.post("/v1/invoices/"+paid.text("id")+"/mark_paid", object{"payment_received_date": "2025-04-30"}).expect(200)
		Expect(at("2025-05-03T12:00:00Z")).To(ContainElement("bob: Receipt for invoice " + paid.text("invoice_number") + " from " + m.name()))
		for _, one := range m.log() {
			Expect(one.Kind == mail.ReminderMail && strings.Contains(one.Subject, paid.text("invoice_number"))).To(BeFalse())
		}
	})

	// The rule: semantics 18.1.7.
	It("reminds of what is collected automatically after the due day only, and of nothing that is void", func() {
		m := newMailFixture("2025-03-20T00:00:00Z")
		m.setting("payment_gateway", "test")
		m.setting("reminder_days", "-1,0,1")
		buyer := m.buys(object{"payment_provider": "stripe_charge", "payment_provider_id": "decline", "auto_collection": true}, "ann")
		issued := func() string {
			GinkgoHelper()
			id := m.post("/v1/invoices", m.oneOff(buyer, object{"net_terms": nil, "due_date": "2025-03-25", "invoice_date": "2025-03-20", "will_auto_issue": false})).expect(201).text("id")
			return m.post("/v1/invoices/"+id+"/issue", nil).expect(200).text("id")
		}
		issued()
		m.post("/v1/invoices/"+issued()+"/void", nil).expect(200)
		reminders := func(at string) (all []string) {
			GinkgoHelper()
			m.clock(at)
			for _, one := range m.log() {
				if one.Kind == mail.ReminderMail {
					all = append(all, one.Occasion[strings.LastIndex(one.Occasion, " ")+1:])
				}
			}
			return all
		}
		Expect(reminders("2025-03-25T23:00:00Z")).To(BeEmpty())
		Expect(reminders("2025-03-26T09:00:00Z")).To(Equal([]string{"1"}))
	})

	// The rules: semantics 18.1.5 and 18.1.9.
	It("tells of credit notes, and the account's own people of alerts", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.setting("alert_emails", "team@"+m.domain+",boss@"+m.domain)
		buyer := m.buys(nil, "ann")
		invoice := m.bill(buyer, "20.00")
		m.post("/v1/credit_notes", object{"reason": "duplicate", "line_items": list{credited(invoice.entry("line_items", 0).text("id"), "5.00")}}).expect(201)
		m.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 3, "currency": "USD"}).expect(201)
		m.post("/v1/alerts/customer_id/"+buyer, object{"type": "credit_balance_dropped", "currency": "USD", "thresholds": list{object{"value": 2}}}).expect(201)
		m.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "decrement", "amount": 2, "currency": "USD"}).expect(201)
		sub := m.subscribe(buyer, nil, m.calls("0.01")).text("id")
		m.post("/v1/alerts/subscription_id/"+sub, object{"type": "usage_exceeded", "metric_id": m.metric, "thresholds": list{object{"value": 10}}}).expect(201)
		m.use(buyer, "2025-03-01T00:00:00Z", "12")
		m.clock("2025-03-01T01:00:00Z")
		m.pass(time.Minute)
		Expect(m.got()).To(ContainElements(HavePrefix("ann: Credit note "), "team: Globex: Credits run low", "boss: Globex: Credits run low", "team: Globex: Usage reached the threshold"))
	})

	It("says what the account has it say, with values and nothing else", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		save := func(subject, body string) error {
			return m.store.Update(m.ctx, func(tx *store.Tx) error { return mail.SaveTemplate(tx, mail.InvoiceIssued, "", subject, body) })
		}
		for subject, word := range map[string]string{"": "must not be empty", "a\nb": "control characters", "{{secret}}": "may use the values", strings.Repeat("a", 301): "at most 300"} {
			Expect(save(subject, "text")).To(MatchError(ContainSubstring(word)), subject)
		}
		Expect(save("Rechnung {{ invoice_number }}", "Guten Tag {{customer_name}}\r\n\r\n<script>{{.Sender}}{{range 9}}")).To(Succeed())
		Expect(save("Rechnung {{invoice_number}} ", "Guten Tag {{customer_name}}\r\n\r\n<script>{{.Sender}}{{range 9}}")).To(Succeed())
		number := m.bill(m.buys(object{"name": "{{account_name}}"}, "ann"), "5.00").text("invoice_number")
		m.pass(0)
		Expect(m.got()).To(Equal([]string{"ann: Rechnung " + number}))
		Expect(m.log()[0].TextBody).To(ContainSubstring("Guten Tag {{account_name}}\n\n<script>{{.Sender}}{{range 9}}"))
		Expect(m.log()[0].HTMLBody).To(ContainSubstring("&lt;script&gt;{{.Sender}}"))
		m.tx(func(tx *store.Tx) error { return mail.ResetTemplate(tx, mail.InvoiceIssued, "") })
		m.bill(m.buys(nil, "bob"), "5.00")
		Expect(m.log()[1].Subject).To(HavePrefix("Invoice "))
	})

	// The rule: semantics 18.2.4.
	It("is forgotten after the days that the account keeps it", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.setting("mail_log_days", 3)
		m.bill(m.buys(nil, "ann"), "5.00")
		m.pass(0)
		forget := func(days int) {
			GinkgoHelper()
			_, err := mail.Forget(m.ctx, m.store, time.Now().AddDate(0, 0, days))
			Expect(err).NotTo(HaveOccurred())
		}
		forget(2)
		Expect(m.log()).To(HaveLen(1))
		forget(4)
		Expect(m.log()).To(BeEmpty())
	})

	It("is seen in the console, as it was sent, and is sent again there", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		m.bill(m.buys(object{"name": hostile}, "ann"), "5.00")
		m.pass(0)
		d := m.desk(user.RoleOwner)
		id := m.log()[0].ID
		Expect(d.see("/console/mails").links()).To(ContainElement("/console/mails/" + id))
		page := d.see("/console/mails/" + id)
		Expect(page.html).To(ContainSubstring("ann@" + m.domain))
		preview := d.send(http.MethodGet, "/console/mails/"+id+"/html", nil)
		Expect(preview.html).To(Equal(m.log()[0].HTMLBody))
		Expect(preview.header.Get("Content-Security-Policy")).To(Equal("default-src 'none'; style-src 'unsafe-inline'; sandbox"))
		Expect(d.submit("/console/mails/"+id, map[string][]string{}).status).To(Equal(http.StatusSeeOther))
		m.pass(time.Minute)
		Expect(m.got()).To(HaveLen(2))
		Expect(m.desk(user.RoleReader).submit("/console/mails/"+id, map[string][]string{}).status).To(Equal(http.StatusNotFound))
		other := m.account("test").desk(user.RoleOwner)
		for _, path := range []string{"/console/mails/" + id, "/console/mails/" + id + "/html"} {
			Expect(other.send(http.MethodGet, path, nil).status).To(Equal(http.StatusNotFound))
		}

		By("changing a template")
		path := "/console/mail-templates/invoice_issued"
		Expect(d.see("/console/mail-templates").links()).To(ContainElement(path))
		Expect(d.see(path).html).To(ContainSubstring("{{payment_note}}"))
		refused := d.submit(path, map[string][]string{"subject": {"{{secret}}"}, "body": {"x"}})
		Expect(refused.html).To(ContainSubstring("may use the values"))
		Expect(d.submit(path, map[string][]string{"subject": {"Bill {{invoice_number}}"}, "body": {"Pay."}}).status).To(Equal(http.StatusSeeOther))
		Expect(d.send(http.MethodGet, path+"/html", nil).html).To(ContainSubstring("Pay."))
		m.bill(m.buys(nil, "bob"), "5.00")
		Expect(m.log()[1].Subject).To(HavePrefix("Bill "))
		Expect(m.desk(user.RoleFinance).submit(path, map[string][]string{"subject": {"x"}, "body": {"x"}}).status).To(Equal(http.StatusNotFound))
		Expect(d.submit(path, map[string][]string{"reset": {"yes"}}).status).To(Equal(http.StatusSeeOther))
		Expect(d.see(path).html).To(ContainSubstring("{{payment_note}}"))
	})
})

// name is that of the account.
func (m *mailFixture) name() (name string) {
	GinkgoHelper()
	m.tx(func(tx *store.Tx) error {
		return tx.Raw("SELECT name FROM accounts WHERE id = ?", tx.AccountID).Scan(&name).Error
	})
	return name
}

// partsOf are the parts of a message by their types.
func partsOf(contentType string, body io.Reader) map[string]string {
	GinkgoHelper()
	media, params, err := mime.ParseMediaType(contentType)
	Expect(err).NotTo(HaveOccurred())
	Expect(media).To(Equal("multipart/alternative"))
	parts := map[string]string{}
	for reader := multipart.NewReader(body, params["boundary"]); ; {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		Expect(err).NotTo(HaveOccurred())
		Expect(part.Header.Get("Content-Transfer-Encoding")).To(Equal("quoted-printable"))
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		Expect(err).NotTo(HaveOccurred())
		media, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		Expect(err).NotTo(HaveOccurred())
		parts[media] = string(text)
	}
}

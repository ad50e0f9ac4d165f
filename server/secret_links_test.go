package server_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/server/mails"
	"tollkeeper/store"
)

// An address that opens something is a key: a log that has one gives it to who reads the log.
var _ = Describe("Links that are keys", func() {
	It("stand in no log, whatever is asked and whatever fails, at the level debug", func() {
		m := newMailFixture("2025-03-01T00:00:00Z")
		log := gbytes.NewBuffer()
		s := server.New(server.Config{
			Store: m.store, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), PublicURL: "https://bill.test", StrangersPerSecond: -1,
		})
		listener := httptest.NewServer(s.Handler())
		DeferCleanup(listener.Close)
		asked := *m.api
		asked.url = listener.URL

		buyer := m.buys(nil, "ann")
		page := m.bill(buyer, "20.00").text("hosted_invoice_url")
		session := m.post("/v1/customers/"+buyer+"/portal_sessions", object{}).expect(201).text("url")
		m.setting("portal_links", true)
		permanent := m.get("/v1/customers/" + buyer).expect(200).text("portal_url")
		person := m.desk(user.RoleOwner)
		var invitation string
		m.tx(func(tx *store.Tx) (err error) {
			_, invitation, err = user.Invite(tx, "jon@"+m.domain, user.RoleFinance)
			return err
		})
		reset, err := user.StartReset(context.Background(), m.store, person.person, false)
		Expect(err).NotTo(HaveOccurred())
		secrets := map[string]string{
			"the page of an invoice": page, "the portal": session, "the permanent portal": permanent,
			"an invitation": listener.URL + "/console/invitation/" + invitation, "a reset": listener.URL + "/console/reset/" + reset,
		}
		tokens := map[string]string{}
		for name, address := range secrets {
			tokens[name] = address[strings.LastIndex(address, "/")+1:]
		}

		everywhere := func() {
			for _, address := range secrets {
				for _, below := range []string{"", "x", ".pdf", ".xml", "/receipt.pdf", "/brand.css", "/logo", "/usage", "/credits", "/invoices", "/nothing", "/%00", "?cursor=nope"} {
					asked.open(address + below)
				}
				for _, below := range []string{"", "/details", "/link", "/end"} {
					asked.visit(http.MethodPost, address+below, url.Values{"country": {"xxx"}, "password": {"short"}})
				}
			}
		}
		everywhere()

		By("where the database fails, and where a page panics")
		m.owner("ALTER TABLE link_secrets RENAME TO link_secrets_gone")
		m.owner("ALTER TABLE portal_sessions RENAME TO portal_sessions_gone")
		everywhere()
		m.owner("ALTER TABLE link_secrets_gone RENAME TO link_secrets")
		m.owner("ALTER TABLE portal_sessions_gone RENAME TO portal_sessions")

		By("where a mail with a link cannot be sent")
		m.post("/v1/customers/"+buyer+"/portal_sessions", object{}).expect(201)
		Expect(asked.visit(http.MethodPost, session+"/link", url.Values{}).status).To(Equal(200))
		m.office.atEnd = func() error { return errors.New("cut off") }
		smtp, err := mails.ParseSMTP("smtp://"+m.office.address+"?tls=off", "")
		Expect(err).NotTo(HaveOccurred())
		cfg := s.MailSender(func() time.Time { return time.Now().Add(time.Minute) }).Config
		cfg.SMTP = smtp
		Expect(mails.NewSender(cfg).Pass(context.Background())).To(Succeed())
		for k, body := range m.office.bodies {
			at := strings.Index(body, "/portal/s_")
			if at > 0 {
				tokens[fmt.Sprint("the mailed portal ", k)] = body[at+len("/portal/s_") : at+len("/portal/s_")+40]
			}
		}

		written := string(log.Contents())
		Expect(written).To(And(ContainSubstring("path=/i/:token"), ContainSubstring("path=/portal/:token"), ContainSubstring("path=/console/reset/:token"), ContainSubstring("level=ERROR")))
		Expect(written).To(ContainSubstring("a mail was not sent"))
		for name, token := range tokens {
			secret := token
			if strings.HasPrefix(token, "i_") || strings.HasPrefix(token, "p_") { // ids come before the code
				secret = token[42:]
			} else if strings.HasPrefix(token, "s_") {
				secret = token[22:]
			}
			Expect(len(secret)).To(BeNumerically(">=", 20), name)
			Expect(written).NotTo(ContainSubstring(secret), name)
		}
	})
})

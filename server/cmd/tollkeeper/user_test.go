package main

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/audit"
	"tollkeeper/domain/user"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("The command line for people", func() {
	var st *store.Store
	var ours account.Account
	ctx := context.Background()

	BeforeEach(func() {
		st = storetest.New()
		set("TOLLKEEPER_DATABASE_URL", storetest.URL(st))
		set("TOLLKEEPER_ADDR", "127.0.0.1:4711")
		var err error
		ours, err = account.Create(ctx, st, account.New{Name: "Ours", Mode: account.ModeTest})
		Expect(err).NotTo(HaveOccurred())
	})

	// said is what a command prints.
	said := func(args ...string) string {
		GinkgoHelper()
		var out bytes.Buffer
		Expect(run(ctx, append([]string{"user"}, args...), &out)).To(Succeed())
		return out.String()
	}
	// token is that of the link that a command prints.
	token := func(path string, args ...string) string {
		GinkgoHelper()
		var made struct{ ID, Link string }
		Expect(json.Unmarshal([]byte(said(append(args, "--json")...)), &made)).To(Succeed())
		Expect(made.Link).To(HavePrefix("http://127.0.0.1:4711" + path))
		return strings.TrimPrefix(made.Link, "http://127.0.0.1:4711"+path)
	}
	logged := func() (actions []string) {
		GinkgoHelper()
		Expect(st.View(store.WithAccount(ctx, ours.ID), func(tx *store.Tx) error {
			entries, _, err := audit.List(tx, audit.Filter{}, store.Page{Limit: 100})
			for _, e := range entries {
				actions = append(actions, e.Action+" "+string(e.Actor.Type))
			}
			return err
		})).To(Succeed())
		return actions
	}
	const phrase = "seven herons cross the brook"

	It("makes, invites, resets and removes them, each in the audit log of the account", func() {
		link := token("/console/reset/", "create", "mira@ours.example", "--name", "Mira", "--account", ours.ID)
		Expect(user.Reset(ctx, st, link, phrase, user.Request{})).To(Succeed())
		_, _, err := user.SignIn(ctx, st, "mira@ours.example", phrase, user.Request{})
		Expect(err).NotTo(HaveOccurred())

		link = token("/console/invitation/", "invite", "jon@ours.example", "--account", ours.ID, "--role", "finance")
		_, err = user.JoinAsNew(ctx, st, link, user.New{Name: "Jon", Password: phrase}, user.Request{})
		Expect(err).NotTo(HaveOccurred())
		Expect(said("list")).To(MatchRegexp(`jon@ours\.example +Jon +off +\S+ +` + ours.ID + ` +finance`))

		link = token("/console/reset/", "reset", "Jon@ours.example")
		Expect(user.Reset(ctx, st, link, phrase, user.Request{})).To(Succeed())

		Expect(said("remove", "jon@ours.example", "--account", ours.ID)).To(Equal("jon@ours.example is removed\n"))
		Expect(said("list")).To(MatchRegexp(`jon@ours\.example +Jon +off +\S+ +- +-`))
		said("remove", "jon@ours.example")
		Expect(said("list")).NotTo(ContainSubstring("jon@ours.example"))
		Expect(run(ctx, []string{"user", "remove", "mira@ours.example", "--account", ours.ID}, GinkgoWriter)).
			To(MatchError(ContainSubstring("an account needs an owner")))
		said("remove", "mira@ours.example")
		Expect(logged()).To(Equal([]string{
			"user remove command", "user remove command", "resetPassword person", "user reset command", "joinAccount person", "user invite command", "signIn person",
			"resetPassword person", "user create command",
		}))
	})

	It("mails links where a mail server and a sender are set up", func() {
		Expect(run(ctx, []string{"user", "invite", "jon@ours.example", "--account", ours.ID, "--role", "finance", "--mail"}, GinkgoWriter)).
			To(MatchError(ContainSubstring("set TOLLKEEPER_SMTP_URL and TOLLKEEPER_MAIL_FROM")))
		box := openMailbox()
		set("TOLLKEEPER_SMTP_URL", "smtp://"+box.address+"?tls=off")
		set("TOLLKEEPER_MAIL_FROM", "Billing <billing@ours.example>")
		Expect(said("invite", "jon@ours.example", "--account", ours.ID, "--role", "finance", "--mail")).To(Equal("a link is mailed to jon@ours.example; it works once, for three days\n"))
		var text string
		Expect(box.taken).To(Receive(&text))
		Expect(text).To(And(ContainSubstring("To: <jon@ours.example>"), ContainSubstring("multipart/alternative")))
		unfolded := strings.ReplaceAll(text, "=\r\n", "")
		link := regexp.MustCompile(`/console/invitation/([\w-]+)`).FindStringSubmatch(unfolded)
		Expect(link).To(HaveLen(2))
		_, err := user.JoinAsNew(ctx, st, link[1], user.New{Name: "Jon", Password: phrase}, user.Request{})
		Expect(err).NotTo(HaveOccurred())
		said("reset", "jon@ours.example", "--mail")
		Expect(box.taken).To(Receive(ContainSubstring("Choose a new password")))
		box.close()
		Expect(run(ctx, []string{"user", "reset", "jon@ours.example", "--mail"}, GinkgoWriter)).To(MatchError(ContainSubstring("connect to the mail server")))
	})

	It("refuses what is no address, role, account or person", func() {
		for word, args := range map[string][]string{
			"email: must be":            {"create", "mira", "--name", "Mira", "--account", ours.ID},
			"role: must be one of":      {"invite", "mira@ours.example", "--account", ours.ID, "--role", "admin"},
			"type Account with":         {"create", "mira@ours.example", "--name", "Mira", "--account", "acct_none"},
			"Person with identifier: x": {"reset", "x"},
			"Person with identifier: y": {"remove", "y"},
		} {
			Expect(run(ctx, append([]string{"user"}, args...), GinkgoWriter)).To(MatchError(ContainSubstring(word)))
		}
	})
})

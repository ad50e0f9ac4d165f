package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/pquerna/otp/totp"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/user"
	"tollkeeper/server/console"
	"tollkeeper/store"
)

var _ = Describe("The console", func() {
	var s *site
	BeforeEach(func() { s = newSite() })

	It("leads who is not signed in to the sign-in, and back", func() {
		b := s.browser()
		s.setUp()
		b.get("/console").leads("/console/login")
		b.get("/console/customers?status=late&x=1").leads("/console/login?next=%2Fconsole%2Fcustomers%3Fstatus%3Dlate%26x%3D1")
		b.get("/console/login?next=%2Fconsole%2Fcustomers%3Fstatus%3Dlate%26x%3D1").expect(200)
		b.submit("/console/login", url.Values{"email": {"mira@ours.example"}, "password": {phrase}, "next": {"/console/customers?status=late&x=1"}}).
			leads("/console/customers?status=late&x=1")
		b.get("/console").expect(200)
		b.get("/console/login").leads("/console")
	})

	It("ends the session at the sign-out, in the database too", func() {
		b := s.setUp()
		b.get("/console").expect(200)
		kept := b.client.Jar.Cookies(must(url.Parse(s.url + "/console")))
		out := b.submit("/console/logout", url.Values{})
		out.leads("/console/login")
		Expect(out.cookie("tollkeeper_session").MaxAge).To(BeNumerically("<", 0))
		b.get("/console").leads("/console/login")
		thief := s.browser()
		thief.client.Jar.SetCookies(must(url.Parse(s.url+"/console")), kept)
		thief.get("/console").leads("/console/login")
	})

	It("makes the first owner by a link that works once", func() {
		token, err := user.OpenSetup(context.Background(), s.store)
		Expect(err).NotTo(HaveOccurred())
		b := s.browser()
		b.get("/console/setup").expect(404)
		b.get("/console/setup?token=another").expect(404)
		b.get("/console/setup?token=" + token).expect(200)
		refused := b.submit("/console/setup", url.Values{"token": {token}, "name": {"<b>Mira"}, "email": {"mira"}, "password": {"tollkeeper1"}})
		refused.expect(400)
		Expect(refused.text).To(ContainSubstring("&lt;b&gt;Mira"))
		Expect(refused.text).To(ContainSubstring("Must have at least 12 characters"))
		Expect(refused.text).To(ContainSubstring("Must be an email address"))
		Expect(refused.text).NotTo(ContainSubstring("tollkeeper1"), "a password is not shown again")
		b.submit("/console/setup", url.Values{"token": {token}, "name": {"Mira"}, "email": {"mira@ours.example"}, "password": {phrase}}).leads("/console")
		Expect(b.get("/console").expect(200).text).To(ContainSubstring("Mira"))
		s.browser().get("/console/setup?token=" + token).expect(404)
		Expect(s.store.View(store.WithAccount(context.Background(), s.account.ID), func(tx *store.Tx) error {
			entries, _, err := audit.List(tx, audit.Filter{}, store.Page{Limit: 10})
			Expect(entries[0].Action).To(Equal("setUp"))
			Expect(entries[0].Actor.Name).To(Equal("Mira"))
			Expect(*entries[0].RequestID).To(HavePrefix("req_"))
			return err
		})).To(Succeed())
	})

	It("lets the invited join: new people by a password, known ones after signing in", func() {
		mira := s.setUp()
		link := s.invite(s.account, "jon@ours.example", user.RoleFinance)
		jon := s.browser()
		Expect(jon.get(link).expect(200).text).To(ContainSubstring("Join Ours"))
		jon.submit(link, url.Values{"name": {"Jon"}, "password": {"short"}}).expect(400)
		jon.submit(link, url.Values{"name": {"Jon"}, "password": {phrase}}).leads("/console")
		jon.get("/console").expect(200)
		s.browser().get(link).expect(404)

		theirs := s.makeAccount("Theirs")
		link = s.invite(theirs, "mira@ours.example", user.RoleReader)
		s.browser().get(link).leads("/console/login?next=" + url.QueryEscape(link))
		Expect(jon.get(link).expect(200).text).To(ContainSubstring("The invitation is for mira@ours.example"))
		jon.submit(link, url.Values{}).expect(400)
		mira.get(link).expect(200)
		mira.submit(link, url.Values{}).leads("/console")
		accounts := mira.get("/console/accounts").expect(200).text
		Expect(accounts).To(ContainSubstring("Ours"))
		Expect(accounts).To(ContainSubstring("Theirs"))
		mira.submit("/console/accounts", url.Values{"account": {s.account.ID}}).leads("/console")
		jon.get("/console/accounts").expect(200)
		jon.submit("/console/accounts", url.Values{"account": {theirs.ID}}).expect(404)
	})

	It("gives a new password by a link, which ends all sessions", func() {
		mira := s.setUp()
		p, err := user.FindByEmail(context.Background(), s.store, "mira@ours.example")
		Expect(err).NotTo(HaveOccurred())
		token, err := user.StartReset(context.Background(), s.store, p.ID, false)
		Expect(err).NotTo(HaveOccurred())
		b := s.browser()
		b.get("/console/reset/" + token).expect(200)
		b.submit("/console/reset/"+token, url.Values{"password": {"password1234"}}).expect(400)
		b.submit("/console/reset/"+token, url.Values{"password": {another}}).leads("/console/login")
		mira.get("/console").leads("/console/login")
		b.get("/console/reset/" + token).expect(404)
		s.browser().signIn("mira@ours.example", phrase).expect(401)
		s.browser().signIn("mira@ours.example", another).leads("/console")
	})

	It("asks for the second factor before anything else", func() {
		s.setUp()
		p, err := user.FindByEmail(context.Background(), s.store, "mira@ours.example")
		Expect(err).NotTo(HaveOccurred())
		session := user.Session{Person: p}
		k, err := session.BeginSecondFactor(context.Background(), s.store)
		Expect(err).NotTo(HaveOccurred())
		_, err = session.ConfirmSecondFactor(context.Background(), s.store, phrase, must(totp.GenerateCode(k.Secret, time.Now())), user.Request{})
		Expect(err).NotTo(HaveOccurred())

		b := s.browser()
		b.signIn("mira@ours.example", phrase).leads("/console/second-factor?next=%2Fconsole")
		b.get("/console").leads("/console/login")
		b.get("/console/second-factor?next=%2Fconsole").expect(200)
		b.submit("/console/second-factor", url.Values{"code": {"000000"}}).expect(401)
		b.submit("/console/second-factor", url.Values{"code": {must(totp.GenerateCode(k.Secret, time.Now().Add(30*time.Second)))}, "next": {"/console"}}).leads("/console")
		b.get("/console").expect(200)
		b.get("/console/second-factor").leads("/console/login")
	})

	It("answers 404 in HTML where there is nothing, and leads away who belongs to no account", func() {
		mira := s.setUp()
		nothing := mira.get("/console/nothing/here").expect(404)
		Expect(nothing.Header.Get("Content-Type")).To(HavePrefix("text/html"))
		s.exec("DELETE FROM memberships")
		mira.get("/console").leads("/console/accounts")
		Expect(mira.get("/console/accounts").expect(200).text).To(ContainSubstring("You belong to no account"))
	})
})

func must[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}

var _ = Describe("The console is safe from", func() {
	var s *site
	BeforeEach(func() { s = newSite() })

	It("scripts and frames of others: headers of every page", func() {
		mira := s.setUp()
		for _, path := range []string{"/console", "/console/login", "/console/accounts", "/console/nothing", "/console/setup?token=x", "/console/reset/x", "/console/invitation/x"} {
			for _, b := range []*browser{mira, s.browser()} {
				h := b.get(path).Header
				Expect(h.Get("Content-Security-Policy")).To(HavePrefix("default-src 'none'; style-src 'self'; script-src 'self';"), path)
				Expect(h.Get("Content-Security-Policy")).To(HaveSuffix("frame-ancestors 'none'"), path)
				Expect(h.Get("Content-Security-Policy")).NotTo(ContainSubstring("unsafe"))
				Expect(h.Get("X-Frame-Options")).To(Equal("DENY"), path)
				Expect(h.Get("X-Content-Type-Options")).To(Equal("nosniff"), path)
				Expect(h.Get("Referrer-Policy")).To(Equal("same-origin"), path)
				Expect(h.Get("Cache-Control")).To(Equal("no-store"), path)
			}
		}
		for _, path := range []string{"/console/login", "/console/accounts"} {
			text := mira.get(path).text + s.browser().get(path).text
			Expect(text).NotTo(ContainSubstring("style="))
			Expect(text).NotTo(MatchRegexp(`<script>|<style|\son\w+=|javascript:`))
		}
	})

	DescribeTable("forms of other sites",
		func(change func(b *browser, form url.Values)) {
			mira := s.setUp()
			mira.get("/console").expect(200)
			form := url.Values{"csrf": {mira.form}}
			change(mira, form)
			refused := mira.submit("/console/logout", form).expect(403)
			Expect(refused.text).To(ContainSubstring("Nothing was saved"))
			mira.header = http.Header{}
			mira.get("/console").expect(200)
		},
		Entry("without a token", func(_ *browser, form url.Values) { form.Set("csrf", "") }),
		Entry("with a token that is made up", func(_ *browser, form url.Values) { form.Set("csrf", strings.Repeat("a", 43)) }),
		Entry("with the token of another session", func(b *browser, form url.Values) {
			other := b.site.browser()
			other.signIn("mira@ours.example", phrase).leads("/console")
			other.get("/console").expect(200)
			form.Set("csrf", other.form)
		}),
		Entry("as browsers name them", func(b *browser, _ url.Values) { b.header.Set("Sec-Fetch-Site", "cross-site") }),
		Entry("on the same domain", func(b *browser, _ url.Values) { b.header.Set("Sec-Fetch-Site", "same-site") }),
	)

	It("being signed in as somebody else by another site", func() {
		s.setUp()
		b := s.browser()
		form := url.Values{"email": {"mira@ours.example"}, "password": {phrase}}
		form.Set("csrf", "")
		b.submit("/console/login", form).expect(403)
		stranger := s.browser()
		stranger.get("/console/login").expect(200)
		form.Set("csrf", stranger.form)
		b.submit("/console/login", form).expect(403)
		b.get("/console/login").expect(200)
		b.submit("/console/login", form).expect(403)
	})

	It("sessions that were planted: each sign-in begins another, and ends the one before", func() {
		s.setUp()
		b := s.browser()
		home := must(url.Parse(s.url + "/console"))
		b.client.Jar.SetCookies(home, []*http.Cookie{{Name: "tollkeeper_session", Value: "planted", Path: "/console"}})
		first := b.signIn("mira@ours.example", phrase).leads("/console").cookie("tollkeeper_session")
		Expect(first.Value).To(HaveLen(43))
		Expect(first.Value).NotTo(Equal("planted"))
		planted := s.browser()
		planted.client.Jar.SetCookies(home, []*http.Cookie{{Name: "tollkeeper_session", Value: "planted", Path: "/console"}})
		planted.get("/console").leads("/console/login")

		b.get("/console").expect(200)
		other := s.browser() // a form of one who is signed in already, in another tab
		other.get("/console/login")
		other.client.Jar.SetCookies(home, []*http.Cookie{{Name: "tollkeeper_session", Value: first.Value, Path: "/console"}})
		second := other.submit("/console/login", url.Values{"email": {"mira@ours.example"}, "password": {phrase}}).leads("/console").cookie("tollkeeper_session")
		Expect(second.Value).NotTo(Equal(first.Value))
		b.get("/console").leads("/console/login")
	})

	DescribeTable("being a way to other sites",
		func(next string) {
			s.setUp()
			b := s.browser()
			b.get("/console/login?next=" + url.QueryEscape(next)).expect(200)
			b.submit("/console/login", url.Values{"email": {"mira@ours.example"}, "password": {phrase}, "next": {next}}).leads("/console")
			b.get("/console/login?next=" + url.QueryEscape(next)).leads("/console")
		},
		Entry("by an address", "https://evil.example/console"),
		Entry("by an address without a scheme", "//evil.example/console"),
		Entry("by backslashes", `/\evil.example`),
		Entry("by backslashes in the console", `/console\..\..\evil`),
		Entry("by a script", "javascript:alert(1)"),
		Entry("by a path outside", "/v1/customers"),
		Entry("by a path that begins like the console", "/consoles.example"),
		Entry("by a path that leaves", "/console/../docs"),
		Entry("by a path that leaves, escaped", "/console/%2e%2e/docs"),
		Entry("by a line break", "/console/\r\nSet-Cookie: a=b"),
		Entry("by a user", "//mira@evil.example/console"),
	)

	It("telling who has an account here", func() {
		s.setUp()
		answer := func(email string) (all []string) {
			b := s.browser()
			for attempt := range 6 {
				if attempt == 5 {
					s.exec("UPDATE sign_in_failures SET paused_until = clock_timestamp() + interval '20 seconds' WHERE paused_until IS NOT NULL")
				}
				p := b.signIn(email, another)
				text := strings.ReplaceAll(p.text, email, "EMAIL")
				text = formToken.ReplaceAllString(text, "")
				text = regexp.MustCompile(`in \d+ seconds?`).ReplaceAllString(text, "")
				all = append(all, p.Status+strconv.FormatBool(p.Header.Get("Retry-After") != "")+text)
			}
			return all
		}
		Expect(answer("mira@ours.example")).To(Equal(answer("nobody@ours.example")))
	})

	It("guessing: each attempt waits after five failures, in the browsers of strangers", func() {
		mira := s.setUp()
		b := s.browser()
		for range 4 {
			Expect(b.signIn("mira@ours.example", another).expect(401).text).To(ContainSubstring("This does not match<"))
		}
		last := b.signIn("mira@ours.example", another).expect(401)
		Expect(last.text).To(ContainSubstring("This does not match; the next try is looked at in 1 second<"))
		Expect(last.Header.Get("Retry-After")).To(Equal("1"))
		s.exec("UPDATE sign_in_failures SET paused_until = clock_timestamp() + interval '20 seconds' WHERE paused_until IS NOT NULL")
		held := b.signIn("mira@ours.example", phrase).expect(429)
		Expect(strconv.Atoi(held.Header.Get("Retry-After"))).To(BeNumerically("<=", 20))
		Expect(held.text).To(ContainSubstring("Too many attempts failed, so this one was not looked at; try again in"))

		mira.get("/console").expect(200)
		mira.submit("/console/logout", url.Values{}).leads("/console/login")
		mira.signIn("mira@ours.example", phrase).leads("/console")
	})

	It("cookies that are kept: that of a browser that is known opens nothing", func() {
		known := func(p page) *http.Cookie {
			GinkgoHelper()
			c := p.leads("/console").cookie("tollkeeper_known")
			Expect(c).NotTo(BeNil())
			Expect(c.HttpOnly).To(BeTrue())
			Expect(c.SameSite).To(Equal(http.SameSiteLaxMode))
			Expect(c.Path).To(Equal("/console"))
			Expect(c.MaxAge).To(Equal(400 * 24 * 60 * 60))
			return c
		}
		s.setUp()
		Expect(known(s.browser().signIn("mira@ours.example", phrase)).Secure).To(BeFalse())
		b := s.browser()
		b.header.Set("X-Forwarded-Proto", "https") // the proxy is trusted
		kept := known(b.signIn("mira@ours.example", phrase))
		Expect(kept.Secure).To(BeTrue())
		thief := s.browser()
		thief.client.Jar.SetCookies(must(url.Parse(s.url+"/console")), []*http.Cookie{{Name: "tollkeeper_known", Value: kept.Value, Path: "/console"}})
		thief.get("/console").leads("/console/login")
		Expect(s.browser().signIn("mira@ours.example", another).expect(401).cookie("tollkeeper_known")).To(BeNil())
	})

	It("many who try passwords at once: the others are told when to come again", func() {
		told := console.Answered(fmt.Errorf("sign in: %w", user.ErrBusy))
		Expect(told.Code).To(Equal(http.StatusServiceUnavailable))
		Expect(told.Header().Get("Retry-After")).To(Equal("5"))
		Expect(told.Body.String()).To(ContainSubstring("Nothing was changed. Try again in 5 seconds."))
	})

	It("stolen cookies: they are for the server, the console and TLS", func() {
		s.setUp()
		b := s.browser()
		plain := b.signIn("mira@ours.example", phrase).cookie("tollkeeper_session")
		Expect(plain.HttpOnly).To(BeTrue())
		Expect(plain.SameSite).To(Equal(http.SameSiteLaxMode))
		Expect(plain.Path).To(Equal("/console"))
		Expect(plain.Secure).To(BeFalse())
		Expect(plain.MaxAge).To(BeZero())

		b = s.browser()
		b.get("/console/login").expect(200)
		b.header.Set("X-Forwarded-Proto", "https") // the proxy is trusted
		kept := b.submit("/console/login", url.Values{"email": {"mira@ours.example"}, "password": {phrase}, "keep": {"true"}}).cookie("tollkeeper_session")
		Expect(kept.Secure).To(BeTrue())
		Expect(kept.MaxAge).To(Equal(30 * 24 * 60 * 60))
	})
})

var _ = Describe("The page of one's own sign-in", func() {
	It("changes the password, and ends sessions", func() {
		s := newSite()
		mira := s.setUp()
		other := s.browser()
		other.signIn("mira@ours.example", phrase).leads("/console")
		mira.get("/console/you").expect(200)
		mira.submit("/console/you/password", url.Values{"current": {another}, "password": {another}}).expect(401)
		mira.submit("/console/you/password", url.Values{"current": {phrase}, "password": {"short"}}).expect(400)
		mira.submit("/console/you/password", url.Values{"current": {phrase}, "password": {another}}).leads("/console/you?done=password")
		other.get("/console").leads("/console/login")
		mira.get("/console/you").expect(200)

		other.signIn("mira@ours.example", another).leads("/console")
		sessions := must(user.Sessions(context.Background(), s.store, must(user.FindByEmail(context.Background(), s.store, "mira@ours.example")).ID))
		Expect(sessions).To(HaveLen(2))
		mira.submit("/console/you/sessions/"+sessions[0].ID, url.Values{}).leads("/console/you")
		other.get("/console").leads("/console/login")
		mira.submit("/console/you/sessions/sess_none", url.Values{}).expect(404)
		other.signIn("mira@ours.example", another).leads("/console")
		mira.submit("/console/you/sessions", url.Values{}).leads("/console/you")
		other.get("/console").leads("/console/login")
	})

	It("switches the second factor on and off", func() {
		s := newSite()
		mira := s.setUp()
		shown := mira.get("/console/you/second-factor").expect(200).text
		secret := regexp.MustCompile(`[A-Z2-7]{32}`).FindString(shown)
		Expect(mira.get("/console/you/second-factor.png").expect(200).Header.Get("Content-Type")).To(Equal("image/png"))
		mira.submit("/console/you/second-factor", url.Values{"proof": {phrase}, "code": {"000000"}}).expect(401)
		mira.submit("/console/you/second-factor", url.Values{"proof": {another}, "code": {must(totp.GenerateCode(secret, time.Now()))}}).expect(401)
		on := mira.submit("/console/you/second-factor", url.Values{"proof": {phrase}, "code": {must(totp.GenerateCode(secret, time.Now()))}}).expect(200).text
		Expect(regexp.MustCompile(`([a-z2-7]{4}-){3}[a-z2-7]{4}`).FindAllString(on, -1)).To(HaveLen(10))
		Expect(mira.get("/console/you").expect(200).text).To(ContainSubstring("/console/you/second-factor/codes"))
		mira.submit("/console/you/second-factor/codes", url.Values{"renewal": {another}}).expect(401)
		again := mira.submit("/console/you/second-factor/codes", url.Values{"renewal": {phrase}}).expect(200).text
		Expect(regexp.MustCompile(`([a-z2-7]{4}-){3}[a-z2-7]{4}`).FindAllString(again, -1)).To(HaveLen(10))
		mira.submit("/console/you/second-factor/end", url.Values{"proof": {another}}).expect(401)
		mira.submit("/console/you/second-factor/end", url.Values{"proof": {phrase}}).leads("/console/you")
		s.browser().signIn("mira@ours.example", phrase).leads("/console")
	})
})

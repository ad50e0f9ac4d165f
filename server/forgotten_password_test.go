package server_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/server/mails"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("A lost password", func() {
	var st *store.Store
	var office *postOffice
	const password, other = "seven herons cross the brook", "a brook crosses seven herons"
	BeforeEach(func() {
		st = storetest.New()
		office = openPostOffice("127.0.0.1:0")
		ctx := context.Background()
		_, err := account.Create(ctx, st, account.New{Name: "Ours", Mode: account.ModeTest})
		Expect(err).NotTo(HaveOccurred())
		link, err := user.OpenSetup(ctx, st)
		Expect(err).NotTo(HaveOccurred())
		_, err = user.SetUp(ctx, st, link, user.New{Email: "mira@ours.example", Name: "Mira", Password: password}, user.Request{Address: "192.0.2.1"})
		Expect(err).NotTo(HaveOccurred())
	})

	// browser is one at a server of that setting. It keeps cookies and follows no redirect.
	browser := func(cfg server.Config) func(method, path string, form url.Values) (int, string) {
		GinkgoHelper()
		cfg.Store, cfg.Logger = st, slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		listener := httptest.NewServer(server.New(cfg).Handler())
		DeferCleanup(listener.Close)
		jar, err := cookiejar.New(nil)
		Expect(err).NotTo(HaveOccurred())
		client := http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		token := ""
		return func(method, path string, form url.Values) (int, string) {
			GinkgoHelper()
			if form != nil && !form.Has("csrf") {
				form.Set("csrf", token)
			}
			request, err := http.NewRequest(method, listener.URL+path, strings.NewReader(form.Encode()))
			Expect(err).NotTo(HaveOccurred())
			request.Host = "evil.example" // links do not begin with what a request says
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			answer, err := client.Do(request)
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = answer.Body.Close() }()
			text, err := io.ReadAll(answer.Body)
			Expect(err).NotTo(HaveOccurred())
			if found := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindSubmatch(text); found != nil {
				token = string(found[1])
			}
			return answer.StatusCode, string(text)
		}
	}
	mailing := func() server.Config {
		smtp, err := mails.ParseSMTP("smtp://"+office.address+"?tls=off", "Tollkeeper <toll@ours.example>")
		Expect(err).NotTo(HaveOccurred())
		return server.Config{SMTP: smtp, PublicURL: "https://console.test"}
	}
	got := func() (bodies []string) {
		office.mu.Lock()
		defer office.mu.Unlock()
		return append(bodies, office.bodies...)
	}
	forget := func(visit func(string, string, url.Values) (int, string), email string) (int, string) {
		GinkgoHelper()
		visit("GET", "/console/forgotten", nil)
		return visit("POST", "/console/forgotten", url.Values{"email": {email}})
	}

	It("is replaced by a link that is mailed, once, and ends all sessions", func() {
		visit := browser(mailing())
		session, _, err := user.SignIn(context.Background(), st, "mira@ours.example", password, user.Request{Address: "192.0.2.1"})
		Expect(err).NotTo(HaveOccurred())
		status, _ := forget(visit, " MIRA@ours.example ")
		Expect(status).To(Equal(200))
		Eventually(got).Should(HaveLen(1))
		body := strings.ReplaceAll(got()[0], "=\r\n", "")
		Expect(body).To(ContainSubstring("To: <mira@ours.example>"))
		path := regexp.MustCompile(`https://console\.test(/console/reset/[A-Za-z0-9_-]{43})`).FindStringSubmatch(body)
		Expect(path).NotTo(BeNil(), body)
		Expect(body).NotTo(ContainSubstring("evil.example"))
		status, _ = visit("GET", path[1], nil)
		Expect(status).To(Equal(200))
		status, _ = visit("POST", path[1], url.Values{"password": {other}})
		Expect(status).To(Equal(http.StatusSeeOther))
		_, err = user.FindSession(context.Background(), st, session)
		Expect(err).To(MatchError(user.ErrNoSession))
		status, _ = visit("GET", path[1], nil)
		Expect(status).To(Equal(404))
		_, _, err = user.SignIn(context.Background(), st, "mira@ours.example", other, user.Request{Address: "192.0.2.1"})
		Expect(err).NotTo(HaveOccurred())
	})

	It("is answered the same for an address that nobody has, also when there were too many, of which no more are mailed", func() {
		known, unknown := browser(mailing()), browser(mailing())
		masked := regexp.MustCompile(`value="[^"]*"`)
		for range 5 {
			status, text := forget(known, "mira@ours.example")
			otherStatus, otherText := forget(unknown, "nobody@ours.example")
			Expect(status).To(Equal(200))
			Expect(otherStatus).To(Equal(status))
			Expect(masked.ReplaceAllString(otherText, "")).To(Equal(masked.ReplaceAllString(text, "")))
		}
		Eventually(got).Should(HaveLen(3))
		Consistently(got, "300ms").Should(HaveLen(3))
		for _, body := range got() {
			Expect(body).To(ContainSubstring("To: <mira@ours.example>"))
			path := regexp.MustCompile(`/console/reset/[A-Za-z0-9_-]{43}`).FindString(strings.ReplaceAll(body, "=\r\n", ""))
			status, _ := known("GET", path, nil)
			Expect(status).To(Equal(200), "each link works, also after others were asked for")
		}
		hold(st)
		status, text := forget(known, "nobody@ours.example") // the eleventh of the network
		Expect(status).To(Equal(http.StatusTooManyRequests), text)
		Expect(text).To(MatchRegexp(`Too many links were asked for from your network\. Try again in \d+ seconds?\.`))
	})

	It("is answered while the mail server does not answer", func() {
		cfg := mailing()
		office.close()
		status, _ := forget(browser(cfg), "mira@ours.example")
		Expect(status).To(Equal(200))
	})

	It("needs a form of this server, and an address", func() {
		visit := browser(mailing())
		visit("GET", "/console/forgotten", nil)
		status, _ := visit("POST", "/console/forgotten", url.Values{"email": {"mira@ours.example"}, "csrf": {"x"}})
		Expect(status).To(Equal(403))
		for _, bad := range []string{"", strings.Repeat("a", 400)} {
			status, _ = forget(visit, bad)
			Expect(status).To(Equal(400))
		}
		Expect(got()).To(BeEmpty())
	})

	It("is for the operator where no mail to people is set up", func() {
		for _, cfg := range []server.Config{{}, {SMTP: mailing().SMTP}, {PublicURL: "https://console.test"}} {
			visit := browser(cfg)
			status, text := visit("GET", "/console/forgotten", nil)
			Expect(status).To(Equal(200))
			Expect(text).To(ContainSubstring("tollkeeper user reset"))
			visit("GET", "/console/login", nil)
			status, _ = visit("POST", "/console/forgotten", url.Values{"email": {"mira@ours.example"}})
			Expect(status).To(Equal(404))
		}
		Expect(got()).To(BeEmpty())
	})
})

// hold has whatever waits for an attempt wait 20 seconds from now: what a spec does meanwhile may take a while.
func hold(st *store.Store) {
	GinkgoHelper()
	Expect(st.AsOwner(context.Background(), func(db *gorm.DB) error {
		return db.Exec("UPDATE sign_in_failures SET paused_until = clock_timestamp() + interval '20 seconds' WHERE paused_until IS NOT NULL").Error
	})).To(Succeed())
}

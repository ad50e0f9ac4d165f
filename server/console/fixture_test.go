package console_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/account"
	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// Passwords that are not guessed first.
const (
	phrase  = "seven herons cross the brook"
	another = "a brook crosses seven herons"
)

// site is a server with one account.
type site struct {
	store   *store.Store
	url     string
	account account.Account
}

func newSite() *site {
	GinkgoHelper()
	s := &site{store: storetest.New()}
	served := server.New(server.Config{Store: s.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	listener := httptest.NewServer(served.Handler())
	DeferCleanup(listener.Close)
	s.url = listener.URL
	s.account = s.makeAccount("Ours")
	return s
}

func (s *site) makeAccount(name string) account.Account {
	GinkgoHelper()
	a, err := account.Create(context.Background(), s.store, account.New{Name: name, Mode: account.ModeTest})
	Expect(err).NotTo(HaveOccurred())
	return a
}

// exec runs a statement as the owner of the database.
func (s *site) exec(sql string, args ...any) {
	GinkgoHelper()
	Expect(s.store.AsOwner(context.Background(), func(db *gorm.DB) error { return db.Exec(sql, args...).Error })).To(Succeed())
}

// setUp makes the first owner, and returns their browser.
func (s *site) setUp() *browser {
	GinkgoHelper()
	token, err := user.OpenSetup(context.Background(), s.store)
	Expect(err).NotTo(HaveOccurred())
	b := s.browser()
	b.get("/console/setup?token=" + token).expect(200)
	b.submit("/console/setup", url.Values{"token": {token}, "name": {"Mira"}, "email": {"mira@ours.example"}, "password": {phrase}}).leads("/console")
	return b
}

// invite returns the path of a link into an account.
func (s *site) invite(a account.Account, email string, role user.Role) string {
	GinkgoHelper()
	var token string
	Expect(s.store.Update(store.WithAccount(context.Background(), a.ID), func(tx *store.Tx) (err error) {
		_, token, err = user.Invite(tx, email, role)
		return err
	})).To(Succeed())
	return "/console/invitation/" + token
}

// browser keeps cookies and follows no redirect.
type browser struct {
	site   *site
	client *http.Client
	header http.Header // of each request
	form   string      // the token of the form that was shown last
}

func (s *site) browser() *browser {
	GinkgoHelper()
	jar, err := cookiejar.New(nil)
	Expect(err).NotTo(HaveOccurred())
	return &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}, ""}
}

// page is an answer.
type page struct {
	*http.Response
	text string
}

var formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func (b *browser) send(method, path string, form url.Values) page {
	GinkgoHelper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequest(method, b.site.url+path, body)
	Expect(err).NotTo(HaveOccurred())
	request.Header = b.header.Clone()
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := b.client.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	if found := formToken.FindSubmatch(text); found != nil {
		b.form = string(found[1])
	}
	return page{response, string(text)}
}

func (b *browser) get(path string) page {
	GinkgoHelper()
	return b.send(http.MethodGet, path, nil)
}

// submit sends a form with the token of the form that was shown last.
func (b *browser) submit(path string, form url.Values) page {
	GinkgoHelper()
	if !form.Has("csrf") {
		form.Set("csrf", b.form)
	}
	return b.send(http.MethodPost, path, form)
}

// signIn shows the form and sends it.
func (b *browser) signIn(email, password string) page {
	GinkgoHelper()
	b.get("/console/login").expect(200)
	return b.submit("/console/login", url.Values{"email": {email}, "password": {password}})
}

func (p page) expect(status int) page {
	GinkgoHelper()
	Expect(p.StatusCode).To(Equal(status), p.text)
	return p
}

// leads expects a redirect.
func (p page) leads(to string) page {
	GinkgoHelper()
	p.expect(http.StatusSeeOther)
	Expect(p.Header.Get("Location")).To(Equal(to))
	return p
}

// cookie is one that the answer sets.
func (p page) cookie(name string) *http.Cookie {
	for _, c := range p.Cookies() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

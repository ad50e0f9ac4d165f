package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
	"tollkeeper/store"
)

// desk is the console as a member of an account sees it.
type desk struct {
	*api
	cookie string
	client *http.Client
	person string
}

// desk signs somebody in who has that role in the account.
func (a *api) desk(role user.Role) desk {
	GinkgoHelper()
	email := store.Random(10) + "@ours.example"
	var invitation string
	a.tx(func(tx *store.Tx) (err error) {
		_, invitation, err = user.Invite(tx, email, role)
		return err
	})
	ctx := context.Background()
	token, err := user.JoinAsNew(ctx, a.store, invitation, user.New{Email: email, Name: "Mira Kovač", Password: "seven herons cross the brook"}, user.Request{})
	Expect(err).NotTo(HaveOccurred())
	session, err := user.FindSession(ctx, a.store, token)
	Expect(err).NotTo(HaveOccurred())
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return desk{a, "tollkeeper_session=" + token, stay, session.Person.ID}
}

// shown is a page of the console.
type shown struct {
	asked  string
	status int
	header http.Header
	html   string
}

func (d desk) send(method, path string, form url.Values) shown {
	GinkgoHelper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequest(method, d.url+path, body)
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Cookie", d.cookie)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := d.client.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return shown{method + " " + path, response.StatusCode, response.Header, string(text)}
}

// see asks for a page, which must be there, sound, and of this server alone.
func (d desk) see(path string) shown {
	GinkgoHelper()
	page := d.send(http.MethodGet, path, nil)
	Expect(page.status).To(Equal(http.StatusOK), "%s\n%s", page.asked, page.html)
	page.sound()
	return page
}

// submit sends a form with the token of the session.
func (d desk) submit(path string, form url.Values) shown {
	GinkgoHelper()
	form.Set("csrf", user.FormToken(strings.TrimPrefix(d.cookie, "tollkeeper_session=")))
	return d.send(http.MethodPost, path, form)
}

var (
	headings   = regexp.MustCompile(`<h1[ >]`)
	attributes = regexp.MustCompile(`="[^"]*"`)
	inline     = regexp.MustCompile(`(?i)<script>|<style|<[^>]*\s(style|on[a-z]+)=`)
	elsewhere  = regexp.MustCompile(`(?i)(src|href|action)="(https?:)?//`)
	ids        = regexp.MustCompile(`\sid="([^"]*)"`)
	links      = regexp.MustCompile(`href="(/console[^"#]*)`)
	unshown    = regexp.MustCompile(`cannot be shown|could not be`)
)

// sound expects what every page has: a heading, no script or style of its own, nothing of
// another host, no id twice, and at most 50 KB when compressed.
func (s shown) sound() {
	GinkgoHelper()
	Expect(headings.FindAllString(s.html, -1)).To(HaveLen(1), s.asked)
	Expect(inline.FindString(attributes.ReplaceAllString(s.html, `=""`))).To(BeEmpty(), s.asked)
	Expect(elsewhere.FindString(s.html)).To(BeEmpty(), s.asked)
	Expect(s.header.Get("Content-Security-Policy")).To(HavePrefix("default-src 'none'; "), s.asked)
	Expect(s.header.Get("Cache-Control")).To(Equal("no-store"), s.asked)
	seen := map[string]bool{}
	for _, id := range ids.FindAllStringSubmatch(s.html, -1) {
		Expect(seen[id[1]]).To(BeFalse(), "%s: id %q twice", s.asked, id[1])
		seen[id[1]] = true
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := io.WriteString(zip, s.html)
	Expect(err).NotTo(HaveOccurred())
	Expect(zip.Close()).To(Succeed())
	Expect(packed.Len()).To(BeNumerically("<=", 50<<10), s.asked)
}

// links of a page within the console.
func (s shown) links() (paths []string) {
	for _, found := range links.FindAllStringSubmatch(s.html, -1) {
		path := html.UnescapeString(found[1])
		if strings.HasSuffix(strings.SplitN(path, "?", 2)[0], "/html") { // a mail as it is sent
			continue
		}
		if !strings.HasPrefix(path, "/console/assets/") && path != "/console/accounts" && path != "/console/you" {
			paths = append(paths, path)
		}
	}
	return paths
}

// walk follows all links from the first page, and returns what it saw by path.
func (d desk) walk() map[string]shown {
	GinkgoHelper()
	seen := map[string]shown{}
	for todo := []string{"/console"}; len(todo) > 0; todo = todo[1:] {
		path := todo[0]
		if _, ok := seen[path]; ok {
			continue
		}
		page := d.see(path)
		Expect(unshown.FindString(page.html)).To(BeEmpty(), path)
		seen[path] = page
		todo = append(todo, page.links()...)
	}
	return seen
}

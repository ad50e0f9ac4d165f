package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/html"

	"tollkeeper/domain/user"
	"tollkeeper/server/console"
	"tollkeeper/server/contract"
	"tollkeeper/store"
)

// routes are the pages that the console serves, as patterns of their paths.
var routes = func() *echo.Echo {
	e := echo.New()
	console.Mount(e, console.Config{Document: contract.Load().Document})
	return e
}()

// pattern returns the pattern of a path.
func pattern(path string) string {
	at := routes.NewContext(nil, nil)
	routes.Router().Find(http.MethodGet, path, at)
	return at.Path()
}

// place is an address of a page, with the kind of page that is there: the pattern of the path and
// the names of the query. Each form is a kind of its own.
type place struct{ Kind, Path string }

func placeOf(address string) (place, bool) {
	at, err := url.Parse(address)
	if err != nil || at.Host != "" || at.Path != "/console" && !strings.HasPrefix(at.Path, "/console/") || strings.HasPrefix(at.Path, "/console/assets/") {
		return place{}, false
	}
	kind := pattern(at.Path)
	if kind == "/console/do/:operation" {
		return place{at.Path, address}, true
	}
	var names []string
	for name := range at.Query() {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > 0 {
		kind += "?" + strings.Join(names, "&")
	}
	return place{kind, at.RequestURI()}, true
}

// eachKind is how many pages of a kind are looked at: an invoice is a draft, or issued, or paid.
const eachKind = 2

// places follows the links from some pages on, and returns pages of each kind that a person finds.
func (s *site) places(session string, from ...string) (found []place) {
	GinkgoHelper()
	count := map[string]int{}
	known := map[string]bool{}
	for todo := from; len(todo) > 0; todo = todo[1:] {
		at, ok := placeOf(todo[0])
		most := eachKind
		if strings.HasPrefix(at.Kind, "/console/do/") {
			most = 1
		}
		if !ok || known[at.Path] || count[at.Kind] >= most {
			continue
		}
		known[at.Path] = true
		count[at.Kind]++
		status, text := s.fetch(session, at.Path)
		Expect(status).To(Equal(http.StatusOK), at.Path)
		found = append(found, at)
		todo = append(todo, links(text)...)
	}
	return found
}

// each is whether all pages are looked at, and all texts: where SPEC_PAGES is set, if only to "/". Else a run looks
// at a part, which its seed chooses.
func each() bool { return os.Getenv("SPEC_PAGES") != "" }

// part leaves one of so many, unless all are looked at.
func part[T any](all []T, of int) (left []T) {
	if each() {
		return all
	}
	for k := int(GinkgoRandomSeed() % int64(of)); k < len(all); k += of {
		left = append(left, all[k])
	}
	AddReportEntry("part", fmt.Sprintf("%d of %d; SPEC_PAGES=/ takes all", len(left), len(all)))
	return left
}

// links are the addresses that a page leads to.
func links(text string) (all []string) {
	tokens := html.NewTokenizer(strings.NewReader(text))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		for _, attribute := range tokens.Token().Attr {
			if attribute.Key == "href" {
				address, _, _ := strings.Cut(attribute.Val, "#")
				all = append(all, address)
			}
		}
	}
	return all
}

// outside are the pages for who is not signed in: those with a link that somebody was sent.
func (b business) outside() []place {
	GinkgoHelper()
	ctx := context.Background()
	var invitation string
	Expect(b.store.Update(store.WithAccount(ctx, b.id), func(tx *store.Tx) (err error) {
		_, invitation, err = user.Invite(tx, "jon@ours.example", user.RoleFinance)
		return err
	})).To(Succeed())
	people, err := user.List(ctx, b.store)
	Expect(err).NotTo(HaveOccurred())
	reset, err := user.StartReset(ctx, b.store, people[0].ID, false)
	Expect(err).NotTo(HaveOccurred())
	return []place{
		{"/console/login", "/console/login"},
		{"/console/invitation/:token", "/console/invitation/" + invitation},
		{"/console/reset/:token", "/console/reset/" + reset},
		{"/console/forgotten", "/console/forgotten"},
	}
}

// cursor returns the pages of a list, from its first to its last.
func (s *site) cursor(session, address string) (all []place) {
	GinkgoHelper()
	for address != "" {
		all = append(all, place{address, address})
		_, text := s.fetch(session, address)
		address = ""
		for _, link := range links(text) {
			if strings.Contains(link, "cursor=") {
				address = link
			}
		}
	}
	return all
}

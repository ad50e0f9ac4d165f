package browser_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// starts are the pages that all others are found from: the search has a field, but no link.
var starts = []string{"/console", "/console/search?q=a"}

// side are tabs that look at pages beside each other.
const side = 2

// everywhere looks at each of some pages, in tabs beside each other, and returns what is wrong: each
// fault once, with the pages that have it. SPEC_PAGES leaves those whose addresses contain it.
func (s *site) everywhere(session string, places []place, look func(t *tab, at place) []string) (wrong []string) {
	GinkgoHelper()
	var tabs sync.WaitGroup
	var mu sync.Mutex
	having := map[string][]string{}
	todo := make(chan place, len(places))
	for _, at := range places {
		if strings.Contains(at.Kind, os.Getenv("SPEC_PAGES")) {
			todo <- at
		}
	}
	close(todo)
	for range side {
		t := open(s.url, session)
		tabs.Go(func() {
			defer GinkgoRecover()
			for at := range todo {
				faults := look(t, at)
				mu.Lock()
				for _, fault := range faults {
					having[fault] = append(having[fault], at.Path)
				}
				mu.Unlock()
			}
		})
	}
	tabs.Wait()
	for _, fault := range slices.Sorted(maps.Keys(having)) {
		at := having[fault]
		wrong = append(wrong, fmt.Sprintf("%s: on %d pages, such as %s", fault, len(at), at[0]))
	}
	return wrong
}

// sound looks at a page in all ways.
func sound(status int64) func(t *tab, at place) []string {
	return func(t *tab, at place) []string {
		if got := t.visit(at.Path); got != status {
			return []string{http.StatusText(int(got))}
		}
		switch {
		case strings.HasPrefix(at.Kind, "/console/do/"):
			return t.formFaults()
		case strings.HasSuffix(strings.SplitN(at.Kind, "?", 2)[0], "/html"): // a mail, which runs no scripts: axe would wait for ever
			return t.noted()
		}
		return t.faults()
	}
}

var _ = Describe("Each page of the console", func() {
	It("is served to the browser of this spec", func() {
		places := append(shop.places(shop.session(user.RoleOwner), starts...), shop.outside()...)
		Expect(unseen(places)).To(BeEmpty(), "no link leads there")
	})

	It("has no fault in the account of the demo, wide and narrow, light and dark", func() {
		session := shop.session(user.RoleOwner)
		Expect(shop.everywhere(session, part(shop.places(session, starts...), 6), sound(http.StatusOK))).To(BeEmpty())
	})

	It("has no fault before one is signed in", func() {
		Expect(shop.everywhere("", shop.outside(), sound(http.StatusOK))).To(BeEmpty())
		Expect(shop.everywhere("", []place{{"", "/console/reset/none"}}, sound(http.StatusNotFound))).To(BeEmpty())
	})

	It("has no fault where there is nothing yet", func() {
		empty := shop.business("An account without anything")
		session := empty.session(user.RoleOwner)
		places := slices.DeleteFunc(empty.places(session, starts...), func(at place) bool { return strings.HasPrefix(at.Kind, "/console/do/") })
		Expect(empty.everywhere(session, part(places, 6), sound(http.StatusOK))).To(BeEmpty())
	})
})

// unseen returns the routes of pages that none of some places is of.
func unseen(places []place) (none []string) {
	seen := map[string]bool{"/console/do/:operation": true} // each form is a page: see the list of all forms
	for _, at := range places {
		kind, _, _ := strings.Cut(at.Kind, "?")
		seen[kind] = true
	}
	for _, route := range routes.Routes() {
		if route.Method != http.MethodGet || slices.Contains(elsewhere, route.Path) || strings.HasPrefix(route.Path, "/console/assets/") {
			continue
		}
		if !seen[route.Path] {
			none = append(none, route.Path)
		}
	}
	return none
}

// elsewhere are routes that are no page, or that no link leads to: other specs look at them.
var elsewhere = []string{"/console/*", "/console/exports/file", "/console/second-factor", "/console/settings/letterhead/sample.pdf", "/console/setup", "/console/you/second-factor.png"}

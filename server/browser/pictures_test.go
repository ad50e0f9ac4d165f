package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// picture writes what the tab shows: the whole page, or only what is in the window.
func (t *tab) picture(file string, whole bool) {
	GinkgoHelper()
	params := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng}
	if strings.HasSuffix(file, ".webp") {
		quality := int64(85)
		params.Format, params.Quality = page.CaptureScreenshotFormatWebp, &quality
	}
	if whole { // in a window that is as high as the page: the navigation fills its height
		size := evaluate[[]int64](t, "[innerWidth, document.documentElement.scrollHeight]")
		t.resize(size[0], size[1])
	}
	taken, err := chromedp.Call(t.ctx, page.CaptureScreenshot, params)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
	Expect(os.WriteFile(file, taken.Data, 0o600)).To(Succeed())
}

// make pictures sets where they go; otherwise none are taken.
var _ = Describe("Pictures", func() {
	folder := os.Getenv("SPEC_PICTURES")
	BeforeEach(func() {
		if folder == "" {
			Skip("make pictures takes them")
		}
	})

	It("of each page, wide and narrow, light and dark", func() {
		session := shop.session(user.RoleOwner)
		inside, outside := shop.places(session, starts...), shop.outside()
		if os.Getenv("SPEC_PAGES") == "" {
			Expect(unseen(slices.Concat(inside, outside))).To(BeEmpty(), "pages that no picture would show")
		}
		inside = asked(append(inside, shop.nothing()...))
		outside = asked(outside)
		names := pictureNames(slices.Concat(inside, outside))
		var wanted []string
		file := func(at place, width int, theme string) string {
			return filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", names[at], width, theme))
		}
		for _, at := range inside {
			wanted = append(wanted, file(at, wide, "light"), file(at, wide, "dark"), file(at, narrow, "light"), file(at, narrow, "dark"))
		}
		for _, at := range outside {
			wanted = append(wanted, file(at, wide, "light"), file(at, narrow, "dark"))
		}
		for _, old := range wanted {
			Expect(os.RemoveAll(old)).To(Succeed())
		}

		Expect(shop.everywhere(session, inside, func(t *tab, at place) []string {
			t.visit(at.Path)
			for _, theme := range []string{"light", "dark"} {
				t.look(wide, theme)
				t.picture(file(at, wide, theme), true)
				t.look(narrow, theme)
				t.picture(file(at, narrow, theme), true)
			}
			t.look(wide, "light")
			return nil
		})).To(BeEmpty())
		Expect(shop.everywhere("", outside, func(t *tab, at place) []string {
			t.visit(at.Path)
			t.picture(file(at, wide, "light"), true)
			t.look(narrow, "dark")
			t.picture(file(at, narrow, "dark"), true)
			t.look(wide, "light")
			return nil
		})).To(BeEmpty())

		Expect(wanted).NotTo(BeEmpty(), "SPEC_PAGES is part of the address of a page")
		for _, each := range wanted {
			Expect(each).To(BeARegularFile())
		}
		AddReportEntry("pictures", fmt.Sprintf("%d of %d pages", len(wanted), len(inside)+len(outside)))
	})

	It("for the README", func() {
		into := os.Getenv("SPEC_README_PICTURES")
		if into == "" {
			Skip("scripts/pictures says where")
		}
		b := serve().demonstration() // of its own: here no webhook was tried yet
		t := open(b.url, b.session(user.RoleOwner))
		globex := b.get("/customers/external_customer_id/globex")["id"].(string)
		paid := b.get("/invoices?status[]=paid&customer_id=" + globex)["data"].(list)[0].(object)
		line := paid["line_items"].(list)[0].(object)["id"].(string)
		acme := b.get("/customers/external_customer_id/acme")["id"].(string)
		for _, p := range []struct {
			name, path, theme string
			height            int64
			shows             []string
		}{
			{"home", "/console", "light", 900, []string{"Needs attention", "Events a day", "Latest invoices"}},
			{"work", "/console/invoices/" + paid["id"].(string) + "?line=" + line, "light", 1120, []string{"Measured", "Rated", "Rounded", "Recorded by hand", "From the balance"}},
			{"customer", "/console/customers/" + acme, "dark", 1120, []string{"Costs of the current periods", "Subscriptions", "Latest invoices"}},
		} {
			t.visit(p.path)
			t.look(1280, p.theme)
			t.resize(1280, p.height)
			for _, text := range p.shows {
				Expect(t.text()).To(ContainSubstring(text), p.path)
			}
			Expect(t.text()).NotTo(MatchRegexp("failed|No payment yet|cannot be shown"), p.path)
			t.picture(filepath.Join(into, p.name+".webp"), false)
		}
	})
})

// asked leaves the pages whose addresses contain SPEC_PAGES: see everywhere.
func asked(places []place) (left []place) {
	for _, at := range places {
		if strings.Contains(at.Kind, os.Getenv("SPEC_PAGES")) {
			left = append(left, at)
		}
	}
	return left
}

// pictureNames names the pictures of pages, each another way.
func pictureNames(places []place) map[place]string {
	names, taken := map[place]string{}, map[string]int{}
	for _, at := range places {
		name := strings.NewReplacer("/console/", "", "/console", "home", "/", "-", ":", "", "?", "+", "=", "").Replace(at.Kind)
		if taken[name]++; taken[name] > 1 {
			name += fmt.Sprintf("-%d", taken[name])
		}
		names[at] = name
	}
	return names
}

// nothing are pages of a search that finds nothing, and of an address that is none.
func (b business) nothing() []place {
	return []place{{"none", "/console/nothing-here"}, {"customers-none", "/console/customers?name=zzz"}}
}

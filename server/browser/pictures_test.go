package browser_test

import (
	"os"
	"path/filepath"
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
		places := append(shop.places(session, starts...), shop.nothing()...)
		Expect(shop.everywhere(session, places, func(t *tab, at place) []string {
			t.visit(at.Path)
			name := strings.NewReplacer("/console/", "", "/console", "home", "/", "-", ":", "", "?", "+", "=", "").Replace(at.Kind)
			if id := at.Path[strings.LastIndex(at.Path, "_")+1:]; strings.Contains(at.Kind, ":") && len(id) > 4 {
				name += "-" + id[:4]
			}
			for _, theme := range []string{"light", "dark"} {
				t.look(wide, theme)
				t.picture(filepath.Join(folder, name+"-1440-"+theme+".png"), true)
				t.look(narrow, theme)
				t.picture(filepath.Join(folder, name+"-400-"+theme+".png"), true)
			}
			t.look(wide, "light")
			return nil
		})).To(BeEmpty())
		Expect(shop.everywhere("", shop.outside(), func(t *tab, at place) []string {
			t.visit(at.Path)
			name := strings.Split(at.Kind, "/")[2]
			t.picture(filepath.Join(folder, name+"-1440-light.png"), true)
			t.look(narrow, "dark")
			t.picture(filepath.Join(folder, name+"-400-dark.png"), true)
			t.look(wide, "light")
			return nil
		})).To(BeEmpty())
	})

	It("for the README", func() {
		into := os.Getenv("SPEC_README_PICTURES")
		if into == "" {
			Skip("scripts/pictures says where")
		}
		t := open(shop.url, shop.session(user.RoleOwner))
		invoice := shop.issued("globex")
		line := shop.get("/invoices/" + invoice)["line_items"].(list)[0].(object)["id"].(string)
		customer := shop.get("/customers/external_customer_id/acme")["id"].(string)
		for _, p := range []struct {
			name, path, theme string
			width             int64
		}{
			{"home", "/console", "light", 1280}, {"work", "/console/invoices/" + invoice + "?line=" + line, "light", 1280},
			{"customer", "/console/customers/" + customer, "dark", 1280},
		} {
			t.visit(p.path)
			t.look(p.width, p.theme)
			t.picture(filepath.Join(into, p.name+".webp"), false)
		}
	})
})

// nothing are pages of a search that finds nothing, and of an address that is none.
func (b business) nothing() []place {
	return []place{{"none", "/console/nothing-here"}, {"customers-none", "/console/customers?name=zzz"}}
}

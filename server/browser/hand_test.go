package browser_test

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// named is what people call an element: as assistive technology reads it, nearly.
const named = `((el) => ((el.labels && el.labels.length ? el.labels[0].innerText : '') || el.getAttribute('aria-label') || el.innerText || el.value || '').trim().replace(/\s+/g, ' '))`

// press types on the keyboard.
func (t *tab) press(keys string) {
	GinkgoHelper()
	Expect(chromedp.Do(t.ctx, chromedp.KeyEvent(keys))).To(Succeed())
}

// farthest is how often the Tab key is pressed at most on the way to an element.
const farthest = 250

// tabTo presses the Tab key until an element has the focus whose name matches, and returns the name. The
// focus must be seen: it has a ring.
func (t *tab) tabTo(name string) string {
	GinkgoHelper()
	wanted := regexp.MustCompile("^(?:" + name + ")$")
	var met []string
	for range farthest {
		t.press(kb.Tab)
		at := evaluate[string](t, "document.activeElement === document.body ? '' : "+named+"(document.activeElement)")
		if wanted.MatchString(at) {
			Expect(evaluate[bool](t, `(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2 || s.boxShadow !== 'none' || document.activeElement.matches('.row-link') })()`)).To(BeTrue(), "%s has no ring", at)
			return at
		}
		met = append(met, at)
	}
	Fail(fmt.Sprintf("the Tab key does not lead to %q on %s: %s", name, t.path(), strings.Join(met[:min(len(met), 80)], " | ")))
	return ""
}

// fill goes to a field and types into it.
func (t *tab) fill(name, value string) {
	GinkgoHelper()
	t.tabTo(name)
	t.press(value)
}

// follow goes to a link or a button, presses Enter, and waits for the page that it leads to.
func (t *tab) follow(name, page string) {
	GinkgoHelper()
	t.tabTo(name)
	t.press(kb.Enter)
	t.arrive(page)
}

// arrive waits for a page whose address and heading match.
func (t *tab) arrive(page string) {
	GinkgoHelper()
	wanted := regexp.MustCompile(page)
	Eventually(func() string {
		at, err := chromedp.Run(t.ctx, chromedp.Evaluate[string](`document.readyState === 'complete' ? location.pathname + location.search + ' ' + (document.querySelector('h1') || document.body).innerText : ''`))
		if err != nil { // the page is on its way
			return ""
		}
		return at
	}, 20*time.Second, 20*time.Millisecond).Should(MatchRegexp(wanted.String()))
}

// text is what the page says.
func (t *tab) text() string {
	GinkgoHelper()
	return evaluate[string](t, "document.body ? document.body.innerText : ''")
}

// skip goes past the navigation, as the first link of each page offers.
func (t *tab) skip() {
	GinkgoHelper()
	t.tabTo("Skip to the page")
	t.press(kb.Enter)
}

// find returns where the first element is that is seen, has the name and can have the focus.
func (t *tab) find(name string) []float64 {
	GinkgoHelper()
	at := evaluate[[]float64](t, fmt.Sprintf(`(() => {
		const wanted = new RegExp('^(?:' + %q + ')$');
		const el = [...document.querySelectorAll('main a, main button, main summary, main input, main select, main textarea, nav a, nav button')]
			.find((el) => el.checkVisibility() && el.tabIndex >= 0 && el.type !== 'hidden' && wanted.test(%s(el)));
		if (!el) return [];
		el.scrollIntoView({ block: 'center' });
		const box = el.getBoundingClientRect();
		return [box.x + Math.min(box.width / 2, 20), box.y + Math.min(box.height / 2, 12)];
	})()`, name, named))
	Expect(at).To(HaveLen(2), "nothing is called %q on %s", name, t.path())
	return at
}

// click clicks what has the name.
func (t *tab) click(name string) {
	GinkgoHelper()
	at := t.find(name)
	Expect(chromedp.Do(t.ctx, chromedp.MouseClickXY(at[0], at[1]))).To(Succeed())
}

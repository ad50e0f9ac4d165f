package browser_test

import (
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The policy of the console's pages.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'"

// Each check finds what it is there for. A check that finds nothing anywhere is worth nothing.
var _ = Describe("A page with a fault", func() {
	faultsOf := func(body string) []string {
		GinkgoHelper()
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/console":
				w.Header().Set("Content-Security-Policy", policy)
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = w.Write([]byte(`<!DOCTYPE html><html lang="en"><head><title>Planted</title><link rel="stylesheet" href="/style.css"><script src="/script.js" defer></script></head><body><main><h1>Planted</h1>` + body + `</main></body></html>`))
			case "/style.css":
				w.Header().Set("Content-Type", "text/css")
				_, _ = w.Write([]byte(`.far { width: 3000px } .box { width: 60px } .cut { overflow: hidden } .line { white-space: nowrap }
					.pale { color: #bbb; background: #fff } .tiny { display: inline-block; width: 8px; height: 8px }
					@media (prefers-color-scheme: dark) { .night { color: #111; background: #000 } }`))
			case "/script.js":
				w.Header().Set("Content-Type", "text/javascript")
				_, _ = w.Write([]byte(`if (document.querySelector('.throws')) throw new Error('planted');
					if (document.querySelector('.complains')) console.error('planted');
					if (document.querySelector('.asks')) alert('planted');`))
			case "/favicon.ico":
			default:
				http.NotFound(w, r)
			}
		}))
		DeferCleanup(site.Close)
		t := open(site.URL, "")
		Expect(t.visit("/console")).To(BeEquivalentTo(http.StatusOK))
		return t.faults()
	}

	It("is not found where there is none", func() {
		Expect(faultsOf(`<p>Nothing is wrong here.</p>`)).To(BeEmpty())
	})

	DescribeTable("is found",
		func(body, fault string) { Expect(faultsOf(body)).To(ContainElement(ContainSubstring(fault))) },
		Entry("a script in the page", `<script>document.title = 'ran'</script>`, "policy: script-src"),
		Entry("a handler in an attribute", `<img src="/none.png" alt="" onerror="document.title = 'ran'">`, "policy: script-src"),
		Entry("a style in the page", `<p style="color: red">red</p>`, "policy: style-src"),
		Entry("a file that is missing", `<img src="/none.png" alt="">`, "answer 404"),
		Entry("a request to another host", `<img src="http://elsewhere.invalid/a.png" alt="">`, "request elsewhere: http://elsewhere.invalid"),
		Entry("an error", `<p class="throws">x</p>`, "exception"),
		Entry("a complaint in the log", `<p class="complains">x</p>`, "console: error"),
		Entry("a dialog", `<p class="asks">x</p>`, "dialog: planted"),
		Entry("a page that scrolls sideways", `<p class="far">x</p>`, "the page scrolls sideways"),
		Entry("an id twice", `<p id="a">x</p><p id="a">y</p>`, "id twice: a"),
		Entry("two headings", `<h1>Another</h1>`, "h1: 2"),
		Entry("words that stick out", `<div class="box"><p class="line">Words that are too long</p></div>`, "sticks out"),
		Entry("words that are cut off", `<div class="box cut"><p class="line">Words that are too long</p></div>`, "cut off"),
		Entry("an id where a name belongs", `<p>cus_9dK3mfQ82LmzPq7RtY</p>`, "an id in place of a name"),
		Entry("words that are too pale", `<p class="pale">pale</p>`, "1440 light: color-contrast"),
		Entry("words that are too dark in the dark", `<p class="night">dark</p>`, "400 dark: color-contrast"),
		Entry("a control without a name", `<input>`, "label"),
		Entry("a target that is too small", `<p><button class="tiny" aria-label="a"></button><button class="tiny" aria-label="b"></button></p>`, "target-size"),
		Entry("a picture without words", `<img src="/style.css">`, "image-alt"),
	)
})

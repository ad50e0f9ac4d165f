package browser_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Widths of the windows that pages are looked at in.
const (
	wide   = 1440
	narrow = 400
)

// tab is a window of its own, with its own cookies. It notes what no page may do: ask another host,
// fail to load something, break the policy, log an error, open a dialog.
type tab struct {
	ctx  context.Context
	site string // where the server is

	mu       sync.Mutex
	problems []string
	status   int64 // of the page
	load     load
}

// load is what a tab asked for, and how much was sent.
type load struct {
	requests int
	bytes    float64
}

func (l load) less(other load) load { return load{l.requests - other.requests, l.bytes - other.bytes} }

// loaded is the load of all pages so far.
func (t *tab) loaded() load {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.load
}

// open opens a tab of a site. Without a session nobody is signed in.
func open(site, session string) *tab {
	GinkgoHelper()
	ctx, leave := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	DeferCleanup(leave)
	t := &tab{ctx: ctx, site: site}
	Expect(chromedp.Do(ctx)).To(Succeed())
	Expect(chromedp.Listen(ctx, t.hear)).To(Succeed())
	t.call(func() error { _, err := chromedp.Call(ctx, audits.Enable, cdp.Empty{}); return err })
	if session != "" {
		t.call(func() error {
			_, err := chromedp.Call(ctx, network.SetCookie, network.SetCookieParams{Name: "tollkeeper_session", Value: session, URL: site + "/console", Path: "/console"})
			return err
		})
	}
	t.look(wide, "light")
	return t
}

func (t *tab) call(do func() error) {
	GinkgoHelper()
	Expect(do()).To(Succeed())
}

// hear notes what the browser says.
func (t *tab) hear(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		t.note("exception: %s", e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			t.note("console: %s", e.Type)
		}
	case *log.EventEntryAdded:
		if e.Entry.Source != log.EntrySourceNetwork && (e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning) {
			t.note("log: %s", e.Entry.Text)
		}
	case *audits.EventIssueAdded:
		if e.Issue.Code == audits.InspectorIssueCodeContentSecurityPolicyIssue {
			t.note("policy: %s", e.Issue.Details.ContentSecurityPolicyIssueDetails.ViolatedDirective)
		}
	case *network.EventLoadingFinished:
		t.mu.Lock()
		t.load.bytes += e.EncodedDataLength
		t.mu.Unlock()
	case *network.EventRequestWillBeSent:
		t.mu.Lock()
		t.load.requests++
		t.mu.Unlock()
		// The browser's own drawings of controls are data; the policy forbids them to a page.
		if !strings.HasPrefix(e.Request.URL, t.site+"/") && !strings.HasPrefix(e.Request.URL, "data:") && e.Request.URL != "about:blank" {
			t.note("request elsewhere: %s", e.Request.URL)
		}
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			t.mu.Lock()
			t.status = e.Response.Status
			t.mu.Unlock()
		} else if e.Response.Status >= 400 {
			t.note("answer %d: %s", e.Response.Status, e.Response.URL)
		}
	case *network.EventLoadingFailed:
		if !e.Canceled {
			t.note("failed to load: %s", e.ErrorText)
		}
	case *page.EventJavascriptDialogOpening:
		t.note("dialog: %s", e.Message)
		go func() {
			_, _ = chromedp.Call(t.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
		}()
	}
}

func (t *tab) note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// noted returns what was noted since the last call.
func (t *tab) noted() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.problems
	t.problems = nil
	return all
}

// look sets the width of the window and the theme that the person prefers.
func (t *tab) look(width int64, theme string) {
	GinkgoHelper()
	t.resize(width, 900)
	t.call(func() error {
		_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
		return err
	})
}

func (t *tab) resize(width, height int64) {
	GinkgoHelper()
	t.call(func() error {
		_, err := chromedp.Call(t.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
		return err
	})
}

// withoutScripts makes the tab one of a browser that runs none.
func (t *tab) withoutScripts() {
	GinkgoHelper()
	t.call(func() error {
		_, err := chromedp.Call(t.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

// visit loads a page and returns the status of its answer.
func (t *tab) visit(path string) int64 {
	GinkgoHelper()
	ctx, cancel := context.WithTimeout(t.ctx, 30*time.Second)
	defer cancel()
	Expect(chromedp.Do(ctx, chromedp.Navigate(t.site+path))).To(Succeed(), path)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](t *tab, expression string) T {
	GinkgoHelper()
	value, err := try[T](t, expression)
	Expect(err).NotTo(HaveOccurred(), "%.200s", expression)
	return value
}

// answersWithin is how long the browser may take for an expression. Chromium sometimes never answers.
const answersWithin = time.Minute

func try[T any](t *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, answersWithin)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// path is the address of the page within the site.
func (t *tab) path() string {
	GinkgoHelper()
	at, err := url.Parse(evaluate[string](t, "location.href"))
	Expect(err).NotTo(HaveOccurred())
	return at.RequestURI()
}

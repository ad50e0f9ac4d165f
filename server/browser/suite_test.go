// Package browser_test looks at the console as people do: in a real Chromium, on the account that
// the demo makes, and by keyboard alone. Each page that the console serves is found by itself, so a
// page that is added is looked at without a line here.
//
// The browser reaches no address but that of the server under test. Without a Chromium the specs
// are left out, and scripts/test says so.
package browser_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/format"
)

func TestBrowser(t *testing.T) {
	RegisterFailHandler(Fail)
	format.MaxLength = 0 // all that is wrong
	RunSpecs(t, "The console in a browser")
}

// chromium is the browser of all specs: the context that tabs are opened in.
var chromium context.Context

var _ = BeforeSuite(func() {
	path := findChromium()
	if path == "" {
		Skip("no Chromium is found")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("lang", "en-US"),
	)
	if os.Geteuid() == 0 { // its sandbox refuses to be root's
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	DeferCleanup(stop)
	var leave context.CancelFunc
	chromium, leave = chromedp.NewContext(allocator)
	DeferCleanup(leave)
	Expect(chromedp.Do(chromium)).To(Succeed())
	shop = serve().demonstration()
	shop.deliver()
})

// findChromium returns the path of the browser, or "". SPEC_CHROMIUM names another one.
func findChromium() string {
	if path := os.Getenv("SPEC_CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

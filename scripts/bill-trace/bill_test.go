package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/gen"
	"tollkeeper/server"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// Input tokens reach the third tier: 5,000,000 x 0.0000025 + 10,000,000 x
// 0.000002 + 1,000,001 x 0.0000015 = 34.0000015. Output tokens are 500 x
// 0.00001 = 0.005, half a cent. One row comes late in the file.
const busy = `TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:17:03.9799600,6000000,150
2023-11-16 18:17:04.0319600,10000001,350
2023-11-16 18:16:00.0000000,0,0
`

// Input tokens stay in the first tier: 1,000,000 x 0.0000025 = 2.50. The rows
// lie further apart than the grace period, on both edges of the month.
const sparse = `TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-01 00:00:00.0000000,400000,1000
2023-11-30 23:59:59.9999990,600000,0
`

// serve makes a test account on a server of its own and tells how to reach it.
func serve() (url, key string) {
	GinkgoHelper()
	st := storetest.New()
	listener := httptest.NewServer(server.New(server.Config{Store: st, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil))}).Handler())
	DeferCleanup(listener.Close)
	_, key, err := account.CreateKey(context.Background(), st, store.AccountID(storetest.Account(st, "test")), account.NewKey{Name: "trace"})
	Expect(err).NotTo(HaveOccurred())
	return listener.URL, key
}

func file(name, content string) string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), name)
	Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	return path
}

// figures are the amounts of an invoice's lines by their names, and the total.
func figures(invoice gen.Invoice) map[string]string {
	lines := map[string]string{"Total": invoice.Total}
	for _, l := range invoice.LineItems {
		lines[l.Name] = l.Quantity.String() + " = " + l.Amount
	}
	return lines
}

var (
	busyFigures = map[string]string{
		"Input tokens": "16000001 = 34.00", "Output tokens": "500 = 0.01", "Platform": "1 = 20.00", "Total": "54.01",
	}
	sparseFigures = map[string]string{
		"Input tokens": "1000000 = 2.50", "Output tokens": "1000 = 0.01", "Platform": "1 = 20.00", "Total": "22.51",
	}
)

var _ = Describe("Billing a trace", func() {
	var url, key string
	var ctx = context.Background()

	BeforeEach(func() { url, key = serve() })

	bill := func(paths ...string) (string, error) {
		var out bytes.Buffer
		err := run(ctx, append([]string{"--url", url, "--key", key, "--json"}, paths...), &out, GinkgoWriter)
		return out.String(), err
	}

	It("issues one invoice with the figures of the file, and finds the same again", func() {
		path := file("busy.csv", busy)
		first, err := bill(path)
		Expect(err).NotTo(HaveOccurred())
		var invoice gen.Invoice
		Expect(json.Unmarshal([]byte(first), &invoice)).To(Succeed())
		Expect(figures(invoice)).To(Equal(busyFigures))
		Expect(bill(path)).To(Equal(first))
	})

	It("bills several files together, rows further apart than the grace period among them", func() {
		text, err := bill(file("busy.csv", busy), file("sparse.csv", sparse))
		Expect(err).NotTo(HaveOccurred())
		var invoices []gen.Invoice
		Expect(json.Unmarshal([]byte(text), &invoices)).To(Succeed())
		Expect(invoices).To(HaveLen(2))
		Expect(figures(invoices[0])).To(Equal(busyFigures))
		Expect(figures(invoices[1])).To(Equal(sparseFigures))
	})

	It("goes on after a run that was cut short, counting no row twice", func() {
		path := file("sparse.csv", sparse)
		t, err := readTrace(path)
		Expect(err).NotTo(HaveOccurred())
		b := connect(url, key, GinkgoWriter)
		now, err := b.startClock(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(b.plan(ctx)).To(Succeed())
		Expect(b.subscribe(ctx, t, now)).To(Succeed())
		Expect(b.send(ctx, []trace{t}, now)).To(Succeed())

		text, err := bill(path)
		Expect(err).NotTo(HaveOccurred())
		var invoice gen.Invoice
		Expect(json.Unmarshal([]byte(text), &invoice)).To(Succeed())
		Expect(figures(invoice)).To(Equal(sparseFigures))
	})

	It("says what to do when the clock has passed a file it has not seen", func() {
		_, err := bill(file("busy.csv", busy))
		Expect(err).NotTo(HaveOccurred())
		_, err = bill(file("sparse.csv", sparse))
		Expect(err).To(MatchError(And(ContainSubstring("stands at 2023-12-02 00:00:00"), ContainSubstring("tollkeeper account create --name trace --mode test"))))
	})

	It("prints a table of lines and tiers", func() {
		var out bytes.Buffer
		Expect(run(ctx, []string{"--url", url, "--key", key, file("busy.csv", busy)}, &out, GinkgoWriter)).To(Succeed())
		Expect(out.String()).To(MatchRegexp(`(?m)^Input tokens +2023-11-01 +2023-12-01 +16,000,001 +34\.00$`))
		Expect(out.String()).To(MatchRegexp(`(?m)^ +15000000\+ +1,000,001 +1\.50$`))
		Expect(out.String()).To(MatchRegexp(`(?m)^Platform +2023-12-01 +2024-01-01 +1 +20\.00$`))
		Expect(out.String()).To(MatchRegexp(`(?m)^Total +54\.01$`))
	})

	It("tells a wrong key from a wrong file", func() {
		key = "tk_test_nobody"
		_, err := bill(file("busy.csv", busy))
		Expect(err).To(MatchError(ContainSubstring("401")))
	})
})

var _ = DescribeTable("A file is refused, with the place,",
	func(content, complaint string) {
		_, err := readTrace(file("odd.csv", content))
		Expect(err).To(MatchError(ContainSubstring(complaint)))
	},
	Entry("when its columns are others", "time,in,out\n", "the first line must be TIMESTAMP"),
	Entry("when it has no rows", "TIMESTAMP,ContextTokens,GeneratedTokens\n", "holds no rows"),
	Entry("when a row is of another month", busy+"2023-12-01 00:00:00,1,1\n", "row 4: 2023-12-01 00:00:00 is not in November 2023"),
	Entry("when tokens are negative", busy+"2023-11-16 18:17:03,-1,1\n", `row 4: "-1" is no number of tokens`),
	Entry("when tokens are a fraction", busy+"2023-11-16 18:17:03,1,1.5\n", `row 4: "1.5" is no number of tokens`),
	Entry("when a row is short", busy+"2023-11-16 18:17:03,1\n", "row 4: "),
)

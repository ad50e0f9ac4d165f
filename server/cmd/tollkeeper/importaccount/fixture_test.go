package importaccount_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/server"
	"tollkeeper/server/cmd/tollkeeper/importaccount"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

type (
	object = map[string]any
	list   = []any
)

// site is a server of its own, with a test account.
type site struct {
	store *store.Store
	ctx   context.Context
	*importaccount.Client
	url, key string
}

func newSite() site {
	GinkgoHelper()
	st := storetest.New()
	s := server.New(server.Config{Store: st, Workers: 1, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil))})
	listener := httptest.NewServer(s.Handler())
	DeferCleanup(listener.Close)
	return account(site{store: st, url: listener.URL})
}

// account makes a test account on the server of a site.
func account(s site) site {
	GinkgoHelper()
	s.ctx = storetest.Account(s.store, "test")
	s.key = "tk_test_" + store.Random(32)
	hash := sha256.Sum256([]byte(s.key))
	Expect(s.store.AsOwner(context.Background(), func(db *gorm.DB) error {
		return db.Exec(`INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES (?, ?, 'Spec', ?, ?)`,
			store.NewID("key"), store.AccountID(s.ctx), hash[:], s.key[:12]).Error
	})).To(Succeed())
	s.Client = s.client()
	DeferCleanup(func() {
		v, err := worker.Verify(context.Background(), s.store, store.AccountID(s.ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(v.Findings).To(BeEmpty())
	})
	return s
}

func (s site) client() *importaccount.Client {
	GinkgoHelper()
	c, err := importaccount.NewClient(s.url, s.key)
	Expect(err).NotTo(HaveOccurred())
	return c
}

func (s site) post(path string, body any) object {
	GinkgoHelper()
	answer, err := s.Send(s.ctx, http.MethodPost, path, body)
	Expect(err).NotTo(HaveOccurred())
	return answer
}

func (s site) get(path string) object {
	GinkgoHelper()
	answer, err := s.Send(s.ctx, http.MethodGet, path, nil)
	Expect(err).NotTo(HaveOccurred())
	return answer
}

func (s site) clock(now string) {
	GinkgoHelper()
	Expect(s.post("/test_clock/advance", object{"now": now})["parked"]).To(BeEmpty())
}

// newest is the newest entry of the audit log: it changes with every change of the account.
func (s site) newest() any {
	GinkgoHelper()
	return s.get("/audit_log?limit=1")["data"].(list)[0].(object)["id"]
}

// count is how many elements a list has.
func (s site) count(path string) (n int) {
	GinkgoHelper()
	for cursor := ""; ; {
		page := s.get(path + cursor)
		n += len(page["data"].(list))
		next, more := page["pagination_metadata"].(object)["next_cursor"].(string)
		if !more {
			return n
		}
		cursor = "&cursor=" + next
	}
}

// move is a transfer between two sites.
type move struct {
	source, target site
	journal        string
	keys           string
}

func newMove(source, target site, keys []string) move {
	return move{source, target, filepath.Join(GinkgoT().TempDir(), "journal"), strings.Join(keys, "\n") + "\n"}
}

func (m move) open() *importaccount.Journal {
	GinkgoHelper()
	journal, err := importaccount.OpenJournal(m.journal, m.source.url, m.target.url)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(journal.Close)
	return journal
}

func (m move) run() importaccount.Report {
	GinkgoHelper()
	report, err := importaccount.Run(m.source.ctx, m.options(m.target.Client))
	Expect(err).NotTo(HaveOccurred())
	return report
}

func (m move) options(target *importaccount.Client) importaccount.Options {
	GinkgoHelper()
	return importaccount.Options{Source: m.source.Client, Target: target, Journal: m.open(), EventKeys: strings.NewReader(m.keys)}
}

// differences are those between the upcoming invoices of both sides.
func (m move) differences() (all []string, total int) {
	GinkgoHelper()
	comparisons, err := importaccount.Compare(m.source.ctx, m.source.Client, m.target.Client, m.open())
	Expect(err).NotTo(HaveOccurred())
	for _, c := range comparisons {
		for _, d := range c.Differences {
			all = append(all, fmt.Sprintf("%s: %s %s: %s at the source, %s at the target", c.Customer, d.Line, d.Field, d.Source, d.Target))
		}
	}
	return all, len(comparisons)
}

// killer ends a run at the n-th request that changes something: before it is sent, or after it
// was answered and before the answer is read.
type killer struct {
	path   string // only requests to this path count; "": all
	left   int
	after  bool
	cancel context.CancelFunc
}

var errKilled = errors.New("killed")

func (k *killer) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet || k.path != "" && request.URL.Path != k.path {
		return http.DefaultTransport.RoundTrip(request)
	}
	if k.left--; k.left >= 0 {
		return http.DefaultTransport.RoundTrip(request)
	}
	if k.after {
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close()
	}
	k.cancel()
	return nil, errKilled
}

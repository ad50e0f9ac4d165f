package server_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/usage"
	"tollkeeper/server"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// api is a server seen by the owner of one account's key. Every answer is checked
// against the contract.
//
//	api := start()
//	api.clock("2025-05-10T12:00:00Z")
//	item := api.post("/v1/items", object{"name": "Widget"}).expect(201)
//	Expect(item.at("name")).To(Equal("Widget"))
//	api.get("/v1/items/nope").refuse(404, "404-resource-not-found", "Item", "nope")
type api struct {
	store  *store.Store
	server *server.Server
	ctx    context.Context // transactions of the account
	key    string
	url    string

	heard   *int     // messages to endpoints that news has returned
	changes *changes // requests that changed something
	spoiled *bool    // the spec changes what must not be changed, so the books need not agree
	patient bool     // requests are sent again while the server is busy, as its answer says
}

// object is a JSON object, list a JSON array.
type (
	object = map[string]any
	list   = []any
)

// shared is the server of all specs of this process. Each spec has an account of
// its own there, so none sees what another did.
var shared *api

var _ = BeforeSuite(func() { shared = serve() })

// onBusyMachine is how long work in the background may take. It is far more than that takes:
// specs wait for such work, and none measures it.
const onBusyMachine = "3m"

// start makes a test account of its own for the spec, whose books must agree afterwards.
func start() *api {
	GinkgoHelper()
	a := shared.account("test")
	DeferCleanup(a.agree)
	return a
}

// startAlone serves a new database with one test account, for specs that break
// the server or look beyond one account.
func startAlone() *api { return serve().account("test") }

// loopback is where the receivers of specs are.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// serve starts a server on a new database, for as long as the calling node lasts.
func serve() *api {
	GinkgoHelper()
	return serveOn(storetest.New(), 1)
}

// serveOn is serve on a database that is there, with so many workers.
func serveOn(st *store.Store, workers int) *api {
	GinkgoHelper()
	s := server.New(server.Config{Store: st, Workers: workers, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)), WebhookNetworks: loopback, StrangersPerSecond: -1, ProbesEvery: time.Nanosecond})
	listener := httptest.NewUnstartedServer(nil)
	listener.Config = server.NewHTTPServer("", s.Handler())
	listener.Start()
	DeferCleanup(listener.Close)
	return &api{store: st, server: s, url: listener.URL}
}

// account makes another account on the same server, live or test, and returns
// what its owner sees.
func (a *api) account(mode string) *api {
	GinkgoHelper()
	other := *a
	other.ctx = storetest.Account(a.store, mode)
	other.key = "tk_" + mode + "_" + store.Random(32)
	other.spoiled = new(bool)
	other.heard = new(int)
	other.changes = &changes{}
	hash := sha256.Sum256([]byte(other.key))
	Expect(a.store.AsOwner(context.Background(), func(db *gorm.DB) error {
		return db.Exec(`INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES (?, ?, 'Spec', ?, ?)`,
			store.NewID("key"), store.AccountID(other.ctx), hash[:], other.key[:12]).Error
	})).To(Succeed())
	return &other
}

// agree looks through the books that the spec leaves behind.
func (a *api) agree() {
	GinkgoHelper()
	if *a.spoiled {
		return
	}
	a.audited()
	v, err := worker.Verify(context.Background(), a.store, store.AccountID(a.ctx))
	Expect(err).NotTo(HaveOccurred())
	Expect(v.Findings).To(BeEmpty())
}

// clock advances the account's clock, and does all that falls due by then, of which nothing may fail.
func (a *api) clock(now string) {
	GinkgoHelper()
	Expect(a.post("/v1/test_clock/advance", object{"now": now}).expect(http.StatusOK).list("parked")).To(BeEmpty())
}

// tx runs fn in a transaction of the account, to look behind the answers.
func (a *api) tx(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(a.store.Update(a.ctx, fn)).To(Succeed())
}

// header is one more header of a request: header{"Idempotency-Key", "k1"}.
type header struct{ name, value string }

func (a *api) get(path string, more ...header) *answer {
	GinkgoHelper()
	r := a.send(http.MethodGet, path, nil, more...)
	if measured.MatchString(path) && r.status == http.StatusOK {
		a.settle()
		Expect(a.send(http.MethodGet, path, nil, more...).text).To(MatchJSON(r.text), "from buckets, "+path)
	}
	return r
}

// measured are answers that hang on usage: each is asked twice, before and after the
// aggregator has put all that there is into buckets.
var measured = regexp.MustCompile(`/(costs|usage|upcoming)(\?|$)`)

// settle does all that the aggregator has to do for the account.
func (a *api) settle() {
	GinkgoHelper()
	for idle := 0; idle < 2; {
		a.tx(func(tx *store.Tx) error {
			more, err := usage.Aggregate(tx)
			if !more {
				idle++ // the first time makes the mark
			}
			return err
		})
	}
}

func (a *api) post(path string, body any, more ...header) *answer {
	GinkgoHelper()
	return a.send(http.MethodPost, path, body, more...)
}

func (a *api) put(path string, body any, more ...header) *answer {
	GinkgoHelper()
	return a.send(http.MethodPut, path, body, more...)
}

func (a *api) delete(path string, more ...header) *answer {
	GinkgoHelper()
	return a.send(http.MethodDelete, path, nil, more...)
}

// mostTries is how often a patient fixture sends a request.
const mostTries = 20

// send asks the server. A body that is a string or bytes goes out as it is, nil
// is none, and anything else is written as JSON. A header replaces the ordinary
// one of its name; an empty value takes it away.
func (a *api) send(method, path string, body any, more ...header) *answer {
	GinkgoHelper()
	for tries := 1; ; tries++ {
		request, err := http.NewRequest(method, a.url+path, encoded(body))
		Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Authorization", "Bearer "+a.key)
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		for _, h := range more {
			if request.Header.Del(h.name); h.value != "" {
				request.Header.Set(h.name, h.value)
			}
		}
		if r := a.ask(request); !a.patient || tries == mostTries || r.status != http.StatusServiceUnavailable {
			return r
		}
	}
}

// ask sends a request as it is.
func (a *api) ask(request *http.Request) *answer {
	GinkgoHelper()
	path := request.URL.RequestURI()
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	r := &answer{asked: request.Method + " " + path, status: response.StatusCode, header: response.Header, text: text}
	if strings.HasPrefix(path, "/v1/") {
		checkAnswer(request, r)
		a.changes.note(request, r)
	}
	return r
}

func encoded(body any) io.Reader {
	GinkgoHelper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(b)
	case []byte:
		return bytes.NewReader(b)
	}
	text, err := json.Marshal(body)
	Expect(err).NotTo(HaveOccurred())
	return bytes.NewReader(text)
}

// answer is what the server said.
type answer struct {
	asked  string
	status int
	header http.Header
	text   []byte
}

// expect fails the spec unless the answer has that status, and returns its body.
func (r *answer) expect(status int) value {
	GinkgoHelper()
	Expect(r.status).To(Equal(status), "%s\n%s", r.asked, r.text)
	return r.body()
}

// refuse fails the spec unless the request was refused with that status and
// class, such as "400-constraint-violation", in words that contain all of these.
// It returns the problem.
func (r *answer) refuse(status int, class string, words ...string) value {
	GinkgoHelper()
	problem := r.expect(status)
	Expect(problem.at("type")).To(HaveSuffix("#"+class), "%s\n%s", r.asked, r.text)
	for _, word := range words {
		Expect(problem.at("detail")).To(ContainSubstring(word), r.asked)
	}
	return problem
}

// invalid fails the spec unless the request was refused as wrong in itself, with
// exactly these violations, each told by how it begins. It returns the problem.
func (r *answer) invalid(beginnings ...string) value {
	GinkgoHelper()
	problem := r.refuse(http.StatusBadRequest, "400-request-validation-errors")
	told := problem.list("validation_errors")
	Expect(told).To(HaveLen(len(beginnings)), "%s\n%s", r.asked, r.text)
	for i, beginning := range beginnings {
		Expect(told[i]).To(HavePrefix(beginning), r.asked)
	}
	Expect(problem.at("detail")).To(Equal(told[0]), r.asked)
	return problem
}

// body is the decoded JSON of the answer; nothing when it has no body.
func (r *answer) body() value {
	GinkgoHelper()
	if len(r.text) == 0 {
		return value{asked: r.asked}
	}
	return decoded(r.asked, string(r.text))
}

// instant reads a time written in a spec.
func instant(text string) time.Time {
	GinkgoHelper()
	at, err := time.Parse(time.RFC3339, text)
	Expect(err).NotTo(HaveOccurred())
	return at
}

package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/webhook"
	"tollkeeper/server/webhooks"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// webhookFixture is an account whose webhooks are delivered, by a real time that the spec moves.
type webhookFixture struct {
	*api
	deliveries *webhooks.Deliverer
	ahead      time.Duration // of the real time
}

func newWebhookFixture() *webhookFixture {
	GinkgoHelper()
	p := newWebhookFixtureOn(start())
	p.forgetOthers()
	return p
}

// newWebhookFixtureOn is newWebhookFixture on an account, without other accounts' endpoints in the way.
func newWebhookFixtureOn(a *api) *webhookFixture {
	p := &webhookFixture{api: a}
	p.deliveries = p.server.Deliverer(webhooks.Options{Now: p.now})
	return p
}

// forgetOthers disables the endpoints that other specs left: deliveries are those of all
// accounts.
func (p *webhookFixture) forgetOthers() {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, storetest.URL(p.store)) // as the owner, who sees all accounts
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "UPDATE webhook_endpoints SET enabled = false WHERE enabled")
	Expect(err).NotTo(HaveOccurred())
}

func (p *webhookFixture) now() time.Time { return time.Now().Add(p.ahead) }

// pass lets real time pass, and has all done that is due by then.
func (p *webhookFixture) pass(time time.Duration) {
	GinkgoHelper()
	p.ahead += time
	Expect(p.deliveries.Finish(context.Background())).To(Succeed())
}

// endpoint makes an endpoint at a receiver and returns it with its secret.
func (p *webhookFixture) endpoint(r *receiver, change object) value {
	GinkgoHelper()
	return p.post("/v1/webhook_endpoints", with(object{"url": r.url}, change)).expect(201)
}

// happens makes something happen so many times that endpoints are told of: a customer.
func (p *webhookFixture) happens(times int) {
	GinkgoHelper()
	p.tx(func(tx *store.Tx) error {
		for range times {
			if _, err := customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "bills@acme.test"}); err != nil {
				return err
			}
		}
		return nil
	})
}

// log returns all deliveries to an endpoint, newest first.
func (p *webhookFixture) log(endpointID string) value {
	GinkgoHelper()
	return p.get("/v1/webhook_deliveries?limit=100&webhook_endpoint_id=" + endpointID).expect(200)
}

// claim takes the next delivery to an endpoint, as a server does that dies then.
func (p *webhookFixture) claim(endpointID string) {
	GinkgoHelper()
	p.tx(func(tx *store.Tx) error {
		_, found, err := webhook.Claim(tx, endpointID, p.now())
		Expect(found).To(BeTrue())
		return err
	})
}

// receiver is an endpoint's other end.
type receiver struct {
	url    string
	answer func(got request) http.HandlerFunc // 200 when nil

	mu  sync.Mutex
	got []request
}

// request is what a receiver got.
type request struct {
	number int // of the requests to this receiver, counted from 1
	header http.Header
	body   string
}

func receive(answer func(got request) http.HandlerFunc) *receiver {
	GinkgoHelper()
	r := &receiver{answer: answer}
	listener := httptest.NewServer(r)
	DeferCleanup(listener.Close)
	r.url = listener.URL + "/hook"
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, _ := io.ReadAll(in.Body)
	r.mu.Lock()
	got := request{len(r.got) + 1, in.Header, string(body)}
	r.got = append(r.got, got)
	r.mu.Unlock()
	if r.answer != nil {
		r.answer(got)(w, in)
	}
}

// requests are all that it got, in order.
func (r *receiver) requests() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]request{}, r.got...)
}

// status answers with it.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// always answers every request with it.
func always(code int) func(request) http.HandlerFunc {
	return func(request) http.HandlerFunc { return status(code) }
}

package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/server/cmd/tollkeeper/demo"
	"tollkeeper/server/webhooks"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// The person who looks.
const (
	person = "Mira Kovač"
	phrase = "seven herons cross the brook"
)

// site is a server with a database of its own.
type site struct {
	store  *store.Store
	server *server.Server
	api    http.Handler
	url    string
}

func serve() *site {
	GinkgoHelper()
	s := &site{store: storetest.New()}
	s.server = server.New(server.Config{Store: s.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)), Workers: 2, StrangersPerSecond: -1})
	s.api = s.server.Handler()
	listener := httptest.NewUnstartedServer(nil)
	listener.Config = server.NewHTTPServer("", s.api)
	listener.Start()
	DeferCleanup(listener.Close)
	s.url = listener.URL
	return s
}

// business is a test account of a site.
type business struct {
	*site
	id, key string
}

func (s *site) business(name string) business {
	GinkgoHelper()
	made, key, err := account.CreateWithKey(context.Background(), s.store, account.New{Name: name, Mode: account.ModeTest}, account.NewKey{Name: "Billing sync"})
	Expect(err).NotTo(HaveOccurred())
	return business{s, made.ID, key}
}

// demonstration is the account of make demo, with mails, which a test account holds back.
func (s *site) demonstration() business {
	GinkgoHelper()
	b := s.business("Demo")
	_, err := account.Set(context.Background(), s.store, b.id, "mail_from", "Demo <billing@ours.example>")
	Expect(err).NotTo(HaveOccurred())
	Expect(demo.Fill(context.Background(), s.api, b.key)).To(Succeed())
	refused := httptest.NewRequest(http.MethodGet, "/v1/customers/external_customer_id/initech-emea/costs?view_mode=weekly", nil)
	refused.Header.Set("Authorization", "Bearer "+b.key)
	Expect(s.server.RequestLog().Pass(context.Background())).To(Succeed()) // of which there are many
	s.api.ServeHTTP(httptest.NewRecorder(), refused)
	Expect(s.server.RequestLog().Pass(context.Background())).To(Succeed())
	return b
}

// deliver tries the webhooks of a site until they have failed: nothing answers at their address.
func (s *site) deliver() {
	GinkgoHelper()
	nowhere := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no such host") }}
	for _, later := range []time.Duration{0, time.Hour} {
		Expect(s.server.Deliverer(webhooks.Options{Resolver: nowhere, Now: func() time.Time { return time.Now().Add(later) }}).Finish(context.Background())).To(Succeed())
	}
}

// session makes a person with a role in the account, and signs them in.
func (b business) session(role user.Role) string {
	GinkgoHelper()
	_, session := b.member(role)
	return session
}

// member makes a person with a role in the account. Their password is phrase.
func (b business) member(role user.Role) (email, session string) {
	GinkgoHelper()
	email = store.Random(10) + "@ours.example"
	var invitation string
	Expect(b.store.Update(store.WithAccount(context.Background(), b.id), func(tx *store.Tx) (err error) {
		_, invitation, err = user.Invite(tx, email, role)
		return err
	})).To(Succeed())
	session, err := user.JoinAsNew(context.Background(), b.store, invitation, user.New{Name: person, Password: phrase}, user.Request{Browser: "Chrome/150", Address: "127.0.0.1"})
	Expect(err).NotTo(HaveOccurred())
	return email, session
}

// issued returns an invoice of a customer that is issued or paid and is for something.
func (b business) issued(alias string) string {
	GinkgoHelper()
	customer := b.get("/customers/external_customer_id/" + alias)["id"].(string)
	for _, each := range b.get("/invoices?customer_id=" + customer)["data"].(list) {
		if i := each.(object); (i["status"] == "issued" || i["status"] == "paid") && i["total"] != "0.00" {
			return i["id"].(string)
		}
	}
	Fail("no invoice of " + alias + " is issued")
	return ""
}

// ask sends a request of the API, which must succeed.
func (b business) ask(method, path string, body any) object {
	GinkgoHelper()
	written, err := json.Marshal(body)
	Expect(err).NotTo(HaveOccurred())
	request := httptest.NewRequest(method, "/v1"+path, bytes.NewReader(written))
	request.Header.Set("Authorization", "Bearer "+b.key)
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	b.api.ServeHTTP(answer, request)
	Expect(answer.Code).To(BeNumerically("<", 300), "%s %s %s: %s", method, path, written, answer.Body)
	var decoded object
	if answer.Body.Len() > 0 {
		Expect(json.Unmarshal(answer.Body.Bytes(), &decoded)).To(Succeed())
	}
	return decoded
}

func (b business) get(path string) object { GinkgoHelper(); return b.ask(http.MethodGet, path, nil) }
func (b business) post(path string, body any) object {
	GinkgoHelper()
	return b.ask(http.MethodPost, path, body)
}

// fetch gets a page without a browser, and returns its status and its text.
func (s *site) fetch(session, path string) (int, string) {
	GinkgoHelper()
	request := httptest.NewRequest(http.MethodGet, path, nil)
	if session != "" {
		request.Header.Set("Cookie", "tollkeeper_session="+session)
	}
	answer := httptest.NewRecorder()
	s.api.ServeHTTP(answer, request)
	text, err := io.ReadAll(answer.Body)
	Expect(err).NotTo(HaveOccurred())
	return answer.Code, string(text)
}

// shop is the account of the demo, which specs share.
var shop business

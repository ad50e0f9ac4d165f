package server_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/server"
	"tollkeeper/server/contract"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
)

// fuzzed is the server of the fuzz tests of this process, without an account.
var fuzzed = sync.OnceValue(func() *api {
	st, err := storetest.Open()
	if err != nil {
		panic(err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	listener := httptest.NewUnstartedServer(nil)
	listener.Config = server.NewHTTPServer("", server.New(server.Config{Store: st, Logger: log}).Handler())
	listener.Start()
	return &api{store: st, url: listener.URL}
})

// ground is an account in which bodies have something to name: $item, $metric and so
// on stand for ids.
type ground struct {
	*api
	ids   map[string]string
	names *strings.Replacer
	left  int // how many bodies it is for: it gets slow with what they made
}

var present *ground

// stand gives the ground of the next body.
func stand(t *testing.T) *ground {
	RegisterTestingT(t)
	outside = true
	if present == nil || present.left == 0 {
		present = newGround()
	}
	present.left--
	return present
}

func newGround() *ground {
	s := fuzzed().account("test").newFixture("2025-05-10T12:00:00Z")
	customer := s.buyer(object{"external_customer_id": "acme"})
	plan := s.plan(object{}, s.fee("20.00"), s.calls("0.10"))
	subscription := s.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan.text("id")}).expect(201)
	s.use(customer, "2025-05-10T11:00:00Z", "1", "2.5", "1e-60", `"x"`)
	g := &ground{api: s.api, left: 100, ids: map[string]string{
		"$item": s.item, "$metric": s.metric, "$customer": customer, "$plan": plan.text("id"), "$subscription": subscription.text("id"),
		"$fee": plan.text("prices[0].id"), "$usage": plan.text("prices[1].id"),
	}}
	var pairs []string
	for name, id := range g.ids {
		pairs = append(pairs, name, id)
	}
	g.names = strings.NewReplacer(pairs...)
	return g
}

// ask sends a body and fails the test if that breaks the server.
func (g *ground) ask(t *testing.T, method, path string, body any) *answer {
	r := g.send(method, path, body)
	if r.status >= 500 {
		t.Fatalf("%s %s: %d\n%s", r.asked, body, r.status, r.text)
	}
	return r
}

// creates fuzzes a creation: bodies are refused or make what reads back as it was
// answered and as it was sent. further goes on with what was made.
func creates(f *testing.F, path string, further func(t *testing.T, g *ground, sent, made value), bodies ...string) {
	members := membersOf(bodies)
	for _, body := range bodies {
		f.Add(body, []byte{})
		hash := sha256.Sum256([]byte(body))
		f.Add(body, hash[:4])
		f.Add(body, hash[4:12])
	}
	fuzzed()
	f.Fuzz(func(t *testing.T, body string, edits []byte) {
		g := stand(t)
		text := g.names.Replace(edited(body, edits, members))
		r := g.ask(t, "POST", path, text)
		if r.status != 201 {
			return
		}
		sent, _ := parsed(text)
		made := r.body()
		further(t, g, value{text, sent}, made)
	})
}

// readsBack fails the test unless what was made is found again, and holds what was
// sent.
func readsBack(t *testing.T, g *ground, path string, sent, made value) {
	found := g.ask(t, "GET", path+"/"+made.text("id"), nil)
	Expect(found.expect(200).json).To(Equal(made.json))
	if place := lost("", sent.json, made.json); place != "" {
		t.Fatalf("%s of %s is lost: %s", place, sent.asked, found.text)
	}
}

// lost names a member that both have, but with another value; those that are null
// when they are sent have a default.
func lost(place string, sent, shown any) string {
	switch s := sent.(type) {
	case nil:
		return ""
	case object:
		have, ok := shown.(object)
		if !ok {
			return place
		}
		for _, name := range slices.Sorted(maps.Keys(s)) {
			if other, both := have[name]; both {
				if at := lost(place+"."+name, s[name], other); at != "" {
					return at
				}
			}
		}
		return ""
	case list:
		have, ok := shown.(list)
		if !ok || len(have) != len(s) {
			return place
		}
		for i := range s {
			if at := lost(fmt.Sprintf("%s[%d]", place, i), s[i], have[i]); at != "" {
				return at
			}
		}
		return ""
	case json.Number:
		n, ok := shown.(json.Number)
		exact, err := money.ParseNumber(s.String())
		if other, otherErr := money.ParseNumber(n.String()); !ok || err != nil || otherErr != nil || !other.Equal(exact) {
			return place
		}
		return ""
	}
	if sent != shown {
		return place
	}
	return ""
}

func FuzzPrices(f *testing.F) {
	creates(f, "/v1/prices", func(t *testing.T, g *ground, sent, made value) {
		readsBack(t, g, "/v1/prices", sent, made)
	}, fuzzedPrices()...)
}

// A plan that was made can also be subscribed to and costs something.
func FuzzPlans(f *testing.F) {
	creates(f, "/v1/plans", func(t *testing.T, g *ground, sent, made value) {
		readsBack(t, g, "/v1/plans", planned(sent), made)
		subscribed := g.ask(t, "POST", "/v1/subscriptions", object{"customer_id": g.ids["$customer"], "plan_id": made.text("id"), "start_date": "2025-05-01"})
		if subscribed.status == 201 {
			g.readAll(t, subscribed.body().text("id"))
		}
	}, fuzzedPlans()...)
}

// planned is the body of a plan as responses have it: with prices in place of entries
// that hold them. What becomes of adjustments and phases is not compared.
func planned(sent value) value {
	plan := maps.Clone(sent.json.(object))
	prices := list{}
	for _, entry := range plan["prices"].(list) {
		prices = append(prices, entry.(object)["price"]) // null for a price of another kind
	}
	plan["prices"] = prices
	delete(plan, "adjustments")
	delete(plan, "plan_phases")
	return value{sent.asked, plan}
}

// readAll asks for all that is worked out for a subscription.
func (g *ground) readAll(t *testing.T, subscription string) {
	g.ask(t, "GET", "/v1/subscriptions/"+subscription+"/costs", nil)
	g.ask(t, "GET", "/v1/subscriptions/"+subscription+"/usage", nil)
	g.ask(t, "GET", "/v1/invoices/upcoming?subscription_id="+subscription, nil)
	g.ask(t, "GET", "/v1/invoices?"+everyStatus+"&subscription_id="+subscription, nil)
}

func FuzzSubscriptions(f *testing.F) {
	creates(f, "/v1/subscriptions", func(t *testing.T, g *ground, sent, made value) {
		g.ask(t, "GET", "/v1/subscriptions/"+made.text("id"), nil).expect(200)
		g.readAll(t, made.text("id"))
	},
		`{"customer_id":"$customer","plan_id":"$plan","start_date":"2025-05-01","net_terms":30,"metadata":{"a":"1"}}`,
		`{"external_customer_id":"acme","plan_id":"$plan","start_date":"2025-01-31T12:30:00+05:45","end_date":"2026-01-01","align_billing_with_subscription_start_date":true}`,
		`{"customer_id":"$customer","plan_id":"$plan","start_date":"0001-01-01","billing_cycle_anchor_configuration":{"day":31,"month":2,"year":2020}}`,
		`{"customer_id":"$customer","plan_id":"$plan","start_date":"9999-12-31","currency":"USD","name":"S","auto_collection":false,"auto_issuance":true,"default_invoice_memo":"x"}`,
		`{"customer_id":"$customer","plan_id":"$plan","start_date":"1900-01-01","end_date":"1900-01-02"}`,
		`{"customer_id":"$customer","external_customer_id":"acme","plan_id":"$plan","external_plan_id":"pro"}`,
		`{"customer_id":"$customer","plan_id":"$plan","coupon_redemption_code":"none"}`,
		`{"customer_id":"$customer","add_prices":[{"price":{"name":"P","item_id":"$item","cadence":"monthly","currency":"USD","model_type":"unit","unit_config":{"unit_amount":"1"}}}]}`,
		`{}`,
	)
}

func FuzzCustomers(f *testing.F) {
	address := `{"line1":"1 Street","line2":null,"city":"X","state":"Y","postal_code":"1","country":"DE"}`
	creates(f, "/v1/customers", func(t *testing.T, g *ground, sent, made value) {
		readsBack(t, g, "/v1/customers", sent, made)
		g.ask(t, "POST", "/v1/subscriptions", object{"customer_id": made.text("id"), "plan_id": g.ids["$plan"]})
	},
		`{"name":"Acme","email":"a@b.test","external_customer_id":"other","timezone":"Europe/Berlin","currency":"EUR","metadata":{"a":"1","b":null}}`,
		`{"name":"Acme","email":"a@b.test","additional_emails":["c@d.test"],"auto_collection":true,"auto_issuance":false,"email_delivery":true}`,
		`{"name":"Acme","email":"a@b.test","billing_address":`+address+`,"shipping_address":`+address+`,"tax_id":{"country":"DE","type":"eu_vat","value":"DE123456789"}}`,
		`{"name":"Acme","email":"a@b.test","payment_provider":"stripe_charge","payment_provider_id":"cus_1","timezone":"Local"}`,
		`{"name":"","email":"@","timezone":"right/UTC","currency":"XAU"}`,
	)
}

func FuzzMetrics(f *testing.F) {
	creates(f, "/v1/metrics", func(t *testing.T, g *ground, sent, made value) {
		readsBack(t, g, "/v1/metrics", sent, made)
	},
		`{"name":"M","description":null,"item_id":"$item","sql":"SELECT COUNT(*) FROM events WHERE event_name = 'call' AND n > 1","metadata":{"a":"1"}}`,
		`{"name":"M","description":"x","item_id":"$item","sql":"SELECT LATEST_BY(n, timestamp) FROM events"}`,
		`{"name":"M","description":"x","item_id":"nope","sql":"SELECT"}`,
	)
}

// Events are stored or refused one by one, and what was stored is counted.
func FuzzIngest(f *testing.F) {
	var bodies []string
	for _, event := range []string{
		`{"idempotency_key":"k1","event_name":"call","customer_id":"$customer","timestamp":"2025-05-10T11:30:00Z","properties":{"n":1.50,"s":"a\\b","t":true}}`,
		`{"idempotency_key":"k2","event_name":"call","external_customer_id":"acme","timestamp":"2025-05-10T11:30:00.123456789","properties":{"n":1e-60,"\u00e9":"\ud83d\ude00"}}`,
		`{"idempotency_key":"k3","event_name":"call","external_customer_id":"later","timestamp":"2025-05-10T11:30:00+00:00"}`,
		`{"idempotency_key":"k4","event_name":"call","external_customer_id":"acme","timestamp":"0001-01-01T00:00:00Z"}`,
		`{"idempotency_key":"","event_name":null,"customer_id":1,"timestamp":"0001-01-01T00:00:00Z","properties":{"n":1e400000},"property":1}`,
	} {
		bodies = append(bodies, `{"events":[`+event+`]}`, `{"events":[`+event+`,`+event+`],"debug":true}`)
	}
	bodies = append(bodies, `{"events":[]}`, `{"events":[null]}`, `{"events":{}}`)
	members := membersOf(bodies)
	for _, body := range bodies {
		hash := sha256.Sum256([]byte(body))
		f.Add(body, []byte{})
		f.Add(body, hash[:12])
	}
	fuzzed()
	f.Fuzz(func(t *testing.T, body string, edits []byte) {
		g := stand(t)
		stored := g.ask(t, "POST", "/v1/ingest?debug=true", g.names.Replace(edited(body, edits, members)))
		if stored.status == 200 {
			g.readAll(t, g.ids["$subscription"])
		}
	})
}

// Every operation that reads answers whatever its path and query say.
func FuzzGet(f *testing.F) {
	var paths []string
	for path, item := range document().Paths.Map() {
		if item.Get != nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	cursor := base64.RawURLEncoding.EncodeToString([]byte("1746878400000000.7.customers.created_at"))
	for n := range paths {
		for _, query := range []string{
			"", "limit=1&cursor=" + cursor, "limit=101&limit=2", "cursor=OTIyMzM3MjAzNjg1NDc3NTgwNy4xLmN1c3RvbWVycy5jcmVhdGVkX2F0", "created_at[gte]=2025-05-10&created_at[lt]=9999-12-31T23:59:59-01:00",
			"timeframe_start=2025-05-01&timeframe_end=2025-06-01", "timeframe_start=0001-01-01&timeframe_end=9999-12-31", "status[]=draft&date_type=issue_date",
			"subscription_id=$subscription&customer_id=$customer", "%00=%ff&cursor=%00", "view_mode=cumulative&currency=USD", "granularity=day&group_by=x",
		} {
			f.Add(n, "$subscription", query)
		}
		f.Add(n, "$customer", "timeframe_start=2025-05-01")
		f.Add(n, "a/b \x00\xff", "")
	}
	fuzzed()
	f.Fuzz(func(t *testing.T, n int, id, query string) {
		g := stand(t)
		id = g.names.Replace(id)
		if id == "" || strings.Trim(id, ".") == "" { // another path
			return
		}
		path := placeholder.ReplaceAllLiteralString(paths[uint(n)%uint(len(paths))], url.PathEscape(id))
		g.ask(t, "GET", path+"?"+printable(g.names.Replace(query)), nil)
	})
}

// printable escapes what the query of a URL does not allow.
func printable(query string) string {
	return regexp.MustCompile(`[^!-"$-~]|%(?:[^0-9a-fA-F]|$)|%.(?:[^0-9a-fA-F]|$)`).ReplaceAllStringFunc(query, url.QueryEscape)
}

// A body is refused by a fault, or read as what it says.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range append(fuzzedPlans(), odd...) {
		f.Add([]byte(seed))
	}
	f.Add([]byte(strings.Repeat("[", 65) + strings.Repeat("]", 65)))
	f.Add([]byte(`{"\ud800":1}`))
	f.Add([]byte("\"\xff\""))
	f.Fuzz(func(t *testing.T, body []byte) {
		RegisterTestingT(t)
		value, err := contract.ReadJSON(body)
		if err != nil {
			Expect(err).To(BeAssignableToTypeOf(&fault.Fault{}))
			return
		}
		sent, ok := parsed(string(body))
		if !ok || lost("body", sent, value) != "" || lost("body", value, sent) != "" {
			t.Fatalf("%s is read as %v", body, value)
		}
		written, err := json.Marshal(value)
		Expect(err).NotTo(HaveOccurred())
		again, err := contract.ReadJSON(written)
		if err != nil || !reflect.DeepEqual(again, value) {
			t.Fatalf("%s reads back as %v, %v", body, again, err)
		}
	})
}

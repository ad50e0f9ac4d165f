package browser_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/net/html"

	"tollkeeper/domain/user"
)

// everyHostile are 200 texts that would run a script, break the page or ask another host if a page took them
// for more than text.
var everyHostile = func() (all []string) {
	if err := json.Unmarshal(hostileText, &all); err != nil {
		panic(err)
	}
	return all
}()

//go:embed testdata/hostile.json
var hostileText []byte

// plain is a text that harms nobody. Pages with a hostile one are compared with those that have it.
const plain = "Plain"

// planted are the pages that show a text, by what they show.
type planted map[string]string

// plant stores a text in each field that the console shows, and returns the pages of what has it.
func (b business) plant(text string, n int) planted {
	GinkgoHelper()
	email := strings.Map(func(r rune) rune {
		if r == '@' || unicode.IsSpace(r) || unicode.IsControl(r) || r > unicode.MaxASCII {
			return -1
		}
		return r
	}, text)
	alias := fmt.Sprintf("buyer-%03d", n)
	id := func(o object) string { return o["id"].(string) }
	quoted := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	customer := id(b.post("/customers", object{"name": text, "email": email[:min(len(email), 200)] + "x@ours.example", "external_customer_id": alias, "currency": "USD", "metadata": labels(text)}))
	item := id(b.post("/items", object{"name": text}))
	metric := id(b.post("/metrics", object{"name": text, "description": text, "item_id": item, "sql": "SELECT COUNT(*) FROM events WHERE event_name = " + quoted}))
	plan := id(b.post("/plans", object{"name": text, "description": text, "currency": "USD", "metadata": labels(text), "prices": list{
		object{"price": object{"name": text, "item_id": item, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "1.00"}}},
		object{"price": object{"name": text, "item_id": item, "billable_metric_id": metric, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "1.00"}}},
	}}))
	invoice := b.post("/invoices", object{"external_customer_id": alias, "currency": "USD", "invoice_date": "2025-01-01", "net_terms": 0, "memo": text, "will_auto_issue": false, "metadata": labels(text),
		"line_items": list{object{"name": text, "item_id": item, "quantity": 2, "model_type": "unit", "start_date": "2025-01-01", "end_date": "2025-01-01", "unit_config": object{"unit_amount": "3.00"}}}})
	b.post("/invoices/"+id(invoice)+"/issue", object{})
	line := invoice["line_items"].(list)[0].(object)["id"]
	note := id(b.post("/credit_notes", object{"reason": "duplicate", "memo": text, "line_items": list{object{"invoice_line_item_id": line, "amount": "1.00"}}}))
	b.post("/customers/"+customer+"/credits/ledger_entry", object{"entry_type": "increment", "amount": 5, "currency": "USD", "description": text})
	b.post("/api_keys", object{"name": text, "scopes": list{"customers:read"}})
	b.post("/ingest", object{"events": list{object{"idempotency_key": idempotencyKey(n), "event_name": text, "external_customer_id": alias, "timestamp": "2025-01-01T00:00:00Z", "properties": object{text: text}}}})
	return planted{
		"page": within(b.get("/invoices/" + id(invoice))["hosted_invoice_url"]), "portal": b.openPortal(customer), "portal's invoices": b.openPortal(customer) + "/invoices", "portal's credits": b.openPortal(customer) + "/credits",
		"customer": "/console/customers/" + customer, "credits": "/console/customers/" + customer + "/credits?currency=USD", "customer's invoices": "/console/customers/" + customer + "/invoices",
		"plan": "/console/plans/" + plan, "metric": "/console/metrics/" + metric, "invoice": fmt.Sprintf("/console/invoices/%s?line=%s", id(invoice), line), "credit note": "/console/credit-notes/" + note,
		"form": "/console/do/updateCustomer?customer_id=" + customer,
	}
}

// labels are metadata of a text.
func labels(text string) object {
	key := []rune(text)
	return object{string(key[:min(len(key), 100)]): text}
}

// idempotencyKey is that of the event with a text.
func idempotencyKey(n int) string { return fmt.Sprintf("hostile-%d", n) }

// shape is what a page is made of, without its texts: its elements, with the names of their attributes.
func shape(page string) (all []string) {
	GinkgoHelper()
	root, err := html.Parse(strings.NewReader(page))
	Expect(err).NotTo(HaveOccurred())
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			var names []string
			for _, a := range n.Attr {
				names = append(names, a.Key)
			}
			slices.Sort(names)
			all = append(all, n.Data+"["+strings.Join(names, " ")+"]")
		}
	}
	return all
}

var _ = Describe("Hostile texts", Ordered, func() {
	var b business
	var session string
	var harmless planted
	var hostile []string
	var pages []planted
	BeforeAll(func() {
		Expect(everyHostile).To(HaveLen(200))
		hostile = part(everyHostile, 5)
		pages = make([]planted, len(hostile))
		b = serve().business("Hostile")
		b.post("/test_clock/advance", object{"now": "2025-01-01T12:00:00Z"})
		harmless = b.plant(plain, 999)
		for n, text := range hostile {
			pages[n] = b.plant(text, n)
		}
		session = b.session(user.RoleOwner)
	})

	It("change no page that shows them: only its text differs from a harmless one", func() {
		for kind, path := range harmless {
			status, page := b.fetch(session, path)
			Expect(status).To(Equal(http.StatusOK), path)
			Expect(page).To(ContainSubstring(plain), path)
			expected := shape(page)
			for n, text := range hostile {
				status, page := b.fetch(session, pages[n][kind])
				Expect(status).To(Equal(http.StatusOK), "%s with %q", kind, text)
				if got := shape(page); !slices.Equal(got, expected) {
					Expect(got).To(Equal(expected), "%s with %q", kind, text)
				}
			}
		}
	})

	It("are found by that comparison when they are not escaped", func() {
		for _, text := range everyHostile[:100] {
			if strings.ContainsAny(text[:1], "<") && !strings.HasPrefix(text, "<!") {
				Expect(shape("<p>"+text+"</p>")).NotTo(Equal(shape("<p>"+plain+"</p>")), "%q", text)
			}
		}
	})

	It("run nothing, ask nothing and break no layout", func() {
		var todo []place
		for _, address := range []string{"/console/customers", "/console/plans", "/console/metrics", "/console/invoices"} { // all of them
			todo = append(todo, b.cursor(session, address)...)
		}
		for _, address := range []string{"/console/prices", "/console/credit-notes", "/console/credits", "/console/keys", "/console/audit", "/console/do/createSubscription", "/console/do/createPlan"} {
			todo = append(todo, place{address, address})
		}
		for n := 0; n < len(pages); n += 20 {
			for kind, path := range pages[n] {
				todo = append(todo, place{kind, path})
			}
			todo = append(todo, place{"event", "/console/events?" + url.Values{"keys": {idempotencyKey(n)}}.Encode()})
		}
		Expect(b.everywhere(session, todo, func(t *tab, at place) []string {
			status := t.visit(at.Path)
			found := evaluate[[]string](t, checks)
			if status != http.StatusOK {
				found = append(found, http.StatusText(int(status)))
			}
			t.look(narrow, "light")
			found = append(found, evaluate[[]string](t, checks)...)
			t.look(wide, "light")
			return append(found, t.noted()...)
		})).To(BeEmpty())
	})
})

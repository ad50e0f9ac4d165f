package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
)

// within is the path of an address that an answer of the API shows.
func within(address any) string {
	GinkgoHelper()
	path, found := strings.CutPrefix(address.(string), "http://127.0.0.1:8080")
	Expect(found).To(BeTrue(), "%v", address)
	return path
}

// open returns the path of a new session of a customer's portal.
func (b business) openPortal(customer string) string {
	GinkgoHelper()
	return within(b.post("/customers/"+customer+"/portal_sessions", object{"invalidate_existing": false, "expires_in_minutes": 180})["url"])
}

// forCustomers are the pages that a customer of the demo sees: invoices in each state, the portal, and what is left after
// the end of a session.
func (b business) forCustomers() (all []place) {
	GinkgoHelper()
	b.ask(http.MethodPut, "/letterhead", object{
		"name": "Brightline Speech Ltd", "address": object{"line1": "88 Quay Street", "city": "Dublin", "postal_code": "D02 X285", "country": "IE"},
		"tax_numbers": list{object{"kind": "vat", "value": "IE9876543Z"}}, "email": "billing@brightline.example", "color": "#14515c",
		"bank": object{"account_holder": "Brightline Speech Ltd", "iban": "IE29AIBK93115212345678", "bic": "AIBKIE2D"}, "payment_instructions": "Please name the invoice number.",
	})
	_, err := account.Set(context.Background(), b.store, b.id, "mail_from", "billing@brightline.example") // so alerts can be set
	Expect(err).NotTo(HaveOccurred())
	seen := map[string]bool{}
	for _, each := range b.get("/invoices?limit=100&status[]=issued&status[]=paid&status[]=void")["data"].(list) {
		i := each.(object)
		kind := fmt.Sprint(i["status"], " with notes: ", len(i["credit_notes"].(list)) > 0)
		if i["hosted_invoice_url"] != nil && !seen[kind] && len(i["line_items"].([]any)) > 0 {
			seen[kind] = true
			all = append(all, place{"invoice " + kind, within(i["hosted_invoice_url"])})
		}
	}
	Expect(len(all)).To(BeNumerically(">=", 2))
	customer := b.get("/customers/external_customer_id/globex")["id"].(string)
	portal := b.openPortal(customer)
	for _, below := range []string{"", "/usage", "/credits", "/invoices"} {
		all = append(all, place{"portal" + below, portal + below})
	}
	return append(all, place{"portal?saved", portal + "?saved=1"})
}

// Bounds of a page for customers: its own bytes and those of its files, as they are sent.
const (
	mostRequests = 4 // the page, the stylesheet, the seller's color and logo
	mostBytes    = 60 << 10
)

var _ = Describe("Each page for customers", func() {
	var places []place
	BeforeEach(func() {
		if places == nil {
			places = shop.forCustomers()
		}
	})

	It("has no fault, wide and narrow, light and dark, and asks no other host", func() {
		Expect(shop.everywhere("", places, sound(http.StatusOK))).To(BeEmpty())
	})

	It("has no fault where a link or a session has ended, or nothing is there", func() {
		ended := shop.openPortal(shop.get("/customers/external_customer_id/globex")["id"].(string))
		request, err := http.NewRequest(http.MethodPost, shop.url+ended+"/end", http.NoBody)
		Expect(err).NotTo(HaveOccurred())
		answer, err := http.DefaultClient.Do(request)
		Expect(err).NotTo(HaveOccurred())
		Expect(answer.Body.Close()).To(Succeed())
		Expect(shop.everywhere("", []place{{"", ended}}, sound(http.StatusGone))).To(BeEmpty())
		Expect(shop.everywhere("", []place{{"", "/i/none"}, {"", "/portal/none"}}, sound(http.StatusNotFound))).To(BeEmpty())
	})

	It("has a strict policy, keeps within its budget, and is the same without scripts", func() {
		for _, at := range places {
			answer, err := http.Get(shop.url + at.Path) //nolint:noctx // of this spec's own server
			Expect(err).NotTo(HaveOccurred())
			Expect(answer.Body.Close()).To(Succeed())
			policy := answer.Header.Get("Content-Security-Policy")
			Expect(policy).To(And(HavePrefix("default-src 'none';"), Not(ContainSubstring("unsafe")), Not(ContainSubstring("script-src")), ContainSubstring("frame-ancestors 'none'")), at.Kind)

			t := open(shop.url, "")
			t.withoutScripts()
			before := t.loaded()
			Expect(t.visit(at.Path)).To(BeEquivalentTo(http.StatusOK))
			sent := t.loaded().less(before)
			GinkgoWriter.Printf("%s: %d requests, %.0f bytes\n", at.Kind, sent.requests, sent.bytes)
			Expect(sent.requests).To(BeNumerically("<=", mostRequests), at.Kind)
			Expect(sent.bytes).To(And(BeNumerically(">", 0), BeNumerically("<=", mostBytes)), at.Kind)
			Expect(t.noted()).To(BeEmpty(), at.Kind)
		}
	})

	It("lets a customer correct the address by keyboard alone, and sign out", func() {
		t := open(shop.url, "")
		t.withoutScripts()
		portal := shop.openPortal(shop.get("/customers/external_customer_id/initech")["id"].(string))
		t.visit(portal)
		t.fill("City", "Galway")
		t.follow("Save billing details", "^"+portal+"\\?saved=1")
		Expect(t.text()).To(ContainSubstring("The billing details are saved"))
		Expect(shop.get("/customers/external_customer_id/initech")).To(HaveKeyWithValue("billing_address", HaveKeyWithValue("city", "Galway")))
		t.follow("Sign out", "^"+portal+"/end")
		Expect(t.visit(portal)).To(BeEquivalentTo(http.StatusGone))
		Expect(t.noted()).To(BeEmpty())
	})

	It("is taken pictures of", func() {
		folder := os.Getenv("SPEC_PICTURES")
		if folder == "" {
			Skip("make pictures takes them")
		}
		Expect(shop.everywhere("", places, func(t *tab, at place) []string {
			t.visit(at.Path)
			name := strings.NewReplacer("/", "-", " ", "-", ":", "", "?", "+").Replace(at.Kind)
			for _, theme := range []string{"light", "dark"} {
				t.look(wide, theme)
				t.picture(filepath.Join(folder, "for-customers-"+name+"-1440-"+theme+".png"), true)
				t.look(narrow, theme)
				t.picture(filepath.Join(folder, "for-customers-"+name+"-400-"+theme+".png"), true)
			}
			t.look(wide, "light")
			return nil
		})).To(BeEmpty())
	})
})

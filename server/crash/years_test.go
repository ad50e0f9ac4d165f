package crash_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The same year of several accounts", Ordered, func() {
	var m *machine
	var years map[string]*year
	BeforeAll(func() {
		m = boot()
		years = map[string]*year{
			"day by day": m.openYear("Day by day", byDay), "at once": m.openYear("At once", withOnce), "killed": m.openYear("Killed", byLeaps),
		}
		years["day by day"].play()
		years["at once"].play()
		m.sufferDuring(years["killed"].play, kills()/3)
	})

	It("ends with the same documents and balances, to the byte", func() {
		first := years["day by day"].documents()
		Expect(len(first)).To(BeNumerically(">", 60))
		for name, y := range years {
			documents := y.documents()
			for k := range min(len(first), len(documents)) {
				Expect(documents[k]).To(Equal(first[k]), name)
			}
			Expect(hash(documents)).To(Equal(hash(first)), name)
		}
		for _, kind := range []string{`"status":"paid"`, `"succeeded":false`, `"reason":"order_change"`, `"credit_block_expiry"`} {
			Expect(strings.Join(first, "\n")).To(ContainSubstring(kind), "nothing of the kind came about")
		}
	})

	It("would show a cent", func() {
		y := years["at once"]
		before := hash(y.documents())
		var acme struct{ ID string }
		y.get("/v1/customers/external_customer_id/acme", &acme)
		y.post("/v1/customers/"+acme.ID+"/balance_transactions", object{"type": "increment", "amount": "0.01"})
		Expect(hash(y.documents())).NotTo(Equal(before))
	})
})

// sufferDuring is suffer while work is done, which is done to the end.
func (m *machine) sufferDuring(work func(), n int) {
	GinkgoHelper()
	busy := newCrowd()
	busy.add(func(<-chan struct{}) { work() })
	m.suffer(n, func() {})
	busy.sendHome()
}

// documents are all that an account shows of what it billed, in its own order: each as
// JSON, with what was made up for it named by the order in which it appears.
func (y *year) documents() (texts []string) {
	GinkgoHelper()
	names := map[string]string{}
	add := func(path string) {
		for _, document := range y.all(path) {
			texts = append(texts, made.ReplaceAllStringFunc(string(document), func(text string) string {
				if names[text] == "" {
					names[text] = fmt.Sprint("made", len(names))
				}
				return names[text]
			}))
		}
	}
	add("/v1/customers?")
	add("/v1/credit_notes?")
	for _, alias := range []string{"acme", "cairo", "coast", "delhi"} {
		var c struct{ ID string }
		y.get("/v1/customers/external_customer_id/"+alias, &c)
		add("/v1/invoices?date_type=invoice_date&status[]=draft&status[]=issued&status[]=paid&status[]=void&customer_id=" + c.ID)
		add("/v1/customers/" + c.ID + "/balance_transactions?")
		add("/v1/customers/" + c.ID + "/credits/ledger?currency=USD")
		add("/v1/customers/" + c.ID + "/credits?currency=USD&include_all_blocks=true")
	}
	return texts
}

// made is what is made up: links to documents, ids, and prefixes of invoice numbers.
var made = regexp.MustCompile(`https?://[^"]*/i/[^"]*|[a-z]+_[0-9A-Za-z_-]{20}|\b[A-Z]{6}\b`)

// all reads every page of a list.
func (y *year) all(path string) (documents []json.RawMessage) {
	GinkgoHelper()
	cursor := ""
	for {
		var page struct {
			Data  []json.RawMessage
			Pages struct {
				Next *string `json:"next_cursor"`
			} `json:"pagination_metadata"`
		}
		y.get(path+"&limit=100"+cursor, &page)
		documents = slices.Concat(documents, page.Data)
		if page.Pages.Next == nil {
			return documents
		}
		cursor = "&cursor=" + *page.Pages.Next
	}
}

func hash(documents []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(documents, "\n"))))
}

package crash_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/scripts/rig"
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

// documents are all that an account shows of what it billed, in its own order and in a form that accounts
// can be compared by.
func (y *year) documents() (texts []string) {
	GinkgoHelper()
	ctx := context.Background()
	shown := rig.Dump{Client: y.Client}
	for _, path := range []string{"/v1/customers", "/v1/credit_notes"} {
		Expect(shown.List(ctx, path)).To(Succeed())
	}
	for _, alias := range []string{"acme", "cairo", "coast", "delhi"} {
		var c struct{ ID string }
		y.get("/v1/customers/external_customer_id/"+alias, &c)
		for _, path := range []string{
			"/v1/invoices?date_type=invoice_date&status[]=draft&status[]=issued&status[]=paid&status[]=void&customer_id=" + c.ID,
			"/v1/customers/" + c.ID + "/balance_transactions",
			"/v1/customers/" + c.ID + "/credits/ledger?currency=USD",
			"/v1/customers/" + c.ID + "/credits?currency=USD&include_all_blocks=true",
		} {
			Expect(shown.List(ctx, path)).To(Succeed())
		}
	}
	return strings.Split(shown.String(), "\n")
}

func hash(documents []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(documents, "\n"))))
}

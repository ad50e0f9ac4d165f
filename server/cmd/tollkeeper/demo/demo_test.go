package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/server"
	"tollkeeper/server/cmd/tollkeeper/demo"
	"tollkeeper/server/worker"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestDemo(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "The demo")
}

type object = map[string]any

var _ = Describe("The demo", Ordered, func() {
	var st *store.Store
	var api http.Handler

	// fill makes an account of the demo. ask gets something of it.
	fill := func() (id string, ask func(path string) object) {
		GinkgoHelper()
		made, key, err := account.CreateWithKey(context.Background(), st, account.New{Name: "Demo", Mode: account.ModeTest}, account.NewKey{Name: "demo"})
		Expect(err).NotTo(HaveOccurred())
		Expect(demo.Fill(context.Background(), api, key)).To(Succeed())
		return made.ID, func(path string) (answer object) {
			GinkgoHelper()
			request := httptest.NewRequest(http.MethodGet, "/v1"+path, nil)
			request.Header.Set("Authorization", "Bearer "+key)
			recorder := httptest.NewRecorder()
			api.ServeHTTP(recorder, request)
			Expect(recorder.Code).To(Equal(http.StatusOK), recorder.Body.String())
			decoder := json.NewDecoder(bytes.NewReader(recorder.Body.Bytes()))
			decoder.UseNumber()
			Expect(decoder.Decode(&answer)).To(Succeed())
			return answer
		}
	}
	data := func(answer object) []any { return answer["data"].([]any) }

	var id string
	var ask func(path string) object
	BeforeAll(func() {
		st = storetest.New()
		api = server.New(server.Config{Store: st, Logger: slog.New(slog.DiscardHandler), Workers: 1, StrangersPerSecond: -1}).Handler()
		id, ask = fill()
	})

	// customer is the id of the customer with an alias.
	customer := func(alias string) string { return ask("/customers/external_customer_id/" + alias)["id"].(string) }

	It("has three plans in two currencies, and twenty customers", func() {
		Expect(data(ask("/plans?limit=100"))).To(HaveLen(6))
		Expect(data(ask("/customers?limit=100"))).To(HaveLen(20))
		Expect(ask("/test_clock")["now"]).To(Equal("2025-04-01T12:00:00+00:00"))
	})

	It("has what people look for", func() {
		Expect(data(ask("/credit_notes"))).To(HaveLen(1))
		Expect(data(ask("/events/backfills"))[0]).To(HaveKeyWithValue("status", "reflected"))
		Expect(data(ask("/webhook_deliveries?type=subscription.cost_exceeded"))).NotTo(BeEmpty())
		Expect(data(ask("/webhook_deliveries?type=customer.credit_balance_dropped"))).NotTo(BeEmpty())
		Expect(data(ask("/invoices?due_date[lt]=2025-04-01&status[]=issued&customer_id=" + customer("initech")))).NotTo(BeEmpty())
		Expect(data(ask("/customers/"+customer("edo")+"/credits/ledger?currency=USD&entry_type=increment"))).To(HaveLen(9), "eight top-ups")
		Expect(data(ask("/subscriptions?status[]=ended"))).To(HaveLen(1))
		balance := func(alias, currency string) string {
			left := data(ask("/customers/" + customer(alias) + "/credits?currency=" + currency))
			if len(left) == 0 {
				return "0"
			}
			return string(left[0].(object)["balance"].(json.Number))
		}
		Expect(balance("delta", "USD")).To(Equal("0"))
		Expect(balance("acme", "USD")).To(MatchRegexp(`^\d{4}\b`), "will last for months")
		Expect(balance("alpenblick", "EUR")).To(MatchRegexp(`^\d\d\.`), "will be used up within days")
	})

	It("shows a business that does well: few invoices are overdue, few deliveries fail, and today has usage", func() {
		var overdue []string
		for _, row := range data(ask("/invoices?status[]=issued&date_type=due_date&due_date[lt]=2025-04-01&limit=100")) {
			overdue = append(overdue, row.(object)["customer"].(object)["external_customer_id"].(string))
		}
		Expect(overdue).To(ConsistOf("initech", "initech", "initech", "initech", "orbit"))
		Expect(len(data(ask("/webhook_deliveries?limit=100")))).To(BeNumerically("<", 10))
		costs := ask("/customers/" + customer("acme") + "/costs?timeframe_start=2025-04-01T04:00:00Z")
		Expect(data(costs)).NotTo(BeEmpty())
		Expect(data(costs)[0].(object)["per_price_costs"]).To(ContainElement(And(
			HaveKeyWithValue("price", HaveKeyWithValue("name", "Map tiles")), HaveKeyWithValue("total", Not(Equal("0.00"))))))
	})

	It("has books that agree", func() {
		v, err := worker.Verify(context.Background(), st, id)
		Expect(err).NotTo(HaveOccurred())
		Expect(v.Findings).To(BeEmpty())
		Expect(v.Invoices).To(BeNumerically(">", 80))
	})

	It("is the same each time", func() {
		totals := func(ask func(path string) object) (all []any) {
			for _, row := range data(ask("/invoices?limit=100")) {
				invoice := row.(object)
				all = append(all, []any{invoice["invoice_date"], invoice["status"], invoice["customer"].(object)["external_customer_id"], invoice["total"]})
			}
			return all
		}
		_, again := fill()
		Expect(totals(again)).To(Equal(totals(ask)))
	})
})

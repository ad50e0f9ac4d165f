package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = Describe("A parked unit that is skipped", func() {
	var s fixture
	var sub string
	BeforeEach(func() {
		s = startAlone().newFixture("2025-01-01T00:00:00Z")
		s.setting("payment_gateway", "test")
		s.listens()
		buyer := s.buyer(object{"payment_provider": "stripe_charge", "payment_provider_id": "card"})
		sub = s.subscribe(buyer, object{"start_date": "2025-02-01"}, s.fee("10"), s.calls("1")).text("id")
		s.post("/v1/alerts/subscription_id/"+sub, object{"type": "usage_exceeded", "metric_id": s.metric, "thresholds": thresholds("10")}).expect(201)
		s.clock("2025-01-31T23:00:00Z")
	})
	// fails moves the clock while a constraint fails the unit of that kind, and returns its id.
	fails := func(table, condition, kind, to string) (id string) {
		GinkgoHelper()
		s.owner("ALTER TABLE " + table + " ADD CONSTRAINT broken CHECK (" + condition + ") NOT VALID")
		defer s.owner("ALTER TABLE " + table + " DROP CONSTRAINT broken")
		parked := s.advance(to)
		parked.parks(object{"parked[0].kind": kind})
		return parked.text("parked[0].id")
	}
	skip := func(id string) {
		GinkgoHelper()
		s.tx(func(tx *store.Tx) error {
			_, err := worker.Skip(tx, id)
			return err
		})
	}

	It("sends no message of the start of a subscription, and sends that of its end", func() {
		skip(fails("webhook_messages", "type <> 'subscription.started'", "notify of subscriptions", "2025-02-02T00:00:00Z"))
		s.cancel(sub, object{"cancel_option": "requested_date", "cancellation_date": "2025-02-10"}).expect(200)
		s.clock("2025-03-02T00:00:00Z")
		Expect(s.toldTypes()).NotTo(ContainElement("subscription.started"))
		Expect(s.toldTypes()).To(ContainElements("subscription.ended", "invoice.invoice_date_elapsed"))
	})

	It("leaves the date of one invoice untold", func() {
		s.setting("auto_issuance", "false") // once the draft is issued there is no date to tell, and the unit is parked no more
		skip(fails("webhook_messages", "type <> 'invoice.invoice_date_elapsed'", "notify of invoice dates", "2025-02-01T01:00:00Z"))
		s.clock("2025-02-27T00:00:00Z")
		Expect(s.toldTypes()).NotTo(ContainElement("invoice.invoice_date_elapsed"))
		s.clock("2025-03-02T00:00:00Z")
		Expect(s.toldTypes()).To(ContainElement("invoice.invoice_date_elapsed"))
	})

	It("leaves one invoice uncharged, and the next is charged", func() {
		skip(fails("payment_attempts", "false", "collect payments", "2025-02-02T00:00:00Z"))
		s.clock("2025-03-02T12:00:00Z")
		Expect(s.bills(sub)[:2]).To(Equal([]string{"2025-02-01 issued 10.00", "2025-03-01 paid 10.00"}))
		s.invoices(sub).entry("data", 2).shows(object{"auto_collection.num_attempts": json.Number("0"), "auto_collection.next_attempt_at": nil})
	})

	It("leaves alerts to the next event", func() {
		s.clock("2025-02-01T12:00:00Z")
		buyer := s.get("/v1/subscriptions/" + sub).expect(200).text("customer.id")
		s.use(buyer, "2025-02-01T12:00:00Z", "10")
		skip(fails("alert_firings", "false", "look at subscriptions", "2025-02-01T13:00:00Z"))
		s.clock("2025-02-01T14:00:00Z")
		Expect(s.toldTypes()).NotTo(ContainElement("subscription.usage_exceeded"))
		s.use(buyer, "2025-02-01T14:00:00Z", "1")
		s.clock("2025-02-01T14:00:00Z")
		Expect(s.toldTypes()).To(ContainElement("subscription.usage_exceeded"))
	})
})

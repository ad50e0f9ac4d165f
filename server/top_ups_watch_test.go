package server_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/credit"
	"tollkeeper/store"
)

var _ = Describe("Top-ups of a server that watches", func() {
	var w alertFixture
	BeforeEach(func() {
		w = newAlertFixture(inCredits)
		w.credits(w.buyer, object{"amount": 25})
	})

	// agree makes the top-up of TU-1.
	agree := func() {
		GinkgoHelper()
		w.post("/v1/customers/"+w.buyer+"/credits/top_ups", object{
			"currency": "credits", "threshold": "20", "amount": "100", "per_unit_cost_basis": "0.10",
			"invoice_settings": object{"auto_collection": false, "net_terms": 0},
		}).expect(201)
	}
	// bought counts the blocks that were bought. Nothing is brought up to date by that.
	bought := func() int {
		GinkgoHelper()
		var blocks []credit.Block
		w.tx(func(tx *store.Tx) error {
			return tx.Where("customer_id = ? AND source = ?", w.buyer, credit.SourceTopUp).Find(&blocks).Error
		})
		return len(blocks)
	}
	soon := func(times int) {
		GinkgoHelper()
		Eventually(bought, onBusyMachine, "20ms").Should(Equal(times))
	}
	// leaves is what the buyer has, whose top-ups were invoiced that often.
	leaves := func(balance string, invoices int) {
		GinkgoHelper()
		last := w.get("/v1/customers/" + w.buyer + "/credits/ledger?limit=1").expect(200)
		Expect(fmt.Sprint(last.at("data[0].ending_balance"))).To(Equal(balance))
		sold := w.get("/v1/invoices?is_recurring=false&limit=100&status[]=issued&customer_id=" + w.buyer).expect(200)
		Expect(sold.list("data")).To(HaveLen(invoices))
		Expect(bought()).To(Equal(invoices))
	}

	It("TU-1: add credits soon after the usage, though nobody asks for the balance", func() {
		w.api = w.watched()
		agree()
		w.use(w.buyer, "2025-03-10T08:00:00Z", "4")
		w.use(w.buyer, "2025-03-10T08:00:00Z", "1")
		soon(1)
		leaves("120", 1)
	})

	It("add credits soon on a real clock, too", func() {
		live := shared.account("live")
		DeferCleanup(live.agree)
		w.fixture = fixture{live, live.item("Calls"), live.metric("SELECT SUM(n) FROM events WHERE event_name = 'call'"), new(int)}
		w.buyer = w.fixture.buyer(object{"currency": "USD"})
		now := time.Now().UTC()
		w.subscribe(w.buyer, object{"start_date": now.AddDate(0, 0, -1).Format(time.DateOnly)}, inCredits(w.fixture)...)
		w.credits(w.buyer, object{"amount": 25})
		w.api = w.watched()
		agree()
		for k := range 3 { // each is noticed by itself
			w.use(w.buyer, now.Format(time.RFC3339), "100")
			soon(k + 1)
		}
		leaves("25", 3)
	})

	It("add credits for what a server that ended left", func() {
		agree()
		w.use(w.buyer, "2025-03-10T08:00:00Z", "5")
		Expect(bought()).To(BeZero())
		w.watched()
		soon(1)
		leaves("120", 1)
	})

	It("add credits when usage is corrected, and when it is a subscription's from then on", func() {
		w.api = w.watched()
		agree()
		w.use(w.buyer, "2025-03-10T08:00:00Z", "4")
		w.put("/v1/events/e000001", object{"event_name": "call", "customer_id": w.buyer, "timestamp": "2025-03-10T08:00:00Z", "properties": object{"n": 5}}).expect(200)
		soon(1)
		w.use(w.buyer, "2025-03-10T08:00:00Z", "60")
		w.subscribe(w.buyer, object{"start_date": "2025-03-01"}, inCredits(w.fixture)...)
		soon(2)
		leaves("95", 2)
	})

	It("add credits for what a child used", func() {
		child := w.buyer
		w.buyer = w.fixture.buyer(object{"currency": "USD"})
		w.put("/v1/customers/"+child, object{"hierarchy": object{"parent_customer_id": w.buyer, "child_customer_ids": list{}}}).expect(200)
		w.credits(w.buyer, object{"amount": 25})
		w.subscribe(w.buyer, object{"start_date": "2025-03-01", "usage_customer_ids": list{child}}, inCredits(w.fixture)...)
		w.api = w.watched()
		agree()
		w.use(child, "2025-03-10T08:00:00Z", "5")
		soon(1)
		leaves("120", 1)
	})

	It("add them once for each fall, whoever sends events at once and however many servers watch", func() {
		const clients, batches = 16, 25
		agree()
		servers := []*api{w.watched(), w.watched()}
		var sending sync.WaitGroup
		for client := range clients {
			sending.Go(func() {
				defer GinkgoRecover()
				for n := range batches {
					servers[n%len(servers)].insist("/v1/ingest", object{"events": list{object{
						"idempotency_key": fmt.Sprint(client, "-", n), "event_name": "call", "customer_id": w.buyer, "timestamp": "2025-03-10T08:00:00Z",
						"properties": object{"n": json.Number("1")},
					}}})
					if n%5 == 0 {
						servers[n%len(servers)].get("/v1/customers/" + w.buyer + "/credits").expect(200)
					}
				}
			})
		}
		sending.Wait()
		soon(4) // 25 + 400 - 400 = 25, and with three it would be less than nothing
		leaves("25", 4)
	})
})

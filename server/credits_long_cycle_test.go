package server_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/webhook"
)

var _ = Describe("Credits that pay a price whose cycle is longer than the billing period", func() {
	var s fixture
	var buyer string
	BeforeEach(func() {
		s = newFixture("2025-01-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
	})
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "credits") }
	quarterly := func() object { return s.each(object{"cadence": "quarterly"}) }
	// decrements are the entries that pay for usage, oldest first.
	decrements := func(customer string) (entries []value) {
		GinkgoHelper()
		all := s.get("/v1/customers/" + customer + "/credits/ledger?entry_type=decrement&limit=100&currency=credits").expect(200)
		for k := len(all.list("data")) - 1; k >= 0; k-- {
			entries = append(entries, all.entry("data", k))
		}
		return entries
	}
	// steps moves the clock to each local noon up to an instant, and to that.
	steps := func(from, to string, zone string) {
		GinkgoHelper()
		loc, err := time.LoadLocation(zone)
		Expect(err).NotTo(HaveOccurred())
		at, err := time.Parse(time.RFC3339, from)
		Expect(err).NotTo(HaveOccurred())
		end, err := time.Parse(time.RFC3339, to)
		Expect(err).NotTo(HaveOccurred())
		for day := at.In(loc); ; {
			day = time.Date(day.Year(), day.Month(), day.Day()+1, 12, 0, 0, 0, loc)
			if !day.Before(end) {
				break
			}
			s.clock(day.UTC().Format(time.RFC3339))
		}
		s.clock(to)
	}

	It("draw in January what January used of a quarterly price beside a monthly fee, before their block expires", func() {
		s.credits(buyer, object{"amount": 100, "expiry_date": "2025-02-01"})
		sub := s.subscribe(buyer, nil, s.fee("10.00"), quarterly()).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "90")
		Expect(ledger()).To(Equal([]string{"increment 100 committed: 100", "decrement 90 pending: 10"}))
		s.clock("2025-02-01T12:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 90 committed: 10", "credit_block_expiry 10 committed: 0"}))
		s.clock("2025-04-01T12:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 90 committed: 10", "credit_block_expiry 10 committed: 0"}))
		issued := s.invoices(sub).entry("data", 1)
		issued.lineFrom("2025-01-01").shows(object{"name": "Calls", "credits_applied": "90", "adjusted_subtotal": "90", "amount": "0.00"})
		issued.lineFrom("2025-04-01").shows(object{"name": "Fee", "credits_applied": "0.00", "amount": "10.00"})
		Expect(s.bills(sub)).To(ContainElement("2025-04-01 issued 10.00"))
	})

	It("name no invoice until it is opened, and are the same entries of it afterwards", func() {
		s.credits(buyer, nil)
		sub := s.subscribe(buyer, nil, s.fee("10.00"), quarterly()).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "7")
		s.clock("2025-01-20T00:00:00Z")
		before := decrements(buyer)
		Expect(before).To(HaveLen(1))
		before[0].shows(object{"invoice_id": nil, "entry_status": "committed"})
		Expect(before[0].at("price_id")).NotTo(BeNil())
		s.clock("2025-03-01T00:00:00Z")
		draft := s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200)
		draft.shows(object{"target_date": "2025-04-01T00:00:00+00:00"})
		after := decrements(buyer)
		Expect(after).To(HaveLen(1))
		after[0].shows(object{"id": before[0].at("id"), "invoice_id": draft.at("id"), "price_id": before[0].at("price_id")})
	})

	It("are the same entries as those of the price alone, whatever stands beside it", func() {
		month := func(n string) string { return "2025-" + n }
		var buyers []string
		for _, prices := range [][]object{
			{quarterly()},
			{s.fee("10.00"), quarterly()},
			{quarterly(), s.calls("0.10")},
			{with(s.fee("99.00"), object{"cadence": "annual"}), s.fee("10.00"), quarterly()},
		} {
			of := s.buyer(object{"currency": "USD"})
			s.credits(of, object{"amount": 50, "expiry_date": "2025-02-10"})
			s.credits(of, object{"amount": 40, "effective_date": "2025-02-05", "expiry_date": "2025-03-20"})
			s.credits(of, object{"amount": 30})
			s.subscribe(of, nil, prices...)
			buyers = append(buyers, of)
		}
		for _, day := range []string{"01-03", "01-31", "02-01", "02-07", "02-28", "03-01", "03-19", "03-21", "03-31"} {
			s.clock(month(day) + "T10:00:00Z")
			for _, of := range buyers {
				s.use(of, month(day)+"T09:00:00Z", "12")
			}
		}
		s.clock("2025-04-01T12:00:00Z")
		alone := s.ledger(buyers[0], "credits")
		Expect(alone).To(ContainElement(HavePrefix("decrement 12 committed")))
		for _, of := range buyers[1:] {
			Expect(s.ledger(of, "credits")).To(Equal(alone))
		}
	})

	It("move the balance of annual usage day by day, which alerts and top-ups look at", func() {
		s.credits(buyer, object{"amount": 60})
		s.post("/v1/alerts/customer_id/"+buyer, object{"type": "credit_balance_dropped", "currency": "credits", "thresholds": thresholds("50", "10")}).expect(201)
		s.post("/v1/customers/"+buyer+"/credits/top_ups", object{
			"currency": "credits", "threshold": "5", "amount": "100", "per_unit_cost_basis": "0.10",
			"invoice_settings": object{"auto_collection": false, "net_terms": 0},
		}).expect(201)
		s.subscribe(buyer, nil, s.fee("10.00"), s.each(object{"cadence": "annual"}))
		s.listens(webhook.CustomerCreditBalanceDropped)
		s.clock("2025-02-10T10:00:00Z")
		s.use(buyer, "2025-02-10T09:00:00Z", "12")
		s.clock("2025-02-11T00:00:00Z")
		Expect(s.told()).To(HaveLen(1))
		Expect(ledger()).To(Equal([]string{"increment 60 committed: 60", "decrement 12 pending: 48"}))
		s.clock("2025-03-15T10:00:00Z")
		s.use(buyer, "2025-03-15T09:00:00Z", "45")
		s.clock("2025-03-16T00:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 12 committed: 48", "decrement 45 pending: 3", "increment 100 committed: 103"}))
	})

	It("follow late usage while a day is open, and charge a rise of a committed day with the first open one", func() {
		s.credits(buyer, nil)
		s.subscribe(buyer, nil, s.fee("10.00"), quarterly())
		s.clock("2025-01-10T09:00:00Z")
		s.use(buyer, "2025-01-10T08:00:00Z", "8")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 8 pending: 92"}))
		s.clock("2025-01-11T06:00:00Z")
		s.use(buyer, "2025-01-10T23:00:00Z", "2")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 10 pending: 90"}))
		s.clock("2025-01-12T09:00:00Z")
		backfill := s.post("/v1/events/backfills", object{
			"timeframe_start": "2025-01-10T00:00:00Z", "timeframe_end": "2025-01-11T00:00:00Z", "replace_existing_events": false,
		}).expect(200).text("id")
		s.useIn(backfill, buyer, "2025-01-10T10:00:00Z", "5")
		s.post("/v1/events/backfills/"+backfill+"/close", object{}).expect(200)
		s.clock("2025-01-12T10:00:00Z")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 10 committed: 90", "decrement 5 pending: 85"}))
	})

	It("stay with the usage that they paid when a cancellation bills it in the middle of the cycle", func() {
		s.credits(buyer, nil)
		sub := s.subscribe(buyer, nil, s.fee("10.00"), quarterly()).text("id")
		s.clock("2025-01-10T09:00:00Z")
		s.use(buyer, "2025-01-10T08:00:00Z", "30")
		s.clock("2025-02-10T09:00:00Z")
		s.use(buyer, "2025-02-10T08:00:00Z", "20")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 30 committed: 70", "decrement 20 pending: 50"}))
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		s.clock("2025-02-10T21:00:00Z")
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"50"}))
		last := s.invoices(sub).entry("data", 0)
		last.shows(object{"status": "paid", "invoice_date": "2025-02-10T09:00:00+00:00", "line_items[0].credits_applied": "50", "total": "0.00"})
	})

	It("stay with the usage that they paid when a change of plan bills it in the middle of the cycle", func() {
		s.credits(buyer, nil)
		sub := s.subscribe(buyer, nil, s.fee("10.00"), quarterly()).text("id")
		s.clock("2025-02-10T09:00:00Z")
		s.use(buyer, "2025-02-10T08:00:00Z", "20")
		other := s.plan(object{}, s.fee("5.00"), quarterly()).text("id")
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"change_option": "requested_date", "change_date": "2025-02-20", "plan_id": other}).expect(200)
		s.clock("2025-03-01T09:00:00Z")
		s.use(buyer, "2025-03-01T08:00:00Z", "7")
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"73"}))
		Expect(s.bills(sub)).To(ContainElement("2025-02-20 paid 0.00"))
	})

	It("pay before a partial invoice asks for money", func() {
		s.credits(buyer, object{"amount": 100})
		sub := s.subscribe(buyer, object{"invoicing_threshold": "1.00"}, s.fee("10.00"), quarterly()).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "90")
		s.clock("2025-01-02T00:00:00Z")
		Expect(s.bills(sub)).To(HaveExactElements("2025-01-01 issued 10.00", "2025-02-01 draft 10.00"))
		s.use(buyer, "2025-01-02T00:00:00Z", "30")
		s.clock("2025-01-02T00:00:01Z")
		Expect(s.bills(sub)).To(HaveExactElements("2025-01-01 issued 10.00", "2025-01-02 issued 1.00", "2025-02-01 draft 10.00"))
	})

	It("do not count as a cost of the month in which they pay", func() {
		s.credits(buyer, object{"amount": 100})
		sub := s.subscribe(buyer, nil, s.fee("10.00"), quarterly()).text("id")
		s.listens(webhook.SubscriptionCostExceeded)
		s.clock("2025-02-10T09:00:00Z")
		s.use(buyer, "2025-02-10T08:00:00Z", "90") // 4.50
		s.post("/v1/alerts/subscription_id/"+sub, object{"type": "cost_exceeded", "thresholds": thresholds("12")}).expect(201)
		s.clock("2025-02-11T00:00:00Z")
		Expect(s.told()).To(BeEmpty())
		s.use(buyer, "2025-02-10T23:00:00Z", "51") // 10 from credits, 2.05 beyond them
		s.clock("2025-02-11T00:00:01Z")
		Expect(s.told()).To(HaveLen(1))
	})

	It("of a parent pay for what its children used", func() {
		child := s.buyer(object{"hierarchy": object{"parent_customer_id": buyer}})
		s.credits(buyer, nil)
		s.subscribe(buyer, object{"usage_customer_ids": list{buyer, child}}, s.fee("10.00"), quarterly())
		s.use(child, "2025-01-01T00:00:00Z", "4")
		s.use(buyer, "2025-01-01T00:00:00Z", "3")
		Expect(ledger()[1:]).To(Equal([]string{"decrement 7 pending: 93"}))
	})

	It("are drawn by local days through a change of the clock, however the clock of the account moves", func() {
		const zone = "America/New_York"
		var ledgers [][]string
		for _, move := range []func(from, to string){
			func(_, to string) { s.clock(to) },
			func(from, to string) { steps(from, to, zone) },
		} {
			s = newFixture("2025-03-01T05:00:00Z")
			buyer = s.buyer(object{"currency": "USD", "timezone": zone})
			s.credits(buyer, object{"amount": 10, "expiry_date": "2025-03-09"})
			s.credits(buyer, object{"amount": 10, "expiry_date": "2025-03-10"})
			s.credits(buyer, object{"amount": 10, "expiry_date": "2025-06-30"})
			sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, s.fee("10.00"), quarterly()).text("id")
			from := "2025-03-01T05:00:00Z"
			for _, at := range []string{
				"2025-03-09T04:59:59Z",                         // the 8th
				"2025-03-09T05:00:00Z", "2025-03-10T03:59:59Z", // the 9th, which has 23 hours
				"2025-03-10T04:00:00Z", // the 10th
			} {
				move(from, at)
				s.use(buyer, at, "4")
				from = at
			}
			move(from, "2025-06-01T16:00:00Z")
			texts := ledger()
			for _, e := range decrements(buyer) {
				texts = append(texts, fmt.Sprint(e.at("created_at"), e.at("credit_block.expiry_date")))
			}
			ledgers = append(ledgers, append(texts, s.bills(sub)...))
		}
		Expect(ledgers[0][3:]).To(ContainElements(
			"decrement 4 committed: 26", "credit_block_expiry 6 committed: 20", "decrement 8 committed: 12",
		))
		Expect(ledgers[1]).To(Equal(ledgers[0]))
	})
})

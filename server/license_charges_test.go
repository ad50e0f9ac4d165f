package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = Describe("What licenses cover of charges", func() {
	var o licenseFixture
	BeforeEach(func() { o = newLicenseFixture("2025-06-10T15:00:00Z") })

	// upcoming is the usage that the next invoice charges.
	upcoming := func(sub string) value {
		GinkgoHelper()
		return o.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200).lineFrom("2025-06-10")
	}
	// worth is what usage costs up to each day, of a price in credits.
	worth := func(sub string) list {
		GinkgoHelper()
		return o.get("/v1/subscriptions/"+sub+"/costs?currency=credits").expect(200).each("data", "total")
	}
	// issued is the usage line of the first invoice that charges usage, once it is issued.
	issued := func(sub string) value {
		GinkgoHelper()
		all := o.invoices(sub)
		for k := range all.list("data") {
			bill := all.entry("data", k)
			if bill.text("invoice_date")[:10] == "2025-07-01" {
				bill.shows(object{"status": "issued"})
				o.explain(bill, 0)
				return bill.lineFrom("2025-06-10")
			}
		}
		Fail("no invoice is of the first of July")
		return value{}
	}

	Describe("LT-4", func() {
		It("asks the credits of all for what is beyond the license's own", func() {
			customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
			o.credits(customer, object{"amount": 50})
			o.give(sub, "a", nil)
			o.spend(customer, "a", "2025-06-10T14:00:00Z", "130")
			Expect(o.ledger(customer, "credits")[1:]).To(Equal([]string{"decrement 30 pending: 20"}))
			charged := object{
				"quantity": json.Number("130"), "subtotal": "130", "adjusted_subtotal": "130", "credits_applied": "130", "amount": "0.00",
			}
			upcoming(sub).shows(charged)
			Expect(worth(sub)).To(Equal(list{"30"}))
			o.clock("2025-07-01T12:00:00Z")
			issued(sub).shows(charged)
			Expect(o.ledger(customer, "credits")[1:]).To(Equal([]string{"decrement 30 committed: 20"}))
			bill := o.invoices(sub).entry("data", 1)
			shown := o.get("/v1/invoices/" + bill.text("id") + "/line_items/" + bill.lineFrom("2025-06-10").text("id") + "/explanation").expect(200)
			shown.shows(object{"adjusted_subtotal": "130", "license_credits": "100", "credits_applied": "30"})
		})

		It("drops what is beyond them where the price writes it off", func() {
			customer, sub := o.rent(nil, nil, o.seats(3, "100", object{"write_off_overage": true}), o.metered())
			o.credits(customer, object{"amount": 50})
			o.give(sub, "a", nil)
			o.spend(customer, "a", "2025-06-10T14:00:00Z", "130")
			Expect(o.ledger(customer, "credits")).To(Equal([]string{"increment 50 committed: 50"}))
			upcoming(sub).shows(object{"subtotal": "130", "credits_applied": "130", "amount": "0.00"})
			Expect(worth(sub)).To(Equal(list{"0"}))
			o.clock("2025-07-01T12:00:00Z")
			issued(sub).shows(object{"credits_applied": "130", "amount": "0.00"})
			Expect(o.ledger(customer, "credits")).To(Equal([]string{"increment 50 committed: 50"}))
		})

		It("invoices what is beyond both", func() {
			customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
			o.credits(customer, object{"amount": 5})
			o.give(sub, "a", nil)
			o.give(sub, "b", nil)
			o.spend(customer, "a", "2025-06-10T14:00:00Z", "130")
			o.spend(customer, "b", "2025-06-10T14:00:00Z", "60")
			upcoming(sub).shows(object{"subtotal": "190", "credits_applied": "165", "amount": "1.25"})
			o.clock("2025-07-01T12:00:00Z")
			issued(sub).shows(object{"subtotal": "190", "credits_applied": "165", "amount": "1.25"})
		})
	})

	It("leaves what is used while no license is active to the credits of all", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		o.credits(customer, object{"amount": 50})
		o.give(sub, "a", object{"end_date": "2025-06-12"})
		o.clock("2025-06-12T06:00:00Z")
		o.spend(customer, "a", "2025-06-11T23:59:59Z", "30")
		o.spend(customer, "a", "2025-06-12T00:00:00Z", "20")
		o.spend(customer, "nobody", "2025-06-12T00:00:00Z", "7")
		o.use(customer, "2025-06-12T00:00:00Z", "3") // by no name at all
		Expect(o.ledger(customer, "credits")[1:]).To(Equal([]string{"decrement 30 pending: 20"}))
		upcoming(sub).shows(object{"subtotal": "60", "credits_applied": "60"})
		Expect(worth(sub)).To(Equal(list{"0", "0", "30"}))
	})

	It("is nothing of a trial, and what they are granted after it", func() {
		customer, sub := o.rent(nil, object{"trial_duration_days": 5}, o.seats(3, "100", nil), o.metered())
		o.credits(customer, object{"amount": 50})
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "40")
		o.clock("2025-06-16T00:00:00Z")
		o.spend(customer, "a", "2025-06-15T12:00:00Z", "30")
		Expect(o.ledger(customer, "credits")).To(Equal([]string{"increment 50 committed: 50"}))
		Expect(o.get("/v1/subscriptions/"+sub+"/costs?currency=credits&timeframe_start=2025-06-10T00:00:00Z&timeframe_end=2025-06-16T00:00:00Z").expect(200).
			each("data", "total")).To(HaveEach("0"))
		Expect(figures(o.get("/v1/licenses/usage?subscription_id=" + sub + "&license_type_id=" + o.kind + "&start_date=2025-06-10&end_date=2025-06-20").expect(200))).
			To(Equal([]string{"a 06-10 06-20: 100 - 30 = 70, 70 eligible, 40 shared"}))
	})

	It("follows licenses that come and go within a period", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		o.credits(customer, object{"amount": 50})
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "40")
		Expect(o.ledger(customer, "credits")[1:]).To(Equal([]string{"decrement 40 pending: 10"}))
		a := o.give(sub, "a", nil) // from the start of the day
		Expect(o.ledger(customer, "credits")[1:]).To(Equal([]string{"decrement 0 pending: 50"}))
		o.clock("2025-06-11T06:00:00Z")
		o.post("/v1/licenses/"+a.text("id")+"/deactivate", object{"end_date": "2025-06-11"}).expect(200)
		o.spend(customer, "a", "2025-06-11T05:00:00Z", "15")
		Expect(o.ledger(customer, "credits")[1:]).To(Equal([]string{"decrement 0 pending: 50", "decrement 15 pending: 35"}))
		Expect(worth(sub)).To(Equal(list{"0", "15"}))
		o.clock("2025-07-01T12:00:00Z")
		issued(sub).shows(object{"subtotal": "55", "credits_applied": "55", "amount": "0.00"})
	})

	It("never changes what was committed: what a license covers afterwards comes back at the issue", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		o.credits(customer, object{"amount": 50})
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "40")
		o.clock("2025-06-11T12:00:00Z")
		committed := []string{"decrement 40 committed: 10"}
		Expect(o.ledger(customer, "credits")[1:]).To(Equal(committed))
		o.give(sub, "a", object{"start_date": "2025-06-10"})
		o.spend(customer, "b", "2025-06-11T05:00:00Z", "25")
		Expect(o.ledger(customer, "credits")[1:]).To(Equal(committed), "25 are charged, and 40 were paid")
		o.clock("2025-07-01T12:00:00Z")
		Expect(o.ledger(customer, "credits")[1:]).To(Equal(append(committed, "amendment 15 committed: 25")))
		issued(sub).shows(object{"subtotal": "65", "credits_applied": "65", "amount": "0.00"})
	})

	It("begins anew with a month, by local days, also where the clock changes", func() {
		o.clock("2025-10-31T12:00:00Z")
		customer, sub := o.rent(object{"timezone": "America/New_York"}, nil, o.seats(3, "100", nil), o.metered())
		o.credits(customer, object{"amount": 50})
		o.give(sub, "a", nil)
		o.clock("2025-11-01T12:00:00Z")
		o.spend(customer, "a", "2025-11-01T03:59:59Z", "60") // still October there
		o.spend(customer, "a", "2025-11-01T04:00:00Z", "50")
		o.clock("2025-11-02T12:00:00Z")
		o.spend(customer, "a", "2025-11-02T05:30:00Z", "25") // in the hour that comes twice
		o.spend(customer, "a", "2025-11-02T06:30:00Z", "35")
		Expect(o.ledger(customer, "credits")[1:]).To(Equal([]string{"decrement 10 pending: 40"}))
		Expect(worth(sub)).To(Equal(list{"0", "10"}))
		o.clock("2025-12-01T17:00:00Z")
		all := o.invoices(sub)
		all.entry("data", 2).lineFrom("2025-10-31").shows(object{"subtotal": "60", "credits_applied": "60", "amount": "0.00"})
		all.entry("data", 1).lineFrom("2025-11-01").shows(object{"subtotal": "110", "credits_applied": "110", "amount": "0.00"})
	})

	It("takes them off after discounts, in money of two places", func() {
		seats := o.seats(3, "1.00", nil)
		seats["license_allocation_price"].(object)["license_allocations"] = list{object{"amount": "1.00", "currency": "USD"}}
		calls := object{"price": with(o.calls("0.333"), object{"license_type_id": o.kind})}
		off := object{"adjustment_type": "percentage_discount", "percentage_discount": 0.1, "filters": list{
			object{"field": "price_type", "operator": "includes", "values": list{"usage"}},
		}}
		plan := o.plan(object{"prices": list{seats, calls}, "adjustments": list{object{"adjustment": off}}}).text("id")
		customer := o.buyer(nil)
		sub := o.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan}).expect(201).text("id")
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "2")
		upcoming(sub).shows(object{"subtotal": "0.67", "adjusted_subtotal": "0.60", "credits_applied": "0.60", "amount": "0.00"})
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "5")
		upcoming(sub).shows(object{"subtotal": "2.33", "adjusted_subtotal": "2.10", "credits_applied": "1.00", "amount": "1.10"})
		Expect(o.get("/v1/subscriptions/"+sub+"/costs").expect(200).each("data", "per_price_costs[1].total")).To(Equal(list{"1.10"}))
	})

	It("holds back a partial invoice until what is left comes to the threshold", func() {
		customer, sub := o.rent(nil, object{"invoicing_threshold": "1.00"}, o.seats(3, "100", nil), o.metered())
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "119")
		o.clock("2025-06-10T15:00:01Z")
		Expect(o.bills(sub)).To(HaveLen(2))
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "1")
		o.clock("2025-06-10T15:00:02Z")
		Expect(o.bills(sub)).To(ContainElement("2025-06-10 issued 1.00"))
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "10")
		upcoming(sub).shows(object{"subtotal": "130", "credits_applied": "100", "partially_invoiced_amount": "1.00", "amount": "0.50"})
		o.clock("2025-07-01T12:00:00Z")
		issued(sub).shows(object{"credits_applied": "100", "partially_invoiced_amount": "1.00", "amount": "0.50"})
	})

	Describe("on an issued invoice", func() {
		var customer, sub string
		BeforeEach(func() {
			customer, sub = o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
			o.give(sub, "a", nil)
			o.spend(customer, "a", "2025-06-10T14:00:00Z", "130")
			o.clock("2025-07-01T12:00:00Z")
		})
		recomputed := func() int {
			GinkgoHelper()
			v, err := worker.Verify(o.ctx, o.store, store.AccountID(o.ctx))
			Expect(err).NotTo(HaveOccurred())
			Expect(v.Findings).To(BeEmpty())
			return v.Recomputed
		}

		It("can be worked out anew, unless licenses of its time changed since", func() {
			Expect(recomputed()).To(Equal(2))
			a := o.get(o.named(sub, "a")).expect(200).text("id")
			o.give(sub, "c", nil)
			Expect(recomputed()).To(Equal(2), "one of July")
			o.post("/v1/licenses/"+a+"/deactivate", nil).expect(200)
			Expect(recomputed()).To(Equal(2), "one that ends in July")
			o.give(sub, "b", object{"start_date": "2025-06-30", "end_date": "2025-07-01"})
			Expect(recomputed()).To(Equal(1), "one more of June")
			issued(sub).shows(object{"credits_applied": "100", "amount": "1.50"})
		})

		It("is judged no more when a license is taken back for its time", func() {
			a := o.get(o.named(sub, "a")).expect(200).text("id")
			o.post("/v1/licenses/"+a+"/deactivate", object{"end_date": "2025-06-11"}).expect(200)
			Expect(recomputed()).To(Equal(1))
			issued(sub).shows(object{"credits_applied": "100", "amount": "1.50"})
		})

		It("is found wrong when somebody changed it behind our back", func() {
			*o.spoiled = true
			o.owner("ALTER TABLE invoice_lines DISABLE TRIGGER USER; UPDATE invoice_lines SET license_credits = 90 WHERE license_credits > 0 AND account_id = '" +
				store.AccountID(o.ctx) + "'; ALTER TABLE invoice_lines ENABLE TRIGGER USER")
			v, err := worker.Verify(o.ctx, o.store, store.AccountID(o.ctx))
			Expect(err).NotTo(HaveOccurred())
			Expect(v.Findings).To(ContainElement(HaveField("Wrong", ContainSubstring("the part that licenses cover is 90, but 100"))))
		})
	})
})

package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = Describe("Allocations", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-06-01T09:00:00Z") })

	// rent subscribes a new customer to a plan of those entries.
	rent := func(buyer, terms object, entries ...object) (customer, subscription string) {
		GinkgoHelper()
		customer = s.buyer(buyer)
		return customer, s.subscribeTo(customer, terms, entries...)
	}
	// blocks writes those of a customer, oldest first, as "700 from 2025-06-01 to 2025-07-01".
	blocks := func(customer string) (texts []string) {
		GinkgoHelper()
		all := s.get("/v1/customers/" + customer + "/credits?limit=100&include_all_blocks=true").expect(200)
		for k := len(all.list("data")) - 1; k >= 0; k-- {
			b := all.entry("data", k)
			text := fmt.Sprint(b.at("balance")) + " from " + b.text("effective_date")
			if b.at("expiry_date") != nil {
				text += " to " + b.text("expiry_date")
			}
			texts = append(texts, text)
		}
		return texts
	}

	It("AL-1: are granted anew each month, and what is left expires", func() {
		customer, _ := rent(nil, nil, monthlyCredits("1000", nil), s.callsInCredits())
		s.use(customer, "2025-06-01T00:00:00Z", "300")
		Expect(s.ledger(customer, "credits")).To(Equal([]string{"increment 1000 committed: 1000", "decrement 300 pending: 700"}))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.ledger(customer, "credits")).To(Equal([]string{
			"increment 1000 committed: 1000", "decrement 300 committed: 700", "credit_block_expiry 700 pending: 0", "increment 1000 committed: 1000",
		}))
		Expect(blocks(customer)).To(Equal([]string{
			"0 from 2025-06-01T00:00:00+00:00 to 2025-07-01T00:00:00+00:00",
			"1000 from 2025-07-01T00:00:00+00:00 to 2025-08-01T00:00:00+00:00",
		}))
	})

	It("AL-2: add up where they do not expire", func() {
		customer, _ := rent(nil, nil, monthlyCredits("1000", object{"expires_at_end_of_cadence": false}), s.callsInCredits())
		s.use(customer, "2025-06-01T00:00:00Z", "300")
		s.clock("2025-07-01T00:00:00Z")
		Expect(blocks(customer)).To(Equal([]string{"700 from 2025-06-01T00:00:00+00:00", "1000 from 2025-07-01T00:00:00+00:00"}))
	})

	It("AL-3: are invoiced in advance where they cost anything", func() {
		_, sub := rent(nil, nil, monthlyCredits("1000", object{"per_unit_cost_basis": "0.02"}), s.callsInCredits())
		s.clock("2025-07-01T12:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-01 issued 20.00", "2025-07-01 issued 20.00", "2025-08-01 draft 20.00"}))
		boundary := s.invoices(sub).entry("data", 1)
		Expect(lines(boundary)).To(ContainElement("Credits 2025-07-01 to 2025-08-01: 20.00"))
	})

	It("AL-4: expire when the subscription is canceled", func() {
		customer, sub := rent(nil, nil, monthlyCredits("1000", object{"expires_at_end_of_cadence": false}), s.callsInCredits())
		s.clock("2025-06-10T09:00:00Z")
		s.use(customer, "2025-06-10T08:00:00Z", "300")
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		Expect(s.ledger(customer, "credits")).To(Equal([]string{
			"increment 1000 committed: 1000", "decrement 300 pending: 700", "credit_block_expiry 700 pending: 0",
		}))
		s.clock("2025-09-01T00:00:00Z")
		Expect(blocks(customer)).To(HaveLen(1))
	})

	It("make no invoice by themselves where they cost nothing", func() {
		customer, sub := rent(nil, nil, monthlyCredits("1000", nil))
		Expect(s.bills(sub)).To(BeEmpty())
		s.clock("2025-08-15T00:00:00Z")
		Expect(s.bills(sub)).To(BeEmpty())
		Expect(blocks(customer)).To(HaveLen(3))
		_, fees := rent(nil, nil, monthlyCredits("1000", nil), object{"price": s.fee("10.00")})
		Expect(lines(s.invoices(fees).entry("data", 0))).To(ConsistOf("Credits 2025-09-01 to 2025-10-01: 0.00", "Fee 2025-09-01 to 2025-10-01: 10.00"))
	})

	It("pay for certain items if they are to", func() {
		other := s.item
		customer, _ := rent(nil, nil, monthlyCredits("1000", object{"filters": list{filter("item_id", "excludes", other)}}), s.callsInCredits())
		s.use(customer, "2025-06-01T00:00:00Z", "300")
		Expect(blocks(customer)).To(Equal([]string{"1000 from 2025-06-01T00:00:00+00:00 to 2025-07-01T00:00:00+00:00"}))
	})

	DescribeTable("last as long as they say, by local days, across a change of the clock and at the end of a month",
		func(change object, clock string, granted ...string) {
			s.clock("2025-10-31T16:00:00Z")
			customer, _ := rent(object{"timezone": "America/New_York"}, object{"align_billing_with_subscription_start_date": true}, monthlyCredits("1000", change), s.callsInCredits())
			s.clock(clock)
			Expect(blocks(customer)).To(Equal(granted))
		},
		Entry("to the end of each period", object{}, "2025-11-30T05:00:00Z",
			"0 from 2025-10-31T04:00:00+00:00 to 2025-11-30T05:00:00+00:00", "1000 from 2025-11-30T05:00:00+00:00 to 2025-12-31T05:00:00+00:00"),
		Entry("for some days", object{"expires_at_end_of_cadence": absent, "custom_expiration": object{"duration": 45, "duration_unit": "day"}}, "2025-11-30T05:00:00Z",
			"1000 from 2025-10-31T04:00:00+00:00 to 2025-12-15T05:00:00+00:00", "1000 from 2025-11-30T05:00:00+00:00 to 2026-01-14T05:00:00+00:00"),
		Entry("for some months", object{"expires_at_end_of_cadence": absent, "custom_expiration": object{"duration": 4, "duration_unit": "month"}}, "2025-11-30T05:00:00Z",
			"1000 from 2025-10-31T04:00:00+00:00 to 2026-02-28T05:00:00+00:00", "1000 from 2025-11-30T05:00:00+00:00 to 2026-03-30T04:00:00+00:00"),
		Entry("a quarter", object{"cadence": "quarterly"}, "2026-01-31T04:59:59Z",
			"1000 from 2025-10-31T04:00:00+00:00 to 2026-01-31T05:00:00+00:00"),
		Entry("once", object{"cadence": "one_time", "expires_at_end_of_cadence": false}, "2026-06-01T00:00:00Z",
			"1000 from 2025-10-31T04:00:00+00:00"),
	)

	It("are granted for all that began when a subscription begins in the past", func() {
		customer, _ := rent(nil, object{"start_date": "2025-04-15"}, monthlyCredits("1000", nil), s.callsInCredits())
		Expect(blocks(customer)).To(Equal([]string{
			"0 from 2025-04-15T00:00:00+00:00 to 2025-05-01T00:00:00+00:00",
			"0 from 2025-05-01T00:00:00+00:00 to 2025-06-01T00:00:00+00:00",
			"1000 from 2025-06-01T00:00:00+00:00 to 2025-07-01T00:00:00+00:00",
		}))
	})

	It("are not granted before a subscription begins, nor when it never does", func() {
		customer, sub := rent(nil, object{"start_date": "2025-06-15"}, monthlyCredits("1000", nil), s.callsInCredits())
		Expect(blocks(customer)).To(BeEmpty())
		s.clock("2025-06-15T00:00:00Z")
		Expect(blocks(customer)).To(HaveLen(1))
		never, other := rent(nil, object{"start_date": "2025-07-15"}, monthlyCredits("1000", nil), s.callsInCredits())
		s.post("/v1/subscriptions/"+other+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "end_of_subscription_term"}).expect(200)
		s.clock("2025-09-01T00:00:00Z")
		Expect(blocks(never)).To(BeEmpty())
		Expect(blocks(customer)).To(HaveLen(1))
	})

	It("last as before when a cancellation is taken back", func() {
		customer, sub := rent(nil, nil, monthlyCredits("1000", object{"expires_at_end_of_cadence": false}), s.callsInCredits())
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "end_of_subscription_term"}).expect(200)
		Expect(blocks(customer)).To(Equal([]string{"1000 from 2025-06-01T00:00:00+00:00 to 2025-07-01T00:00:00+00:00"}))
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		Expect(blocks(customer)).To(Equal([]string{"1000 from 2025-06-01T00:00:00+00:00"}))
	})

	It("go on in the next plan, of which more is taken back or granted", func() {
		customer, sub := rent(nil, nil, monthlyCredits("1000", object{"expires_at_end_of_cadence": false}), s.callsInCredits())
		s.credits(customer, nil) // by hand
		next := s.plan(object{"prices": list{monthlyCredits("1000", object{"amount": "50"}), s.callsInCredits()}}).text("id")
		s.clock("2025-06-11T10:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"change_option": "immediate", "plan_id": next}).expect(200)
		Expect(blocks(customer)).To(Equal([]string{
			"50 from 2025-06-01T00:00:00+00:00 to 2025-07-01T00:00:00+00:00", "100 from 2025-06-01T00:00:00+00:00",
		}))
	})

	It("keep the quantity that they grant", func() {
		_, sub := rent(nil, nil, monthlyCredits("1000", nil), s.callsInCredits())
		price := s.get("/v1/subscriptions/" + sub).expect(200).text("price_intervals[0].price.id")
		s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": price, "quantity": 5}).
			refuse(400, "400-constraint-violation", "allocation price")
		interval := s.get("/v1/subscriptions/" + sub).expect(200).text("price_intervals[0].id")
		later := object{"fixed_fee_quantity_transitions": list{object{"effective_date": "2025-07-01", "quantity": 5}}}
		path := "/v1/subscriptions/" + sub + "/price_intervals"
		s.post(path, object{"edit": list{with(later, object{"price_interval_id": interval})}}).
			invalid("edit[0].fixed_fee_quantity_transitions: cannot be given for allocation prices")
		s.post(path, object{"add": list{with(later, with(monthlyCredits("1000", nil), object{"start_date": "2025-06-01"}))}}).
			invalid("add[0].fixed_fee_quantity_transitions: cannot be given for allocation prices")
	})

	DescribeTable("are not replaced by an amount that no block can have, which could never be granted",
		func(amount, violation string) {
			plan := s.plan(object{"prices": list{monthlyCredits("1000", object{"currency": "USD"})}})
			price := plan.text("prices[0].id")
			asked := object{"customer_id": s.buyer(nil), "plan_id": plan.text("id"), "start_date": "2025-06-05"}
			other := object{"fixed_price_quantity": json.Number(amount)}
			s.post("/v1/subscriptions", with(asked, object{"replace_prices": list{with(other, object{"replaces_price_id": price})}})).
				invalid("replace_prices[0].price.fixed_price_quantity: " + violation)
			s.post("/v1/subscriptions", with(asked, object{"price_overrides": list{with(other, object{
				"id": price, "model_type": "unit", "unit_config": object{"unit_amount": "0.02"},
			})}})).invalid("price_overrides[0].fixed_price_quantity: " + violation)
		},
		Entry("none", "0", "must be above 0"),
		Entry("parts of a cent", "0.001", "must have at most 2 decimal places"),
	)

	It("tell what they came of", func() {
		license := s.licenseType("Seat")
		customer, sub := rent(nil, nil, monthlyCredits("1000", object{"license_type_id": license, "per_unit_cost_basis": "0.02"}), s.callsInCredits())
		price := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 0)
		block := s.get("/v1/customers/"+customer+"/credits").expect(200).entry("data", 0)
		block.shows(object{"credit_block_source": "allocation", "per_unit_cost_basis": "0.02", "credit_allocation": object{
			"allows_rollover": false, "currency": "credits", "custom_expiration": nil, "filters": list{},
			"item_id": price.text("price.item.id"), "license_type_id": license,
		}})
	})

	It("are granted once, however many bring them, and are missed when somebody forgets what for", func() {
		customer, sub := rent(nil, nil, monthlyCredits("1000", nil), s.callsInCredits())
		s.clock("2025-07-15T00:00:00Z")
		s.tx(func(tx *store.Tx) error {
			return tx.Exec("UPDATE subscriptions SET next_grant_at = ? WHERE id = ?", tx.Now, sub).Error
		})
		s.clock("2025-07-15T00:00:01Z")
		Expect(blocks(customer)).To(HaveLen(2))
		*s.spoiled = true
		s.tx(func(tx *store.Tx) error {
			return tx.Exec("DELETE FROM allocation_grants WHERE subscription_id = ? AND start_at < ?", sub, "2025-06-15").Error
		})
		v, err := worker.Verify(s.ctx, s.store, store.AccountID(s.ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(v.Findings).To(ConsistOf(HaveField("Wrong", ContainSubstring("for no period"))))
	})
})

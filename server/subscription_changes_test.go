package server_test

import (
	"encoding/json"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server"
	"tollkeeper/store"
)

// later asks for a change that is to wait.
var later = header{"Create-Pending-Subscription-Change", "True"}

// subscription is the one that a pending change shows.
func (v value) subscription() value {
	GinkgoHelper()
	return value{v.asked, v.at("subscription")}
}

// waiting is the id of the pending change that a subscription shows.
func (v value) waiting() string {
	GinkgoHelper()
	return v.text("pending_subscription_change.id")
}

var _ = Describe("A pending subscription change", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var buyer, sub, plan string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(object{"external_customer_id": "acme"})
		plan = s.plan(object{"external_plan_id": "pro"}, s.fee("62.00")).text("id")
		sub = s.subscribe(buyer, nil, s.fee("31.00")).text("id")
		s.collect(sub)
		s.clock("2025-03-11T00:00:00Z")
	})

	immediately := object{"plan_id": nil, "external_plan_id": "pro", "change_option": "immediate"}
	path := func(id string) string { return "/v1/subscription_changes/" + id }
	planChange := func() value {
		GinkgoHelper()
		return s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", immediately, later).expect(200)
	}

	It("shows what it would come to, and changes nothing", func() {
		would := planChange()
		Expect(would.at("plan.id")).To(Equal(plan))
		Expect(changed(would)).To(Equal([]string{"2025-03-11 issued 42.00", "2025-04-01 draft 62.00", "refund 21.00"}))
		now := s.get("/v1/subscriptions/" + sub).expect(200)
		Expect(now.waiting()).To(Equal(would.waiting()))
		Expect(now.at("plan.id")).NotTo(Equal(plan))
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 paid 31.00", "2025-04-01 draft 31.00"}))
		Expect(s.balance(buyer)).To(Equal("0.00"))

		s.clock("2025-03-21T00:00:00Z")
		found := s.get(path(would.waiting())).expect(200)
		found.shows(object{
			"status": "pending", "change_type": "schedule_plan_change", "change_option": "immediate", "plan_id": plan,
			"effective_date": nil, "billing_cycle_alignment": nil, "applied_at": nil, "cancelled_at": nil,
			"expiration_time": "2025-04-10T00:00:00+00:00",
		})
		Expect(changed(found.subscription())).To(Equal([]string{"2025-03-21 issued 22.00", "2025-04-01 draft 62.00", "refund 11.00"}))
		Expect(found.subscription().waiting()).To(Equal(would.waiting()))
	})

	It("is made when it is applied, once", func() {
		id := planChange().waiting()
		s.clock("2025-03-21T00:00:00Z")
		applied := s.post(path(id)+"/apply", nil).expect(200)
		applied.shows(object{"status": "applied", "applied_at": "2025-03-21T00:00:00+00:00", "subscription.pending_subscription_change": nil})
		Expect(changed(applied.subscription())).To(Equal([]string{"2025-03-21 issued 22.00", "2025-04-01 draft 62.00", "refund 11.00"}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 paid 31.00", "2025-03-21 issued 22.00", "2025-04-01 draft 62.00"}))
		s.post(path(id)+"/apply", nil).refuse(400, refused, "applied")
		s.post(path(id)+"/cancel", nil).refuse(400, refused, "applied")
		found := s.get(path(id)).expect(200)
		found.shows(object{"status": "applied", "subscription.plan.id": plan, "subscription.changed_resources": nil})
	})

	It("keeps every other change away until it is decided, and may be cancelled", func() {
		id := planChange().waiting()
		for _, more := range [][]header{nil, {later}} {
			s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}, more...).refuse(400, refused, "pending")
		}
		s.put("/v1/subscriptions/"+sub, object{"net_terms": 3}).expect(200)
		cancelled := s.post(path(id)+"/cancel", nil).expect(200)
		cancelled.shows(object{"status": "cancelled", "cancelled_at": "2025-03-11T00:00:00+00:00", "subscription": nil})
		s.post(path(id)+"/apply", nil).refuse(400, refused, "cancelled")
		s.get(path(id)).expect(200).shows(object{"status": "cancelled", "subscription": nil})
		Expect(s.cancel(sub, nil).expect(200).at("status")).To(Equal("ended"))
	})

	It("is one only, whoever asks at once", func() {
		var made atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				defer GinkgoRecover()
				if answer := s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", immediately, later); answer.status == 200 {
					made.Add(1)
				} else {
					answer.refuse(400, refused, "pending")
				}
			})
		}
		all.Wait()
		Expect(made.Load()).To(BeEquivalentTo(1))
		Expect(s.get("/v1/subscription_changes").expect(200).list("data")).To(HaveLen(1))
	})

	It("is cancelled when it has waited thirty days", func() {
		id := planChange().waiting()
		s.clock("2025-04-09T23:59:59Z")
		Expect(s.get(path(id)).expect(200).at("status")).To(Equal("pending"))
		s.clock("2025-05-01T00:00:00Z")
		s.get(path(id)).expect(200).shows(object{"status": "cancelled", "cancelled_at": "2025-04-10T00:00:00+00:00"})
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("pending_subscription_change")).To(BeNil())
	})

	It("shows no subscription where it cannot be made any more, and is refused then", func() {
		ending := s.subscribe(buyer, object{"end_date": "2025-03-20"}, s.fee("31.00")).text("id")
		id := s.post("/v1/subscriptions/"+ending+"/cancel", object{"cancel_option": "immediate"}, later).expect(200).waiting()
		s.clock("2025-03-20T00:00:00Z")
		s.get(path(id)).expect(200).shows(object{"status": "pending", "subscription": nil})
		s.post(path(id)+"/apply", nil).refuse(400, refused, "has ended")
		Expect(s.get(path(id)).expect(200).at("status")).To(Equal("pending"))
	})

	It("may be a new subscription, which has its id once it is applied", func() {
		body := object{"external_customer_id": "acme", "external_plan_id": "pro", "start_date": "2025-03-11"}
		would := s.post("/v1/subscriptions", body, later).expect(201)
		Expect(changed(would)).To(Equal([]string{"2025-03-11 issued 42.00", "2025-04-01 draft 62.00"}))
		s.get("/v1/subscriptions/"+would.text("id")).refuse(404, "404-resource-not-found")
		id := would.waiting()
		s.get(path(id)).expect(200).shows(object{
			"change_type": "create_subscription", "plan_id": plan, "effective_date": "2025-03-11T00:00:00+00:00", "subscription.plan.id": plan,
		})
		Expect(s.get("/v1/subscription_changes?external_customer_id=acme").expect(200).each("data", "subscription_id")).To(Equal(list{nil}))
		made := s.post(path(id)+"/apply", object{}).expect(200).text("subscription.id")
		Expect(s.bills(made)).To(Equal([]string{"2025-03-11 issued 42.00", "2025-04-01 draft 62.00"}))
		Expect(s.get("/v1/subscription_changes").expect(200).each("data", "subscription_id")).To(Equal(list{made}))
	})

	It("is told of to nobody until it is applied", func() {
		s.listens()
		s.news()
		body := object{"customer_id": buyer, "plan_id": plan}
		id := s.post("/v1/subscriptions", body, later).expect(201).waiting()
		s.get(path(id)).expect(200)
		Expect(s.newsTypes()).To(BeEmpty())
		s.post(path(id)+"/apply", nil).expect(200)
		Expect(s.newsTypes()).To(ContainElements("subscription.created", "invoice.issued"))
	})

	It("is made once for a request that is repeated", func() {
		key := header{"Idempotency-Key", "k1"}
		first := s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", immediately, later, key).expect(200)
		Expect(s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", immediately, later, key).expect(200).waiting()).To(Equal(first.waiting()))
		Expect(s.get("/v1/subscription_changes").expect(200).list("data")).To(HaveLen(1))
	})

	It("is listed by its status and customer, newest first", func() {
		other := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		first := planChange().waiting()
		s.post(path(first)+"/cancel", nil).expect(200)
		second := planChange().waiting()
		third := s.post("/v1/subscriptions/"+other+"/cancel", object{"cancel_option": "immediate"}, later).expect(200).waiting()
		s.post(path(third)+"/apply", nil).expect(200)
		ids := func(query string) list {
			return s.get("/v1/subscription_changes?"+query).expect(200).each("data", "id")
		}
		Expect(ids("")).To(Equal(list{third, second, first}))
		Expect(ids("status=pending")).To(Equal(list{second}))
		Expect(ids("status=applied")).To(Equal(list{third}))
		Expect(ids("status=cancelled")).To(Equal(list{first}))
		Expect(ids("customer_id=" + buyer)).To(Equal(list{second, first}))
		Expect(ids("external_customer_id=acme&limit=1")).To(Equal(list{second}))
		Expect(ids("customer_id=nope")).To(BeEmpty())
	})

	It("is listed without its request, which may be long", func() {
		id := planChange().waiting()
		s.tx(func(tx *store.Tx) error {
			listed, _, err := subscription.ListChanges(tx, subscription.ChangeFilter{}, store.Page{Limit: 1})
			Expect(err).NotTo(HaveOccurred())
			Expect(listed).To(HaveExactElements(And(HaveField("ID", id), HaveField("Request", ""), HaveField("CustomerID", buyer))))
			kept, err := subscription.FindChange(tx, id)
			Expect(kept.Request).To(ContainSubstring("immediate"))
			return err
		})
	})

	It("is missed by another id, and refused where its request is", func() {
		for _, end := range []string{"/apply", "/cancel"} {
			s.post(path("nope")+end, nil).refuse(404, "404-resource-not-found", "SubscriptionChange", "nope")
		}
		s.get(path("nope")).refuse(404, "404-resource-not-found", "SubscriptionChange", "nope")
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"plan_id": "nope", "change_option": "immediate"}, later).
			refuse(404, "404-resource-not-found", "Plan")
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}, header{later.name, "soon"}).
			invalid("Create-Pending-Subscription-Change: must be")
		Expect(s.get("/v1/subscription_changes").expect(200).list("data")).To(BeEmpty())
	})

	Describe("for which money was collected", func() {
		last := func() value {
			GinkgoHelper()
			return s.get("/v1/customers/"+buyer+"/balance_transactions").expect(200).entry("data", 0)
		}

		It("is paid out of the balance, where the money goes first", func() {
			id := planChange().waiting()
			applied := s.post(path(id)+"/apply", object{"previously_collected_amount": "30.00", "description": "Card"}).expect(200)
			paid := applied.subscription().entry("changed_resources.created_invoices", 0)
			paid.shows(object{"status": "paid", "total": "42.00", "amount_due": "0.00"})
			Expect(s.balance(buyer)).To(Equal("9.00"))
			moves := s.get("/v1/customers/" + buyer + "/balance_transactions").expect(200)
			Expect(moves.each("data", "action")).To(Equal(list{"applied_to_invoice", "prorated_refund", "external_payment"}))
			Expect(moves.entry("data", 2).at("description")).To(Equal("Card"))
		})

		It("gives a new customer the money in the currency of the plan", func() {
			fresh := s.buyer(nil)
			id := s.post("/v1/subscriptions", object{"customer_id": fresh, "plan_id": plan}, later).expect(201).waiting()
			made := s.post(path(id)+"/apply", object{"previously_collected_amount": "50"}).expect(200).subscription()
			Expect(made.entry("changed_resources.created_invoices", 0).at("status")).To(Equal("paid"))
			Expect(s.balance(fresh)).To(Equal("8.00"))
		})

		It("has its invoices paid where that is asked for, and moves the balance by the difference", func() {
			id := planChange().waiting()
			applied := s.post(path(id)+"/apply", object{
				"mark_as_paid": true, "previously_collected_amount": "25.00",
				"payment_received_date": "2025-03-10", "payment_external_id": "ch_1", "payment_notes": "by card",
			}).expect(200)
			paid := applied.subscription().entry("changed_resources.created_invoices", 0)
			paid.shows(object{"status": "paid", "amount_due": "21.00", "paid_at": "2025-03-10T00:00:00+00:00", "is_payable_now": false})
			Expect(s.balance(buyer)).To(Equal("4.00"))
			Expect(last().at("action")).To(Equal("external_payment"))
		})

		It("moves no balance where only the invoices are to be paid", func() {
			id := planChange().waiting()
			s.post(path(id)+"/apply", object{"mark_as_paid": true}).expect(200)
			Expect(s.bills(sub)).To(ContainElement("2025-03-11 paid 42.00"))
			Expect(s.balance(buyer)).To(Equal("0.00"))
		})

		It("issues invoices of fees in advance that do not issue themselves", func() {
			manual := s.subscribe(buyer, object{"auto_issuance": false}, s.calls("1.00")).text("id")
			change := func(body any) value {
				id := s.post("/v1/subscriptions/"+manual+"/schedule_plan_change", immediately, later).expect(200).waiting()
				return s.post(path(id)+"/apply", body).expect(200).subscription()
			}
			Expect(changed(change(object{"previously_collected_amount": "42.00"}))).To(ContainElement("2025-03-11 paid 42.00"))
			Expect(changed(change(nil))).To(ContainElement("2025-03-11 draft 42.00"))
		})

		DescribeTable("is refused, and still waits",
			func(body object, violation string) {
				id := planChange().waiting()
				s.post(path(id)+"/apply", body).invalid(violation)
				Expect(s.get(path(id)).expect(200).at("status")).To(Equal("pending"))
				Expect(s.balance(buyer)).To(Equal("0.00"))
			},
			Entry("where less than nothing was collected", object{"previously_collected_amount": "-1"}, "previously_collected_amount: must not be negative"),
			Entry("where parts of a cent were", object{"previously_collected_amount": "1.001"}, "previously_collected_amount: must have at most the 2 decimals"),
			Entry("where a payment is told that is not to be marked", object{"payment_notes": "x"}, "payment_notes: must not be given unless"),
			Entry("with what is no date", object{"mark_as_paid": true, "payment_received_date": "2025-02-30"}, "payment_received_date: "),
			Entry("with a date that has not come", object{"mark_as_paid": true, "payment_received_date": "2025-03-12"}, "payment_received_date: must not be after today"),
			Entry("with another member", object{"reason": "x"}, "reason: is not a field"),
		)
	})

	It("can be had of every operation that says so, and of no other", func() {
		document, err := gen.GetSpec()
		Expect(err).NotTo(HaveOccurred())
		var types []string
		for _, item := range document.Paths.Map() {
			for _, op := range item.Operations() {
				if op.Parameters.GetByInAndName("header", later.name) != nil {
					types = append(types, server.ChangeType(op.OperationID)[1:])
				}
			}
		}
		Expect(server.KeptAsPending()).To(ConsistOf(types))
	})

	DescribeTable("can be had of each change of a subscription",
		func(path string, body any, kind string) {
			s.coupon(percent("A", "0.5"), nil)
			fee := s.get("/v1/subscriptions/" + sub).expect(200).text("price_intervals[0].price.id")
			if o, is := body.(object); is && o["price_id"] != nil {
				body = with(o, object{"price_id": fee})
			}
			switch kind {
			case "unschedule_cancellation":
				s.cancel(sub, asOf("2025-06-01")).expect(200)
			case "unschedule_fixed_fee_quantity_updates":
				s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": fee, "quantity": 3, "effective_date": "2025-04-05"}).expect(200)
			case "unschedule_pending_plan_changes":
				s.move(sub, plan, onDate("2025-05-01")).expect(200)
			}
			would := s.post("/v1/subscriptions/"+sub+path, body, later).expect(200)
			before := s.bills(sub)
			found := s.get("/v1/subscription_changes/" + would.waiting()).expect(200)
			Expect(found.at("change_type")).To(Equal(kind))
			Expect(found.subscription().at("changed_resources")).NotTo(BeNil())
			Expect(s.bills(sub)).To(Equal(before))
			applied := s.post("/v1/subscription_changes/"+would.waiting()+"/apply", nil).expect(200).subscription()
			for _, of := range []string{"end_date", "plan.id", "redeemed_coupon", "fixed_fee_quantity_schedule"} {
				Expect(list{applied.at(of)}).To(Equal(list{would.at(of)}), of)
			}
		},
		Entry("its cancellation", "/cancel", asOf("2025-04-05"), "cancel_subscription"),
		Entry("one of a quantity", "/update_fixed_fee_quantity", object{"price_id": "", "quantity": 5}, "update_fixed_fee_quantity"),
		Entry("a coupon", "/redeem_coupon", object{"coupon_redemption_code": "A", "change_option": "immediate"}, "redeem_coupon"),
		Entry("a cancellation taken back", "/unschedule_cancellation", nil, "unschedule_cancellation"),
		Entry("quantities taken back", "/unschedule_fixed_fee_quantity_updates", object{"price_id": ""}, "unschedule_fixed_fee_quantity_updates"),
		Entry("changes of the plan taken back", "/unschedule_pending_plan_changes", nil, "unschedule_pending_plan_changes"),
	)

	It("begins a phase", func() {
		ramp := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD",
			"plan_phases": list{object{"order": 1, "duration": 2, "duration_unit": "monthly"}, object{"order": 2}},
			"prices":      list{object{"price": s.fee("31.00"), "plan_phase_order": 1}, object{"price": s.fee("62.00"), "plan_phase_order": 2}},
		}).expect(201).text("id")
		phased := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": ramp}).expect(201).text("id")
		would := s.post("/v1/subscriptions/"+phased+"/trigger_phase", object{}, later).expect(200)
		Expect(would.at("active_plan_phase_order")).To(Equal(json.Number("2")))
		Expect(s.get("/v1/subscriptions/" + phased).expect(200).at("active_plan_phase_order")).To(Equal(json.Number("1")))
		applied := s.post(path(would.waiting())+"/apply", nil).expect(200)
		Expect(applied.at("subscription.active_plan_phase_order")).To(Equal(json.Number("2")))
	})

	It("tells nothing else that a change brings about, if that is not asked for", func() {
		Expect(s.post("/v1/subscriptions/"+sub+"/cancel?include_changed_resources=false", object{"cancel_option": "immediate"}).
			expect(200).at("changed_resources")).To(BeNil())
	})
})

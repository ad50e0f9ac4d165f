package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/webhook"
)

// news returns what was told since news was asked last, oldest first.
func (a *api) news() (since []value) {
	GinkgoHelper()
	all := a.told()
	since = all[*a.heard:]
	*a.heard = len(all)
	return since
}

// newsOf is news of one type, which must be there once.
func (a *api) newsOf(t webhook.Type) value {
	GinkgoHelper()
	var found []value
	for _, v := range a.news() {
		if v.at("type") == string(t) {
			found = append(found, v)
		}
	}
	Expect(found).To(HaveLen(1), string(t))
	return found[0]
}

// newsTypes are the types of the news.
func (a *api) newsTypes() (types list) {
	GinkgoHelper()
	types = list{}
	for _, v := range a.news() {
		types = append(types, v.at("type"))
	}
	return types
}

var _ = Describe("The life of a subscription", func() {
	var s fixture
	var acme string
	BeforeEach(func() {
		s = newFixture("2025-01-01T00:00:00Z")
		acme = s.buyer(nil)
		s.listens()
	})
	path := func(sub value) string { return "/v1/subscriptions/" + sub.text("id") }

	It("W-4: is told when it is created, and when it starts", func() {
		sub := s.subscribe(acme, object{"start_date": "2025-02-01"}, s.calls("1.00"))
		Expect(s.newsTypes()).To(ContainElement("subscription.created"))
		s.clock("2025-01-31T23:59:59Z")
		Expect(s.newsTypes()).To(BeEmpty())
		s.clock("2025-02-01T00:00:00Z")
		started := s.newsOf(webhook.SubscriptionStarted)
		Expect(started.at("created_at")).To(Equal("2025-02-01T00:00:00+00:00"))
		Expect(started.at("subscription.id")).To(Equal(sub.at("id")))
		Expect(started.at("subscription.status")).To(Equal("active"))
		Expect(started.at("properties")).To(BeEmpty())
	})

	It("is told whole, after the customer, when it starts at once", func() {
		s.post("/v1/customers", object{"name": "B", "email": "b@b.test"}).expect(201)
		s.subscribe(acme, nil, s.calls("1.00"))
		Expect(s.newsTypes()).To(Equal(list{"customer.created", "subscription.created", "subscription.started"}))
	})

	It("is told to its end, and not beyond", func() {
		sub := s.subscribe(acme, object{"end_date": "2025-01-31"}, s.calls("1.00"))
		s.news()
		s.clock("2025-01-31T00:00:00Z")
		ended := s.newsOf(webhook.SubscriptionEnded)
		Expect(ended.at("subscription.status")).To(Equal("ended"))
		Expect(ended.at("subscription.id")).To(Equal(sub.at("id")))
		s.clock("2025-06-01T00:00:00Z")
		Expect(s.newsTypes()).NotTo(ContainElement(HavePrefix("subscription.")))
	})

	It("is told of one that lies in the past", func() {
		s.subscribe(acme, object{"start_date": "2024-11-01", "end_date": "2024-12-01"}, s.calls("1.00"))
		Expect(s.newsTypes()[:3]).To(Equal(list{"subscription.created", "subscription.started", "subscription.ended"}))
	})

	It("is told of a cancellation, that it is taken back, and that it is made at once", func() {
		sub := s.subscribe(acme, nil, s.calls("1.00"))
		s.news()
		s.post(path(sub)+"/cancel", object{"cancel_option": "end_of_subscription_term"}).expect(200)
		Expect(s.newsOf(webhook.SubscriptionCancellationScheduled).at("properties")).To(Equal(object{"cancellation_date": "2025-02-01T00:00:00+00:00"}))
		s.post(path(sub)+"/unschedule_cancellation", nil).expect(200)
		Expect(s.newsOf(webhook.SubscriptionCancellationUnscheduled).at("properties")).
			To(Equal(object{"original_cancellation_date": "2025-02-01T00:00:00+00:00"}))
		s.clock("2025-02-10T00:00:00Z")
		Expect(s.newsTypes()).NotTo(ContainElement("subscription.ended"))
		s.post(path(sub)+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		Expect(s.newsTypes()).To(And(ContainElement("subscription.ended"), Not(ContainElement("subscription.cancellation_scheduled"))))
		s.clock("2025-03-10T00:00:00Z")
		Expect(s.newsTypes()).NotTo(ContainElement("subscription.ended"))
	})

	It("ends without a beginning when it is canceled before", func() {
		sub := s.subscribe(acme, object{"start_date": "2025-02-01"}, s.calls("1.00"))
		s.news()
		s.post(path(sub)+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		Expect(s.newsTypes()).To(Equal(list{"subscription.ended"}))
		s.clock("2025-03-10T00:00:00Z")
		Expect(s.newsTypes()).To(BeEmpty())
	})

	It("is told of an edit, with what was before", func() {
		sub := s.subscribe(acme, object{"net_terms": 10}, s.calls("1.00"))
		s.news()
		s.put(path(sub), object{"net_terms": 20, "metadata": object{"a": "b"}}).expect(200)
		edited := s.newsOf(webhook.SubscriptionEdited)
		Expect(edited.at("subscription.net_terms")).To(Equal(number("20")))
		Expect(edited.at("properties")).To(Equal(object{"previous_attributes": object{"net_terms": number("10"), "metadata": object{}}}))
		s.put(path(sub), object{"net_terms": 20}).expect(200)
		Expect(s.newsTypes()).To(BeEmpty())
	})

	It("is told of a plan that it will have, and that it has it", func() {
		sub := s.subscribe(acme, nil, s.calls("1.00"))
		other := s.plan(object{}, s.calls("2.00")).text("id")
		s.news()
		s.post(path(sub)+"/schedule_plan_change", object{"plan_id": other, "change_option": "end_of_subscription_term"}).expect(200)
		Expect(s.newsOf(webhook.SubscriptionPlanChangeScheduled).at("properties")).To(Equal(object{
			"previous_plan_id": sub.at("plan.id"), "new_plan_id": other, "change_date": "2025-02-01T00:00:00+00:00",
		}))
		s.clock("2025-02-01T00:00:00Z")
		changed := s.newsOf(webhook.SubscriptionPlanChanged)
		Expect(changed.at("subscription.plan.id")).To(Equal(other))
		Expect(changed.at("properties")).To(Equal(object{"previous_plan_id": sub.at("plan.id")}))
	})

	It("is told of another quantity of a fee", func() {
		sub := s.subscribe(acme, nil, with(s.fee("10.00"), object{"fixed_price_quantity": 2}))
		s.news()
		price := sub.text("price_intervals[0].price.id")
		body := object{"price_id": price, "quantity": 5, "change_option": "effective_date", "effective_date": "2025-01-15"}
		s.post(path(sub)+"/update_fixed_fee_quantity", body).expect(200)
		Expect(s.newsOf(webhook.SubscriptionQuantityUpdated).at("properties")).To(Equal(object{
			"price_id": price, "old_quantity": number("2"), "new_quantity": number("5"), "effective_date": "2025-01-15T00:00:00+00:00",
		}))
	})
})

var _ = Describe("What becomes of an invoice", func() {
	var s fixture
	var acme string
	BeforeEach(func() {
		s = newFixture("2025-01-01T00:00:00Z")
		acme = s.buyer(object{"currency": "USD"})
		s.listens()
	})

	It("W-6: is told after what it did to the balance", func() {
		s.post("/v1/customers/"+acme+"/balance_transactions", object{"amount": "50.00", "type": "increment"}).expect(200)
		s.news()
		created := s.subscribe(acme, nil, s.fee("20.00"))
		news := s.news()
		var types list
		for _, v := range news {
			types = append(types, v.at("type"))
		}
		Expect(types).To(Equal(list{"subscription.created", "subscription.started",
			"customer.balance_transaction_created", "invoice.issued", "invoice.issued_summary"}))
		issued := news[3]
		Expect(issued.at("properties")).To(Equal(object{"automatically_marked_as_paid": true}))
		invoice := s.get("/v1/invoices/" + created.text("changed_resources.created_invoices[0].id")).expect(200)
		Expect(issued.at("invoice")).To(Equal(invoice.json))
		Expect(news[4].has("invoice.line_items")).To(BeFalse())
		Expect(news[4].at("invoice.id")).To(Equal(invoice.at("id")))
	})

	It("is told when its date comes, and once", func() {
		s.subscribe(acme, nil, s.calls("1.00"))
		s.news()
		s.clock("2025-02-01T00:00:00Z")
		elapsed := s.newsOf(webhook.InvoiceDateElapsed)
		Expect(elapsed.at("properties")).To(Equal(object{"invoice_date": "2025-02-01T00:00:00+00:00"}))
		Expect(elapsed.at("invoice.status")).To(Equal("draft"))
		Expect(elapsed.at("invoice.customer.id")).To(Equal(acme))
		Expect(elapsed.has("invoice.total")).To(BeFalse())
		s.clock("2025-02-02T00:00:00Z")
		Expect(s.newsTypes()).NotTo(ContainElement("invoice.invoice_date_elapsed"))
	})

	// oneOff makes a draft by hand, issued where that is wished, and returns its id.
	oneOff := func(change object) string {
		GinkgoHelper()
		body := object{"customer_id": acme, "currency": "USD", "invoice_date": "2025-01-01", "net_terms": 0, "line_items": list{object{
			"item_id": s.item, "name": "Work", "model_type": "unit", "quantity": 1, "unit_config": object{"unit_amount": "100.00"},
			"start_date": "2025-01-01", "end_date": "2025-01-02",
		}}}
		return s.post("/v1/invoices", with(body, change)).expect(201).text("id")
	}

	It("is told of the payment that was marked, and of one that was voided", func() {
		id := oneOff(nil)
		s.post("/v1/invoices/"+id+"/issue", nil).expect(200)
		Expect(s.newsOf(webhook.InvoiceIssued).at("properties")).To(Equal(object{"automatically_marked_as_paid": false}))
		s.post("/v1/invoices/"+id+"/mark_paid", object{"payment_received_date": "2025-01-01", "external_id": "tx1", "notes": nil}).expect(200)
		paid := s.newsOf(webhook.InvoiceManuallyMarkedAsPaid)
		Expect(paid.at("invoice.status")).To(Equal("paid"))
		Expect(paid.at("properties")).To(Equal(object{"external_id": "tx1", "notes": nil, "payment_received_date": "2025-01-01"}))

		other := oneOff(nil)
		s.post("/v1/invoices/"+other+"/issue", nil).expect(200)
		s.news()
		s.post("/v1/invoices/"+other+"/void", nil).expect(200)
		Expect(s.newsOf(webhook.InvoiceManuallyMarkedAsVoid).at("invoice.status")).To(Equal("void"))
	})

	It("is told of edits of a draft", func() {
		id := oneOff(nil)
		Expect(s.newsTypes()).To(BeEmpty())
		s.put("/v1/invoices/"+id, object{"metadata": object{"a": "b"}}).expect(200)
		Expect(s.newsOf(webhook.InvoiceEdited).at("invoice.metadata")).To(Equal(object{"a": "b"}))
		s.put("/v1/invoices/"+id, object{"metadata": object{"a": "b"}}).expect(200)
		Expect(s.newsTypes()).To(BeEmpty())
		line := s.post("/v1/invoice_line_items", object{
			"invoice_id": id, "name": "More", "amount": "1.00", "quantity": 1, "start_date": "2025-01-01", "end_date": "2025-01-02",
		}).expect(201)
		Expect(s.newsOf(webhook.InvoiceEdited).at("invoice.total")).To(Equal("101.00"))
		s.delete("/v1/invoices/" + id + "/invoice_line_items/" + line.text("id")).expect(204)
		Expect(s.newsOf(webhook.InvoiceEdited).at("invoice.total")).To(Equal("100.00"))
	})

	It("is told of charges that fail and succeed", func() {
		s.setting("payment_gateway", "test")
		s.put("/v1/customers/"+acme, object{"payment_provider": "stripe_charge", "payment_provider_id": "decline", "auto_collection": true}).expect(200)
		oneOff(object{"auto_collection": true, "will_auto_issue": true})
		s.clock("2025-01-01T00:00:00Z")
		failed := s.newsOf(webhook.InvoicePaymentFailed)
		Expect(failed.at("invoice.status")).To(Equal("issued"))
		Expect(failed.at("properties")).To(Equal(object{
			"payment_provider": nil, "payment_provider_id": nil, "payment_provider_transaction_id": nil,
		}))
		s.put("/v1/customers/"+acme, object{"payment_provider": "stripe_charge", "payment_provider_id": "card"}).expect(200)
		s.clock("2025-01-03T00:00:00Z")
		Expect(s.newsOf(webhook.InvoicePaymentSucceeded).at("invoice.status")).To(Equal("paid"))
	})

	It("is told of its credit notes", func() {
		id := oneOff(nil)
		issued := s.post("/v1/invoices/"+id+"/issue", nil).expect(200)
		s.news()
		note := s.post("/v1/credit_notes", object{"line_items": list{object{
			"invoice_line_item_id": issued.at("line_items[0].id"), "amount": "10.00",
		}}, "reason": "duplicate"}).expect(201)
		told := s.newsOf(webhook.CreditNoteIssued)
		Expect(told.at("credit_note")).To(Equal(note.json))
		Expect(told.at("properties")).To(BeEmpty())
		s.post("/v1/invoices/"+id+"/void", nil).expect(200)
		Expect(s.newsOf(webhook.CreditNoteMarkedAsVoid).at("credit_note.id")).To(Equal(note.at("id")))
	})
})

var _ = Describe("What becomes of the rest", func() {
	It("is told of edits of metrics and prices", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		price := s.post("/v1/prices", with(s.calls("1.00"), object{"currency": "USD", "metadata": object{"a": "b"}})).expect(201).text("id")
		s.listens()
		s.put("/v1/metrics/"+s.metric, object{"metadata": object{"c": "d"}}).expect(200)
		edited := s.newsOf(webhook.MetricEdited)
		Expect(edited.at("billable_metric.metadata")).To(Equal(object{"c": "d"}))
		Expect(edited.at("properties")).To(Equal(object{"previous_attributes": object{"metadata": object{}}}))
		changed := s.put("/v1/prices/"+price, object{"metadata": object{"a": "c"}}).expect(200)
		edited = s.newsOf(webhook.PriceEdited)
		Expect(edited.at("price")).To(Equal(changed.json))
		Expect(edited.at("properties")).To(Equal(object{"previous_attributes": object{"metadata": object{"a": "b"}}}))
	})

	It("is told of versions of a plan, and which is the default", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		plan := s.plan(object{}, s.calls("1.00")).text("id")
		s.listens()
		s.post("/v1/plans/"+plan+"/versions", object{"version": 3, "set_as_default": true}).expect(201)
		news := s.news()
		Expect(news).To(HaveLen(2))
		Expect(news[0].at("type")).To(Equal("plan.version_created"))
		Expect(news[0].at("properties")).To(Equal(object{"plan_version_number": number("3"), "plan_version_description": nil}))
		Expect(news[0].at("plan.id")).To(Equal(plan))
		Expect(news[1].at("type")).To(Equal("plan.default_version_set"))
		Expect(news[1].at("properties")).To(Equal(object{"new_default_version_number": number("3"), "previous_default_version_number": number("1")}))
		s.post("/v1/plans/"+plan+"/set_default_version", object{"version": 3}).expect(200)
		Expect(s.newsTypes()).To(BeEmpty(), "it was that already")
	})

	It("is told of backfills that are reflected, and taken back", func() {
		s := newFixture("2025-01-10T00:00:00Z")
		s.buyer(object{"external_customer_id": "acme"})
		s.listens()
		open := func(day int) string {
			return s.post("/v1/events/backfills", object{
				"timeframe_start": fmt.Sprintf("2025-01-0%dT00:00:00Z", day), "timeframe_end": fmt.Sprintf("2025-01-0%dT12:00:00Z", day),
				"external_customer_id": "acme",
			}).expect(200).text("id")
		}
		first, second := open(1), open(2)
		s.post("/v1/events/backfills/"+first+"/revert", nil).expect(200)
		Expect(s.newsOf(webhook.BackfillReverted).at("backfill.id")).To(Equal(first))
		s.post("/v1/events/backfills/"+second+"/close", nil).expect(200)
		s.clock("2025-01-10T00:00:00Z")
		Expect(s.newsOf(webhook.BackfillReflected).at("backfill.status")).To(Equal("reflected"))
		s.post("/v1/events/backfills/"+second+"/revert", nil).expect(200)
		s.clock("2025-01-10T00:00:00Z")
		Expect(s.newsOf(webhook.BackfillReverted).at("backfill.status")).To(Equal("reverted"))
	})

	It("is told of events of no customer, from when that is wished on", func() {
		s := newFixture("2025-01-10T00:00:00Z")
		s.buyer(object{"external_customer_id": "acme"})
		send := func(customer string) {
			GinkgoHelper()
			*s.sent++
			s.post("/v1/ingest", object{"events": list{object{
				"idempotency_key": fmt.Sprint("u", *s.sent), "event_name": "call", "external_customer_id": customer,
				"timestamp": "2025-01-10T00:00:00Z", "properties": object{"n": 1},
			}}}).expect(200)
		}
		send("before")
		s.listens()
		send("acme")
		send("nobody")
		send("nobody")
		s.clock("2025-01-10T00:00:00Z")
		news := s.news()
		Expect(news).To(HaveLen(3))
		Expect(news[0].at("type")).To(Equal("event.unmatched_event"))
		Expect(news[0].at("properties")).To(Equal(object{"event": object{
			"customer_id": nil, "event_name": "call", "external_customer_id": "nobody", "idempotency_key": "u3",
			"properties": object{"n": number("1")}, "timestamp": "2025-01-10T00:00:00+00:00",
		}}))
		Expect(news[2].at("type")).To(Equal("ingestion.unmatched_customer_ids"))
		Expect(news[2].at("properties")).To(Equal(object{"external_customer_ids": list{"nobody"}}))
		s.clock("2025-01-11T00:00:00Z")
		Expect(s.newsTypes()).To(BeEmpty(), "each is told once")
	})
})

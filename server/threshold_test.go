package server_test

import (
	"encoding/json"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

var _ = Describe("An invoicing threshold", func() {
	var s fixture
	var acme string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		acme = s.buyer(object{"external_customer_id": "acme"})
	})
	// again does what has fallen due, without moving the clock.
	again := func(at string) {
		GinkgoHelper()
		s.clock(at)
	}
	threshold := func(amount string) object { return object{"invoicing_threshold": amount} }

	It("S-8: invoices at once what comes to it, and takes that off at the period's end", func() {
		sub := s.subscribe(acme, threshold("10.00"), s.calls("0.40"))
		Expect(sub.at("invoicing_threshold")).To(Equal("10.00"))
		id := sub.text("id")
		s.listens(webhook.SubscriptionInvoicingThresholdExceeded)
		s.clock("2025-03-05T10:00:00Z")
		s.use(acme, "2025-03-05T09:00:00Z", "26")
		again("2025-03-05T10:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-03-05 issued 10.40", "2025-04-01 draft 0.00"))
		s.invoices(id).entry("data", 1).shows(object{
			"invoice_source": "partial", "invoice_date": "2025-03-05T10:00:00+00:00", "issued_at": "2025-03-05T10:00:00+00:00",
			"line_items[0].start_date": "2025-03-01T00:00:00+00:00", "line_items[0].end_date": "2025-03-05T10:00:00+00:00",
			"line_items[0].partially_invoiced_amount": "0.00",
		})
		again("2025-03-05T10:00:00Z")
		Expect(s.invoices(id).list("data")).To(HaveLen(2), "once for what was used")
		told := s.told()
		Expect(told).To(HaveLen(1))
		told[0].shows(object{
			"subscription.id": id, "properties.invoicing_threshold": "10.00", "properties.evaluated_amount": "10.40",
			"properties.invoice_id": s.invoices(id).entry("data", 1).text("id"), "properties.threshold_invoice_created": true,
		})

		s.clock("2025-03-20T10:00:00Z")
		s.use(acme, "2025-03-20T09:00:00Z", "20")
		again("2025-03-20T10:00:00Z")
		Expect(s.invoices(id).list("data")).To(HaveLen(2), "8.00 since")
		Expect(s.get("/v1/subscriptions/"+id+"/costs").expect(200).at("data[19].total")).To(Equal("18.40"), "costs are what usage is worth")
		s.clock("2025-04-01T12:00:00Z")
		s.invoices(id).entry("data", 1).shows(object{
			"status": "issued", "total": "8.00", "invoice_source": "subscription", "line_items[0].subtotal": "18.40",
			"line_items[0].partially_invoiced_amount": "10.40", "line_items[0].amount": "8.00", "line_items[0].quantity": json.Number("46"),
		})
	})

	It("makes one invoice of a whole overshoot, and another of what comes after it", func() {
		id := s.subscribe(acme, threshold("10.00"), s.calls("1.00"), s.fee("50.00")).text("id")
		s.use(acme, "2025-03-01T00:00:00Z", "35")
		again("2025-03-01T00:00:00Z")
		s.use(acme, "2025-03-01T00:00:00Z", "12")
		again("2025-03-01T00:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-03-01 issued 50.00", "2025-03-01 issued 35.00", "2025-03-01 issued 12.00", "2025-04-01 draft 50.00"))
		again("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-04-01 issued 50.00"))
	})

	It("counts discounts and credits, but no minimum and no fee", func() {
		half := object{"adjustment": object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5, "applies_to_all": true}}
		minimum := object{"adjustment": object{"adjustment_type": "minimum", "minimum_amount": "30.00", "item_id": s.item, "applies_to_all": true}}
		id := s.subscribe(acme, with(threshold("10.00"), object{"add_adjustments": list{half, minimum}}), s.calls("1.00")).text("id")
		s.entry(acme, object{"entry_type": "increment", "amount": 4, "currency": "USD"})
		s.clock("2025-03-02T00:00:00Z")
		s.use(acme, "2025-03-02T00:00:00Z", "27")
		again("2025-03-02T00:00:00Z")
		Expect(s.invoices(id).list("data")).To(HaveLen(1), "13.50 less 4.00 of credits")
		s.use(acme, "2025-03-02T00:00:00Z", "1")
		again("2025-03-02T00:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-03-02 issued 10.00"))
		again("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-04-01 issued 16.00"), "the minimum of 30.00, less credits and 10.00")
	})

	// semantics 6.2.9: what begins after a partial invoice does not reach it, and what ends after it does.
	DescribeTable("gives a partial invoice the adjustments that are in force on its date", func(adjustment object, from string, until any, partial, rest string) {
		interval := object{"adjustment": with(adjustment, object{"applies_to_all": true}), "start_date": from, "end_date": until}
		id := s.subscribe(acme, with(threshold("10.00"), object{"add_adjustments": list{interval}}), s.calls("1.00")).text("id")
		s.clock("2025-03-05T10:00:00Z")
		s.use(acme, "2025-03-05T09:00:00Z", "30")
		again("2025-03-05T10:00:00Z")
		s.clock("2025-03-20T10:00:00Z")
		s.use(acme, "2025-03-20T09:00:00Z", "15")
		s.put("/v1/subscriptions/"+id, object{"invoicing_threshold": nil}).expect(200)
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElements("2025-03-05 issued "+partial, "2025-04-01 issued "+rest))
	},
		Entry("an amount that begins later", object{"adjustment_type": "amount_discount", "amount_discount": "10.00"}, "2025-03-15", "2025-05-01", "30.00", "5.00"),
		Entry("a part that begins later", object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5}, "2025-03-15", "2025-05-01", "30.00", "7.50"),
		Entry("a part that ends before the period does", object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5}, "2025-03-01", "2025-03-10", "15.00", "15.00"),
		Entry("an amount that ends before the period does", object{"adjustment_type": "amount_discount", "amount_discount": "10.00"}, "2025-03-01", "2025-03-10", "20.00", "15.00"),
		Entry("a maximum that begins later", object{"adjustment_type": "maximum", "maximum_amount": "12.00"}, "2025-03-15", "2025-05-01", "30.00", "12.00"),
		Entry("free units that begin later", object{"adjustment_type": "usage_discount", "usage_discount": 12}, "2025-03-15", "2025-05-01", "30.00", "3.00"),
		Entry("all of them in force throughout", object{"adjustment_type": "amount_discount", "amount_discount": "10.00"}, "2025-03-01", nil, "20.00", "15.00"),
	)

	It("gives an amount of a month once where a partial invoice has a part of a quarterly price too", func() { // price models 6.7.1 and 6.7.18
		discount := object{"adjustment": object{"adjustment_type": "amount_discount", "amount_discount": "15.00", "applies_to_all": true}}
		id := s.subscribe(acme, with(threshold("10.00"), object{"add_adjustments": list{discount}}), s.calls("1.00"), with(s.calls("2.00"), object{"cadence": "quarterly"})).text("id")
		s.clock("2025-03-05T10:00:00Z")
		s.use(acme, "2025-03-05T09:00:00Z", "30")
		again("2025-03-05T10:00:00Z")
		s.put("/v1/subscriptions/"+id, object{"invoicing_threshold": nil}).expect(200)
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElements("2025-03-05 issued 75.00", "2025-04-01 paid 0.00"))
	})

	It("is taken off the draft of the part that runs while the one before is a draft too", func() {
		quarterly := object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
		id := s.subscribe(acme, threshold("20.00"), with(s.calls("1.00"), quarterly)).text("id")
		s.use(acme, "2025-03-01T00:00:00Z", "9")
		s.clock("2025-04-01T08:00:00Z")
		s.use(acme, "2025-04-01T07:00:00Z", "25")
		again("2025-04-01T08:00:00Z")
		Expect(s.bills(id)).To(Equal([]string{"2025-04-01 draft 9.00", "2025-04-01 issued 25.00", "2025-05-01 draft 0.00"}))
		s.clock("2025-05-01T12:00:00Z")
		Expect(s.bills(id)).To(Equal([]string{"2025-04-01 issued 9.00", "2025-04-01 issued 25.00", "2025-05-01 paid 0.00", "2025-06-01 draft 0.00"}))
	})

	It("sees events under an alias, late ones, corrections, and a threshold that is set later", func() {
		id := s.subscribe(acme, object{}, s.calls("1.00")).text("id")
		s.use(acme, "2025-03-01T00:00:00Z", "8")
		again("2025-03-01T00:00:00Z")
		s.put("/v1/subscriptions/"+id, threshold("0")).invalid("invoicing_threshold: must be above 0")
		s.put("/v1/subscriptions/"+id, threshold("10.00")).expect(200).shows(object{"invoicing_threshold": "10.00"})
		s.ingest(object{"idempotency_key": "late", "event_name": "call", "external_customer_id": "acme", "timestamp": "2025-03-01T00:00:00Z", "properties": object{"n": 1}})
		again("2025-03-01T00:00:00Z")
		Expect(s.invoices(id).list("data")).To(HaveLen(1))
		s.put("/v1/events/e000001", object{"event_name": "call", "customer_id": acme, "timestamp": "2025-03-01T00:00:00Z", "properties": object{"n": 9}}).expect(200)
		again("2025-03-01T00:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-03-01 issued 10.00"))
		s.put("/v1/subscriptions/"+id, object{"invoicing_threshold": nil}).expect(200).shows(object{"invoicing_threshold": nil})
		s.use(acme, "2025-03-01T00:00:00Z", "80")
		again("2025-04-01T12:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-04-01 issued 80.00"), "what was invoiced is taken off also without a threshold")
	})

	It("sees the usage of children, and of a start that lies back", func() {
		child := s.buyer(object{"hierarchy": object{"parent_customer_id": acme}})
		id := s.subscribe(acme, with(threshold("5.00"), object{"usage_customer_ids": list{child}}), s.calls("1.00")).text("id")
		s.use(child, "2025-03-01T00:00:00Z", "6")
		again("2025-03-01T00:00:00Z")
		Expect(s.bills(id)).To(ContainElement("2025-03-01 issued 6.00"))
		late := s.subscribe(child, with(threshold("5.00"), object{"start_date": "2025-03-01"}), s.calls("1.00")).text("id")
		again("2025-03-01T00:00:00Z")
		Expect(s.bills(late)).To(ContainElement("2025-03-01 issued 6.00"))
	})

	It("is told of by the days of the customer, through a clock change and a month's end", func() {
		york := s.buyer(object{"timezone": "America/New_York"})
		s.clock("2025-03-31T00:00:00Z")
		id := s.subscribe(york, with(threshold("10.00"), object{"start_date": "2025-03-01"}), s.calls("1.00")).text("id")
		s.clock("2025-04-01T03:59:00Z")
		s.use(york, "2025-04-01T03:58:00Z", "11")
		again("2025-04-01T03:59:59Z")
		s.use(york, "2025-04-01T03:59:30Z", "2")
		s.clock("2025-04-01T04:00:00Z")
		s.use(york, "2025-04-01T04:00:00Z", "12")
		s.clock("2025-04-01T16:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-04-01 issued 11.00", "2025-04-01 issued 2.00", "2025-04-01 issued 12.00", "2025-05-01 draft 0.00"))
	})

	It("takes it off a subscription that ends, and off the parts of a billing cycle", func() {
		ends := s.subscribe(acme, threshold("10.00"), s.calls("1.00")).text("id")
		parts := s.subscribe(acme, threshold("10.00"), with(s.calls("1.00"), object{
			"cadence": "annual", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"},
		})).text("id")
		s.use(acme, "2025-03-01T00:00:00Z", "15")
		again("2025-03-01T00:00:00Z")
		s.clock("2025-03-10T00:00:00Z")
		s.use(acme, "2025-03-09T23:00:00Z", "3")
		s.post("/v1/subscriptions/"+ends+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		s.clock("2025-04-02T00:00:00Z")
		s.use(acme, "2025-04-01T23:00:00Z", "11")
		again("2025-04-02T00:00:00Z")
		s.clock("2025-05-01T12:00:00Z")
		Expect(s.bills(ends)).To(HaveExactElements("2025-03-01 issued 15.00", "2025-03-10 issued 3.00"))
		Expect(s.bills(parts)).To(HaveExactElements("2025-03-01 issued 15.00", "2025-04-01 issued 3.00", "2025-04-02 issued 11.00", "2025-05-01 paid 0.00", "2025-06-01 draft 0.00"))
	})

	It("is not voided by hand, before its period ends or after; it is credited instead", func() {
		id := s.subscribe(acme, threshold("10.00"), s.calls("1.00")).text("id")
		s.use(acme, "2025-03-01T00:00:00Z", "15")
		again("2025-03-01T00:00:00Z")
		partial := s.invoices(id).entry("data", 1)
		refused := func() {
			GinkgoHelper()
			s.post("/v1/invoices/"+partial.text("id")+"/void", nil).refuse(400, "400-constraint-violation", "a partial invoice cannot be voided", "credit it instead")
		}
		refused()
		s.clock("2025-04-01T12:00:00Z")
		refused()
		s.post("/v1/credit_notes", object{"line_items": list{credited(partial.at("line_items[0].id"), "15.00")}}).expect(201)
		s.clock("2025-05-01T12:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-03-01 paid 15.00", "2025-04-01 paid 0.00", "2025-05-01 paid 0.00", "2025-06-01 draft 0.00"))
	})

	It("is invoiced once, whoever looks at the same time", func() {
		id := s.subscribe(acme, threshold("10.00"), s.calls("1.00")).text("id")
		again("2025-03-01T00:00:00Z")
		s.use(acme, "2025-03-01T00:00:00Z", "15")
		var done sync.WaitGroup
		for range 8 {
			done.Add(1)
			go func() {
				defer GinkgoRecover()
				defer done.Done()
				for _, do := range []func(*store.Tx) (bool, error){billing.ScanThresholdsNext, billing.ThresholdInvoiceNext, billing.ThresholdInvoiceNext} {
					Eventually(func() error { // one of many that lose against others may have to begin again
						return s.store.Update(s.ctx, func(tx *store.Tx) error {
							_, err := do(tx)
							return err
						})
					}, onBusyMachine).Should(Succeed())
				}
			}()
		}
		done.Wait()
		again("2025-03-01T00:00:00Z")
		Expect(s.bills(id)).To(HaveExactElements("2025-03-01 issued 15.00", "2025-04-01 draft 0.00"))
	})
})

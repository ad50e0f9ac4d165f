package alert_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/domaintest"
	"tollkeeper/store"
)

var _ = Describe("What is to be looked at for alerts (semantics 12.2.7)", func() {
	var w watched
	BeforeEach(func() { w = open() })
	subscription := func() string { return "subscription " + w.terms.ID }
	all := func() []string { // with the looks that new events make
		w.Do(func(tx *store.Tx) error { _, err := alert.ScanNewEvents(tx); return err })
		return w.due()
	}

	It("is nothing where nothing is watched", func() {
		w.Do(func(tx *store.Tx) error { return alert.ScheduleEvaluation(tx, w.terms.ID) })
		w.Record(w.customer, "2025-03-10T09:00:00Z", "1")
		Expect(w.Next(alert.NextDue, "2026-01-01")).To(BeEmpty())
		Expect(all()).To(BeEmpty())
	})

	It("is a subscription when its alert is made, changed or enabled, and its terms change, once for all of it", func() {
		a := w.created(costs(nil, "1"))
		w.Do(func(tx *store.Tx) error { return alert.ScheduleEvaluation(tx, w.terms.ID) })
		Expect(w.due()).To(Equal([]string{subscription()}))
		w.Do(func(tx *store.Tx) error {
			_, err := alert.Update(tx, a.ID, alert.Edit{Thresholds: thresholds("2")})
			return err
		})
		Expect(w.due()).To(Equal([]string{subscription()}))
		w.Do(func(tx *store.Tx) error { _, err := alert.Switch(tx, a.ID, false, nil); return err })
		w.Do(func(tx *store.Tx) error { return alert.ScheduleEvaluation(tx, w.terms.ID) })
		Expect(w.due()).To(BeEmpty())
		w.Do(func(tx *store.Tx) error { _, err := alert.Switch(tx, a.ID, true, nil); return err })
		Expect(w.due()).To(Equal([]string{subscription()}))
	})

	It("are those whose customers new events are of, and no others", func() {
		w.created(costs(nil, "1"))
		other := w.Customer()
		w.Subscribe(other, "2025-03-01", w.Calls("unit", `{"unit_amount": "1.00"}`))
		w.due()
		w.Record(w.customer, "2025-03-10T09:00:00Z", "1")
		w.Record(other, "2025-03-10T09:00:00Z", "1")
		Expect(w.Next(alert.NextDue, "2025-03-10T09:00:01")).To(Equal("2025-03-10T09:00"))
		Expect(all()).To(Equal([]string{subscription()}))
		Expect(all()).To(BeEmpty())
	})

	It("are the balances of a customer with an alert of one", func() {
		_, err := w.balance(alert.BalanceDropped, "60", "50")
		Expect(err).NotTo(HaveOccurred())
		Expect(w.due()).To(Equal([]string{"customer " + w.customer}))
		w.Record(w.customer, "2025-03-10T09:00:00Z", "1")
		Expect(all()).To(Equal([]string{"customer " + w.customer}))
		w.Do(func(tx *store.Tx) error { return alert.DeleteOf(tx, w.customer) })
		w.Record(w.customer, "2025-03-10T09:30:00Z", "1")
		Expect(all()).To(BeEmpty())
	})

	It("is due at the instant that was said, over a change of the clock, and not before", func() {
		w.created(costs(nil, "1"))
		w.due()
		w.Do(func(tx *store.Tx) error {
			return alert.RescheduleAt(tx, w.terms.ID, domaintest.Instant("2025-03-30T03:00:00+02:00"))
		})
		Expect(w.Next(alert.NextDue, "2025-03-30T00:59:59")).To(BeEmpty())
		Expect(w.Next(alert.NextDue, "2025-04-01")).To(Equal("2025-03-30T01:00"))
		w.Clock("2025-03-30T00:59:59.999999Z")
		Expect(w.due()).To(BeEmpty())
		w.Clock("2025-03-30T01:00:00Z")
		Expect(w.due()).To(Equal([]string{subscription()}))
	})

	It("is of no other account", func() {
		other := open()
		w.created(costs(nil, "1"))
		Expect(other.due()).To(BeEmpty())
		Expect(w.due()).To(HaveLen(1))
	})
})

package event_test

import (
	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/fault"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("outage C: a panic while events are stored", func() {
	It("fails the request whose events they are, is reported, and leaves the recorder at work", func() {
		d := newFixture()
		var reported []error
		d.recorder.ReportPanics(func(accountID string, err error) {
			Expect(accountID).To(Equal(store.AccountID(d.ctx)))
			reported = append(reported, err)
		})
		mend := event.Panicking(d.recorder)
		_, err := d.recorder.Record(d.ctx, []event.Event{{Key: "e1"}})
		Expect(err).To(MatchError(ContainSubstring("store events: panic: ")))
		Expect(reported).To(HaveLen(1))
		Expect(reported[0]).To(BeAssignableToTypeOf(&fault.Panic{}))
		mend()
		Expect(d.send(call("e1")).Ingested).To(Equal([]string{"e1"}))
	})
})

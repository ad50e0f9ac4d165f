package usage_test

import (
	"time"

	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("How far buckets are behind", func() {
	It("is told by the first event that is not in them, until the aggregator has come past it", func() {
		d := newFixtureOn(storetest.New())
		behind := func() (since time.Time, found bool) {
			GinkgoHelper()
			Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
				since, found, err = usage.Behind(tx)
				return err
			})).To(Succeed())
			return since, found
		}
		_, found := behind()
		Expect(found).To(BeFalse())
		d.send(call("e1"))
		storetest.SetClock(d.store, d.ctx, noon.Add(time.Minute))
		d.send(call("e2"))
		since, found := behind()
		Expect(found).To(BeTrue())
		Expect(since).To(BeTemporally("==", noon))
		aggregate := func() {
			GinkgoHelper()
			for range 3 { // the first makes the mark
				Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
					_, err := usage.Aggregate(tx)
					return err
				})).To(Succeed())
			}
		}
		aggregate()
		_, found = behind()
		Expect(found).To(BeFalse())
		storetest.SetClock(d.store, d.ctx, noon.Add(2*time.Minute))
		d.send(call("e3"))
		since, _ = behind()
		Expect(since).To(BeTemporally("==", noon.Add(2*time.Minute)))
	})
})

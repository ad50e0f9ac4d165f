package usage_test

import (
	"context"
	"time"

	"tollkeeper/domain/usage"
	"tollkeeper/store"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A reading that ends at the end of days", func() {
	It("is answered at once, from buckets up to where events can be", func() {
		d := newFixture()
		asked := usage.Request{
			Query: query("SELECT COUNT(DISTINCT n) FROM events"), Subjects: []string{"e:acme"},
			Cuts: []time.Time{noon.AddDate(0, 0, -9), time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)},
		}
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{asked}) })).To(Succeed())
		d.send(call("a", `"properties": {"n": 7}`), call("b", `"properties": {"n": 7.0}`), call("c", `"properties": {"n": "7"}`, `"timestamp": "2025-05-10T13:00:00Z"`))
		d.settle()
		soon, stop := context.WithTimeout(d.ctx, 3*time.Second)
		defer stop()
		Expect(d.store.View(soon, func(tx *store.Tx) error {
			Expect(usage.FromBuckets(tx, asked)).To(BeTrue())
			readings, err := usage.Measure(tx, asked)
			Expect(err).NotTo(HaveOccurred())
			Expect(readings[0].Total.String()).To(Equal("2"))
			return nil
		})).To(Succeed())
	})
})

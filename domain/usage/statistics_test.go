package usage_test

import (
	"fmt"

	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("What the planner knows of buckets", func() {
	It("is renewed when there are twice as many of them, and not for a few, nor for changes of those", func() {
		d := newFixtureOn(storetest.New())
		request := usage.Request{Query: query("SELECT SUM(n) FROM events")}
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.TrackMetrics(tx, []usage.Request{request}) })).To(Succeed())
		sent := 0
		take := func(customers int, prefix string) {
			events := make([]string, customers)
			for k := range events {
				sent++
				events[k] = call(fmt.Sprint("e", sent), fmt.Sprintf(`"external_customer_id": "%s %d", "properties": {"n": 1}`, prefix, k))
			}
			for ; len(events) > 400; events = events[400:] {
				d.send(events[:400]...)
			}
			d.send(events...)
			d.settle()
		}
		known := func() (rows int) {
			GinkgoHelper()
			Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
				return tx.Raw("SELECT reltuples FROM pg_class WHERE oid = 'usage_buckets'::regclass").Scan(&rows).Error
			})).To(Succeed())
			return rows
		}

		take(300, "few")
		Expect(known()).To(Equal(-1), "not looked up yet")
		take(1200, "more")
		Expect(known()).To(Equal(1500))
		for range 3 {
			take(1200, "more")
		}
		take(100, "some")
		Expect(known()).To(Equal(1500))
		take(2000, "many")
		Expect(known()).To(Equal(3600))
	})
})

package event_test

import (
	"fmt"

	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The comparison of events and keys", func() {
	It("does not hang on statistics, which a database has none of after a crash", func() {
		d := newFixtureOn(storetest.New())
		var calls []string
		for n := range 15_000 {
			calls = append(calls, call(fmt.Sprintf("call-%05d", n)))
		}
		Expect(d.send(calls...).Ingested).NotTo(BeEmpty())
		Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
			// A join that is planned for a few rows takes minutes.
			if err := tx.Exec("SET LOCAL statement_timeout = '5s'").Error; err != nil {
				return err
			}
			found, next, err := event.Verify(tx, 0)
			Expect(found).To(BeEmpty())
			Expect(next).To(BeZero())
			return err
		})).To(Succeed())
	})
})

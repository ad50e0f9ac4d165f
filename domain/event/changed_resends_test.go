package event_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/event"
	"tollkeeper/store"
)

var _ = Describe("Events that come again with another body", func() {
	It("are looked up by their keys in the month that they are sent for, however many events and months there are", func() {
		d := newFixture()
		Expect(d.store.AsOwner(d.ctx, func(db *gorm.DB) error {
			return db.Exec("SELECT ensure_event_partition(month) FROM generate_series(timestamp '2030-01-01', '2039-12-01', '1 month') AS month").Error
		})).To(Succeed())
		var first, again []string
		for i := range 5_000 {
			first = append(first, call(fmt.Sprint("k", i)))
			again = append(again, call(fmt.Sprint("k", i), fmt.Sprintf(`"properties": {"n": %d}`, i%2)))
		}
		d.send(first...)
		Expect(d.send(again...).Duplicate).To(HaveLen(5_000))
		d.send(first...)
		var found event.ChangedResends
		Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
			found, err = event.FindChangedResends(tx)
			return err
		})).To(Succeed())
		Expect(found.Events).To(Equal(5_000))
		Expect(found.Examples).To(HaveLen(20))
		Expect(found.Examples[0].Times).To(Equal(1))
	})
})

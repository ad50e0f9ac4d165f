package usage_test

import (
	"fmt"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/domain/usage"
	"tollkeeper/store"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("Buckets whose history changed are rebuilt for as many hours at once as have so many events",
	func(most int, until string, events int) {
		d := newFixture()
		for hour, n := range map[int]int{9: 3, 10: 5, 11: 2} {
			for i := range n {
				d.send(call(fmt.Sprint(hour, "-", i), fmt.Sprintf(`"timestamp": "2025-05-10T%02d:30:00Z"`, hour)))
			}
		}
		d.settle()
		end, err := time.Parse(time.RFC3339, until)
		Expect(err).NotTo(HaveOccurred())
		for _, subjects := range [][]string{nil, {"e:acme", "e:nobody"}} {
			Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
				part, n, err := usage.Refilled(tx, subjects, period.Period{Start: noon.Add(-3 * time.Hour), End: noon.AddDate(0, 1, 0)}, int64(most))
				Expect(part.End).To(BeTemporally("==", end), fmt.Sprint(subjects))
				Expect(n).To(BeEquivalentTo(events))
				return err
			})).To(Succeed())
		}
	},
	Entry("up to the end of the month, since the few of a month are made together", 10, "2025-06-01T00:00:00Z", 10),
	Entry("two hours with exactly as many", 8, "2025-05-10T11:00:00Z", 8),
	Entry("one hour when the next has too many", 7, "2025-05-10T10:00:00Z", 3),
	Entry("one hour though it has too many itself", 2, "2025-05-10T10:00:00Z", 3),
)

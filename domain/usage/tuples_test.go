package usage_test

import (
	"fmt"
	"time"

	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A bound on the tuples of an answer", func() {
	It("lets so many pass, and refuses more", func() {
		d := newFixture()
		for n := range 3 {
			d.send(call(fmt.Sprint("e", n), fmt.Sprintf(`"properties": {"u": %d}`, n)))
		}
		ask := usage.Request{
			Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Split: []string{"u"}, MostTuples: 3,
			Cuts: []time.Time{noon, noon.Add(time.Hour)},
		}
		Expect(d.measure(ask)[0].Cells).To(HaveLen(3))
		ask.MostTuples = 2
		err := d.store.View(d.ctx, func(tx *store.Tx) error {
			_, err := usage.Measure(tx, ask)
			return err
		})
		Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
		Expect(err).To(MatchError(ContainSubstring("more than 2 groups")))
	})
})

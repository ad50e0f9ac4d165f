package usage_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/usage"
)

var _ = Describe("The order of events and the cut of batches", func() {
	It("do not matter to any metric without ties", func() {
		d := newFixture()
		// What is earliest or latest by something that repeats goes by arrival, as it should.
		texts := slices.DeleteFunc(names(metrics), func(text string) bool {
			return strings.Contains(text, "_BY(") && !strings.Contains(text, "timestamp")
		})
		span := []time.Time{noon.Add(-time.Hour), noon.Add(-30 * time.Minute), noon.Add(time.Hour)}
		round := 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			round++
			offsets := rapid.SliceOfNDistinct(rapid.IntRange(-3600, 3599), 1, 20, rapid.ID[int]).Draw(t, "seconds")
			events := make([]used, len(offsets))
			for i, seconds := range offsets {
				events[i] = used{
					at: noon.Add(time.Duration(seconds) * time.Second),
					n:  rapid.SampledFrom([]string{"", "1", "-2.5", "0.1", "1e-20", `"7"`}).Draw(t, "n"),
					u:  rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "u"),
					r:  rapid.SampledFrom([]string{"", "eu", "us"}).Draw(t, "r"),
				}
			}
			at := func(subject string, i int) string {
				return call(fmt.Sprint(subject, i), fmt.Sprintf(`"external_customer_id": %q, "timestamp": %q, "properties": %s`,
					subject, events[i].at.Format(time.RFC3339Nano), events[i].json()))
			}
			together, apart := fmt.Sprint("together ", round), fmt.Sprint("apart ", round)
			order := make([]int, len(events))
			var all []string
			for i := range events {
				order[i] = i
				all = append(all, at(together, i))
			}
			d.send(all...)
			rest := rapid.Permutation(order).Draw(t, "order")
			for len(rest) > 0 {
				n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
				var batch []string
				for _, i := range rest[:n] {
					batch = append(batch, at(apart, i))
				}
				d.send(batch...)
				if rapid.Bool().Draw(t, "again") {
					d.send(batch...)
				}
				rest = rest[n:]
			}
			text := rapid.SampledFrom(texts).Draw(t, "metric")
			asked := usage.Request{Query: query(text), Cuts: span, Split: rapid.SampledFrom([][]string{nil, {"r"}}).Draw(t, "split")}
			asked.Subjects = []string{"e:" + together}
			want := d.measure(asked)
			asked.Subjects = []string{"e:" + apart}
			for i, got := range d.measure(asked) {
				if describe(got) != describe(want[i]) {
					t.Fatalf("%s, slice %d: %s in one batch, %s in several", text, i, describe(want[i]), describe(got))
				}
			}
		})
	})
})

package metric_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/reference"
)

var _ = Describe("The independent reference model of metrics", func() {
	scenario := []reference.Event{
		sent(0, "2025-03-01T10:00:00Z", `{"n": 5, "u": "x", "r": "eu"}`), sent(1, "2025-03-01T11:00:00Z", `{"n": 7, "u": "y", "r": "us"}`),
		sent(2, "2025-03-01T12:00:00Z", `{"n": "9", "u": "x"}`), sent(3, "2025-03-01T13:00:00Z", `{"n": 2.5, "u": "x", "r": "eu"}`),
	}

	DescribeTable("gives the scenarios of semantics 4.5",
		func(sql, amount string) {
			got, _, err := reference.Metric(sql, nil, scenario)
			Expect(err).NotTo(HaveOccurred())
			Expect(got.RatString()).To(Equal(amount))
			none, _, err := reference.Metric(sql, nil, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(none.Sign()).To(BeZero())
		},
		Entry("M-1", "SELECT COUNT(*) FROM events", "4"),
		Entry("M-2", "SELECT SUM(n) FROM events", "29/2"),
		Entry("M-3", "SELECT COUNT(DISTINCT u) FROM events WHERE r = 'eu'", "1"),
		Entry("M-4 latest", "SELECT LATEST_BY(n, timestamp) FROM events", "5/2"),
		Entry("M-4 earliest", "SELECT EARLIEST_BY(n, timestamp) FROM events", "5"),
		Entry("M-4 maximum", "SELECT MAX(n) FROM events", "7"),
		Entry("M-5", "SELECT SUM(CASE WHEN r = 'eu' THEN n * 2 ELSE COALESCE(n, 1) END) FROM events", "23"),
		Entry("M-6", "SELECT SUM(m) FROM (SELECT u, MAX(n) AS m FROM events GROUP BY u) t", "12"),
	)

	It("filters as M-9 says", func() {
		var passed []int64
		for _, e := range scenario {
			holds, err := reference.Holds("NOT r = 'eu'", e)
			Expect(err).NotTo(HaveOccurred())
			if holds {
				passed = append(passed, e.Order)
			}
		}
		Expect(passed).To(Equal([]int64{1}))
	})

	It("rounds an interpolated percentile to the 60 places of a number", func() {
		few := []eventRow{{properties: `{"a": -1}`}, {properties: `{"a": 1e-60}`}}
		sql := "SELECT PERCENTILE_CONT(a, 0.5) FROM events"
		Expect(answer(sql, few)).To(Equal("-0.5"))
		got, _, err := reference.Metric(sql, nil, []reference.Event{
			sent(0, "2025-03-01T10:00:00Z", few[0].properties), sent(1, "2025-03-01T10:00:00Z", few[1].properties),
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(got.RatString()).To(Equal("-1/2"))
	})

	It("says what it does not cover", func() {
		_, _, err := reference.Metric("SELECT STDDEV(n) FROM events", nil, scenario)
		Expect(err).To(MatchError(reference.ErrNotCovered))
	})

	It("agrees with the database over random metrics and events", func() {
		known := append(slices.Clone(commonRows), oddRows...)
		cases, uncovered := 0, 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			m := drawMetric(t)
			q, err := metric.Parse(m.text)
			if err != nil {
				t.Skip(err)
			}
			keys := rapid.IntRange(0, 1).Draw(t, "keys")
			var rows []eventRow
			parts := map[string][]reference.Event{}
			for i, k := range rapid.SliceOfN(rapid.IntRange(0, len(known)-1), 0, 15).Draw(t, "events") {
				at := fmt.Sprintf("2025-03-01T10:%02d:00Z", rapid.IntRange(0, 3).Draw(t, "minute"))
				rows = append(rows, eventRow{at: at, properties: known[k].properties})
				e := sent(int64(i), at, known[k].properties)
				key := ""
				if keys > 0 {
					key = "none"
					if label, ok := e.Value("properties.c"); ok {
						key = "=" + label
					}
				}
				parts[key] = append(parts[key], e)
			}
			found := measured(q, rows, 1, keys)
			if keys == 0 && parts[""] == nil {
				parts[""] = []reference.Event{}
			}
			for key, events := range parts {
				want, reached, err := reference.Metric(m.text, nil, events)
				if errors.Is(err, reference.ErrNotCovered) {
					uncovered++
					return
				}
				if err != nil {
					t.Fatal(m.text, err)
				}
				is := found[key][1]
				if keys > 0 && reached != (is != nil) {
					t.Fatalf("%s\n key %q of %v is %v; reached by the reference model: %t", m.text, key, rows, is, reached)
				}
				if is == nil {
					is = new(big.Rat)
				}
				if reached && is.Cmp(want) != 0 {
					t.Fatalf("%s\n key %q of %v\n is %s\n by the reference model %s", m.text, key, rows, is.FloatString(25), want.FloatString(25))
				}
			}
			cases++
		})
		fmt.Fprintf(GinkgoWriter, "%d cases, %d not covered\n", cases, uncovered)
		Expect(uncovered).To(BeNumerically("<", cases/10))
	})
})

// sent is an event as the reference model takes it.
func sent(order int64, at, properties string) reference.Event {
	when, err := time.Parse(time.RFC3339Nano, at)
	Expect(err).NotTo(HaveOccurred())
	read, err := reference.ParseProperties([]byte(properties))
	Expect(err).NotTo(HaveOccurred(), properties)
	return reference.Event{
		Name: "call", IdempotencyKey: "key " + string(rune('a'+order)), CustomerID: "acme", Timestamp: when, Properties: read, Order: order,
	}
}

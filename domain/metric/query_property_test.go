package metric_test

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/metric"
)

// Rows as most events are: with numbers to count and few values to group by.
var commonRows = func() (rows []eventRow) {
	for i := range 24 {
		rows = append(rows, eventRow{properties: fmt.Sprintf(`{"a": %d, "b": %d.5, "c": "%c", "odd 'name\"": %t}`, i%5-1, i%3, 'x'+rune(i%2), i%4 == 0)})
	}
	return rows
}()

var _ = Describe("A metric", func() {
	It("equals a loop over the events one by one, for all slices and keys", func() {
		known := append(slices.Clone(commonRows), oddRows...)
		values := readable(known)
		const parts = 3
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			m := drawMetric(t)
			q, err := metric.Parse(m.text)
			if err != nil {
				t.Skip(err)
			}
			keys := rapid.IntRange(0, 1).Draw(t, "keys")
			var events []eventRow
			var rows []row
			for i, k := range rapid.SliceOfN(rapid.IntRange(0, len(known)-1), 0, 15).Draw(t, "events") {
				minute := rapid.IntRange(0, 3).Draw(t, "minute")
				events = append(events, eventRow{at: fmt.Sprintf("2025-03-01T10:%02d:00Z", minute), properties: known[k].properties})
				r := row{rowSeq: i, rowAt: whole(minute)}
				for name, v := range values[k] {
					r[name] = v
				}
				rows = append(rows, r)
			}
			found := measured(q, events, parts, keys)
			for key, of := range byKey(rows, keys) {
				for slice := 1; slice <= parts; slice++ {
					var seen []row
					for _, r := range of {
						if r[rowSeq].(int)%parts < slice {
							seen = append(seen, r)
						}
					}
					if keys > 0 && len(m.reach(seen)) == 0 {
						if n := found[key][slice]; n != nil {
							t.Fatalf("%s\n key %q has %v up to slice %d of %v, where nothing is counted", m.text, key, n, slice, events)
						}
						continue
					}
					expected := m.of(seen)
					if expected == nil {
						expected = new(big.Rat)
					}
					if n := found[key][slice]; n == nil || n.Cmp(expected) != 0 {
						t.Fatalf("%s\n key %q up to slice %d of %v\n found %v\n expected %v", m.text, key, slice, events, n, expected)
					}
				}
			}
		})
	})
})

// byKey parts events by what their property c prints as, if there are keys.
func byKey(rows []row, keys int) map[string][]row {
	if keys == 0 {
		return map[string][]row{"": rows}
	}
	parts := map[string][]row{}
	for _, r := range rows {
		key := "none"
		if label := printed(r["c"]); label != nil {
			key = "=" + label.(string)
		}
		parts[key] = append(parts[key], r)
	}
	return parts
}

// measured is the value of a metric by key, up to each slice. An event lies in a slice
// by its number, and its key is the property c.
func measured(q *metric.Query, events []eventRow, slices, keys int) map[string]map[int]*big.Rat {
	label := metric.Label("e", "c")
	rows := table(events)
	frame := metric.Frame{Slices: slices, Keys: keys, Events: metric.Fragment{
		SQL:  fmt.Sprintf("SELECT (seq %% %d + 1)::integer AS slice, %s AS key0, e.* FROM %s", slices, label.SQL, rows.SQL),
		Args: join(label.Args, rows.Args),
	}}
	answers := map[string]map[int]*big.Rat{}
	template := "SELECT slice || ' ' || coalesce(amount, 0) || ' ' FROM ($) AS answer ORDER BY slice"
	if keys > 0 {
		template = "SELECT slice || ' ' || coalesce(amount, 0) || ' ' || coalesce('=' || key0, 'none') FROM ($) AS answer ORDER BY slice"
	}
	for _, text := range query(template, q.Compile(frame)) {
		parts := strings.SplitN(text, " ", 3)
		slice, err := strconv.Atoi(parts[0])
		Expect(err).NotTo(HaveOccurred(), text)
		key := parts[2]
		if answers[key] == nil {
			answers[key] = map[int]*big.Rat{}
		}
		amount, ok := new(big.Rat).SetString(parts[1])
		Expect(ok).To(BeTrue(), text)
		for ; slice <= slices; slice++ { // until there is another
			answers[key][slice] = amount
		}
	}
	return answers
}

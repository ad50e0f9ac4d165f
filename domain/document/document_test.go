package document_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/document"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// lines are so many lines, of the items in turn, each of 1.25.
func lines(n int, items ...string) (d document.Document) {
	for k := range n {
		d.Lines = append(d.Lines, document.Line{Name: fmt.Sprint(k), Item: items[k%len(items)], Shown: money.Must("1.25")})
	}
	return d
}

var _ = Describe("The lines of a document", func() {
	// The rule: semantics 19.1.3.
	DescribeTable("are grouped by item where they are many", func(d document.Document, names ...string) {
		var found []string
		shown := 0
		for _, g := range d.Groups() {
			found = append(found, g.Name)
			shown += len(g.Lines)
			if g.Name != "" {
				Expect(g.Subtotal.Equal(money.Must("1.25").Mul(money.FromInt(int64(len(g.Lines)))))).To(BeTrue(), g.Name)
			}
		}
		Expect(found).To(Equal(names))
		Expect(shown).To(Equal(len(d.Lines)))
	},
		Entry("none", document.Document{}, ""),
		Entry("12 of two items", lines(12, "Calls", "Seats"), ""),
		Entry("13 of two items", lines(13, "Calls", "Seats"), "Calls", "Seats"),
		Entry("13 of one item", lines(13, "Calls"), ""),
		Entry("14 of seven items", lines(14, "a", "b", "c", "d", "e", "f", "g"), "a", "b", "c", "d", "e", "f", "g"),
		Entry("15 of eight items, more than half of them", lines(15, "a", "b", "c", "d", "e", "f", "g", "h"), ""),
	)

	// The rule: semantics 19.2.3.
	DescribeTable("have both days of their period in the customer's zone", func(zone, start, end, shown string) {
		at := func(text string) time.Time {
			t, err := time.Parse(time.RFC3339, text)
			Expect(err).NotTo(HaveOccurred())
			return t
		}
		loc, err := time.LoadLocation(zone)
		Expect(err).NotTo(HaveOccurred())
		d := document.Document{Words: document.In("en"), Zone: loc}
		Expect(d.Days(document.Line{Service: period.Period{Start: at(start), End: at(end)}})).To(Equal(shown))
	},
		Entry("a month of UTC", "UTC", "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z", "1 Mar – 31 Mar 2025"),
		Entry("a month in which the clock is put forward", "Europe/Berlin", "2025-02-28T23:00:00Z", "2025-03-31T22:00:00Z", "1 Mar – 31 Mar 2025"),
		Entry("over a year's end", "America/Los_Angeles", "2024-12-15T08:00:00Z", "2025-01-15T08:00:00Z", "15 Dec 2024 – 14 Jan 2025"),
		Entry("one day", "UTC", "2025-03-01T00:00:00Z", "2025-03-02T00:00:00Z", "1 Mar 2025"),
		Entry("none", "UTC", "2025-03-01T00:00:00Z", "2025-03-01T00:00:00Z", ""),
	)
})

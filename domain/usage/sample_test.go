package usage_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// measureAll asks several requests at once, each of one slice.
func (d fixture) measureAll(sample *usage.Sample, requests ...usage.Request) []usage.Reading {
	GinkgoHelper()
	var all [][]usage.Reading
	Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
		all, err = usage.MeasureAll(tx, sample, requests)
		return err
	})).To(Succeed())
	readings := make([]usage.Reading, len(all))
	for i, each := range all {
		Expect(each).To(HaveLen(1))
		readings[i] = each[0]
	}
	return readings
}

func computed(texts ...string) (all []*metric.Computed) {
	GinkgoHelper()
	for _, text := range texts {
		c, err := metric.ParseComputed(text)
		Expect(err).NotTo(HaveOccurred(), text)
		all = append(all, c)
	}
	return all
}

// groups writes the groups of a reading, with their values.
func groups(r usage.Reading) (texts []string) {
	for _, g := range r.Groups {
		texts = append(texts, strings.Join(g.Values, " ")+": "+describe(g.Reading))
	}
	return texts
}

var _ = Describe("Groups of usage", func() {
	hour := []time.Time{noon, noon.Add(time.Hour)}

	It("have values of their own type, in the order of strings, numbers, booleans", func() {
		d := newFixture()
		for i, k := range []string{"10", "-2", "9", "-10", "9.5", `"9"`, "true", `"b"`, "false", "9.0", "-2.5", "0", `["x"]`} {
			d.send(call(fmt.Sprint(i), `"properties": {"k": `+strings.Trim(k, "[]")+`}`))
		}
		d.send(call("without"))
		r := d.measure(usage.Request{Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Groups: computed("k"), Cuts: hour})
		Expect(groups(r[0])).To(Equal([]string{
			`"9": total 1`, `"b": total 1`, `"x": total 1`, "-10: total 1", "-2.5: total 1", "-2: total 1", "0: total 1",
			"9: total 2", "9.5: total 1", "10: total 1", "false: total 1", "true: total 1",
		}))
		Expect(r[0].Group([]string{"9"}).Total.String()).To(Equal("2"))
		Expect(r[0].Group([]string{"8"})).To(Equal(usage.Reading{}))
	})

	It("are refused when there are too many", func() {
		d := newFixture()
		var events []string
		for i := range usage.MostGroups + 1 {
			events = append(events, call(fmt.Sprint(i), fmt.Sprintf(`"properties": {"k": %d}`, i)))
		}
		d.send(events[1:]...)
		req := usage.Request{Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Groups: computed("k"), Split: []string{"k"}, Cuts: hour}
		Expect(d.measure(req)[0].Groups).To(HaveLen(usage.MostGroups))
		d.send(events[0])
		err := d.store.View(d.ctx, func(tx *store.Tx) error {
			_, err := usage.Measure(tx, req)
			return err
		})
		Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
	})
})

var _ = Describe("A sample", func() {
	It("measures as stored events do, and its groups as their events alone", func() {
		d := newFixture()
		round := 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			round++
			subject := fmt.Sprint("buyer ", round)
			other := "another customer"
			var sent []string
			var brought []event.Inline
			for i := range rapid.IntRange(0, 20).Draw(t, "events") {
				e := used{
					n: rapid.SampledFrom([]string{"", "1", "1.0", "-2.5", "0.1", `"7"`}).Draw(t, "n"),
					u: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "u"),
					r: rapid.SampledFrom([]string{"", "eu", "us"}).Draw(t, "r"),
				}
				at := noon.Add(time.Duration(rapid.IntRange(-1, 3).Draw(t, "minutes")) * time.Minute).Format(time.RFC3339)
				who := rapid.SampledFrom([]*string{&subject, &subject, &other}).Draw(t, "who")
				brought = append(brought, event.Inline{
					Name: "api_call", ExternalCustomerID: who, Timestamp: at, Properties: json.RawMessage(e.json()),
				})
				sent = append(sent, call(fmt.Sprint(subject, " ", i),
					fmt.Sprintf(`"external_customer_id": %q, "timestamp": %q, "properties": %s`, *who, at, e.json())))
			}
			d.send(sent...)
			sample, err := usage.NewSample(brought)
			Expect(err).NotTo(HaveOccurred())

			ask := usage.Request{Subjects: []string{"c:nobody", "e:" + subject}, Cuts: []time.Time{noon, noon.Add(2 * time.Minute)}}
			var requests []usage.Request
			for range rapid.IntRange(1, 6).Draw(t, "requests") {
				ask.Query = query(rapid.SampledFrom(names(metrics)).Draw(t, "metric"))
				ask.Groups = computed(rapid.SampledFrom([][]string{nil, {"r"}, {"r", "n"}}).Draw(t, "groups")...)
				ask.Split = rapid.SampledFrom([][]string{nil, {"u"}, {"u", "n"}}).Draw(t, "split")
				ask.Match = rapid.SampledFrom([][]rating.Property{nil, {{Key: "r", Value: "us"}}}).Draw(t, "match")
				requests = append(requests, ask)
			}
			stored, brief := d.measureAll(nil, requests...), d.measureAll(sample, requests...)
			for i := range requests {
				if describe(stored[i]) != describe(brief[i]) || !slices.Equal(groups(stored[i]), groups(brief[i])) {
					t.Fatalf("request %d: stored %s %v, in a sample %s %v", i, describe(stored[i]), groups(stored[i]), describe(brief[i]), groups(brief[i]))
				}
				for _, g := range stored[i].Groups {
					alone := requests[i]
					alone.Groups, alone.Filter = nil, having(g.Values)
					if one := d.measure(alone)[0]; describe(one) != describe(g.Reading) {
						t.Fatalf("request %d, group %v: %s, alone %s", i, g.Values, describe(g.Reading), describe(one))
					}
				}
			}
		})
	})

	It("counts events that are told apart by their keys only", func() {
		id := "cus_1"
		one := event.Inline{Name: "api_call", CustomerID: &id, Timestamp: noon.Format(time.RFC3339), Properties: json.RawMessage(`{}`)}
		sample, err := usage.NewSample([]event.Inline{one, one})
		Expect(err).NotTo(HaveOccurred())
		readings := newFixture().measureAll(sample, usage.Request{
			Query: query("SELECT COUNT(DISTINCT idempotency_key) FROM events"), Subjects: []string{"c:cus_1"}, Cuts: []time.Time{noon, noon.Add(time.Hour)},
		})
		Expect(readings[0].Total.String()).To(Equal("2"))
	})

	It("is asked more than one statement can carry", func() {
		id := "cus_1"
		one := event.Inline{Name: "api_call", CustomerID: &id, Timestamp: noon.Format(time.RFC3339), Properties: json.RawMessage(`{"n": 7}`)}
		sample, err := usage.NewSample([]event.Inline{one})
		Expect(err).NotTo(HaveOccurred())
		ask := usage.Request{Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"c:cus_1"}, Cuts: []time.Time{noon, noon.Add(time.Hour)}}
		var requests []usage.Request
		for i := range 250 {
			filter, err := metric.ParseCondition(fmt.Sprintf("n IN (%d%s)", i, strings.Repeat(", 7", 400)))
			Expect(err).NotTo(HaveOccurred())
			ask.Filter = filter
			requests = append(requests, ask)
		}
		for _, r := range newFixture().measureAll(sample, requests...) {
			Expect(r.Total.String()).To(Equal("1"))
		}
	})

	DescribeTable("refuses an event",
		func(change func(*event.Inline), violations ...string) {
			id := "cus_1"
			wrong := event.Inline{Name: "api_call", CustomerID: &id, Timestamp: noon.Format(time.RFC3339), Properties: json.RawMessage(`{"s": "x", "nil": null}`)}
			good := wrong
			change(&wrong)
			_, err := usage.NewSample([]event.Inline{good, wrong})
			Expect(err).To(HaveOccurred())
			var told []string
			for _, v := range err.(*fault.Fault).Violations {
				told = append(told, v.String())
			}
			Expect(told).To(Equal(violations))
		},
		Entry("of two customers", func(e *event.Inline) { e.ExternalCustomerID = e.CustomerID },
			"events[1].customer_id: must be given, or external_customer_id, and not both"),
		Entry("of no customer", func(e *event.Inline) { e.CustomerID = nil },
			"events[1].customer_id: must be given, or external_customer_id, and not both"),
		Entry("at no time", func(e *event.Inline) { e.Timestamp = "2025-02-30T00:00:00Z" },
			"events[1].timestamp: must be an ISO 8601 date-time in UTC"),
		Entry("in another zone", func(e *event.Inline) { e.Timestamp = "2025-02-03T00:00:00+01:00" },
			"events[1].timestamp: must be an ISO 8601 date-time in UTC"),
		Entry("with nested properties", func(e *event.Inline) { e.Properties = json.RawMessage(`{"o": {}, "a": [1], "n": 1}`) },
			"events[1].properties.a: must be a string, number or boolean", "events[1].properties.o: must be a string, number or boolean"),
		Entry("with more properties than a metric may go through",
			func(e *event.Inline) {
				e.Properties = json.RawMessage(`{"s": "` + strings.Repeat("s", 256<<10) + `"}`)
			}, "events[1].properties: must be at most 256 KiB"),
	)
})

var _ = Describe("Several questions", func() {
	It("are one statement for each that differs, and of a sample one for all", func() {
		d := newFixture()
		id := "cus_1"
		sample, err := usage.NewSample([]event.Inline{{Name: "api_call", CustomerID: &id, Timestamp: noon.Format(time.RFC3339), Properties: json.RawMessage(`{}`)}})
		Expect(err).NotTo(HaveOccurred())
		ask := usage.Request{Subjects: []string{"c:cus_1"}, Cuts: []time.Time{noon, noon.Add(time.Hour)}}
		var requests []usage.Request
		for i := range 30 {
			ask.Query = query([]string{"SELECT COUNT(*) FROM events", "SELECT SUM(n) FROM events"}[i%2])
			ask.Split = [][]string{nil, {"a"}, {"b"}}[i%3]
			requests = append(requests, ask)
		}
		for of, expected := range map[*usage.Sample]int{nil: 6, sample: 1} {
			Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
				pool := tx.Statement.ConnPool
				counted := &counter{ConnPool: pool}
				tx.Statement.ConnPool = counted
				readings, err := usage.MeasureAll(tx, of, requests)
				tx.Statement.ConnPool = pool
				Expect(readings).To(HaveLen(30))
				Expect(counted.statements).To(Equal(expected))
				return err
			})).To(Succeed())
		}
	})
})

// counter counts the queries that pass through it.
type counter struct {
	gorm.ConnPool
	statements int
}

func (c *counter) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	c.statements++
	return c.ConnPool.QueryContext(ctx, text, args...)
}

// having is the filter for events of a group by r, or by r and n.
func having(values []string) *metric.Condition {
	GinkgoHelper()
	text := ""
	for i, value := range values {
		if text != "" {
			text += " AND "
		}
		text += []string{"r", "n"}[i] + " = " + strings.ReplaceAll(value, `"`, "'")
	}
	c, err := metric.ParseCondition(text)
	Expect(err).NotTo(HaveOccurred(), text)
	return c
}

package usage_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"pgregory.net/rapid"

	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/usage"
	"tollkeeper/store"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// summarized are metrics that buckets are kept for, of every kind and mixture.
var summarized = []string{
	"SELECT COUNT(*) FROM events",
	"SELECT COUNT(u) FROM events",
	"SELECT COUNT(DISTINCT u) FROM events",
	"SELECT COUNT(DISTINCT u) FROM events WHERE r = 'eu'",
	"SELECT COUNT(DISTINCT u) + COUNT(DISTINCT r) + SUM(n) FROM events",
	"SELECT SUM(n) FROM events",
	"SELECT SUM(n) FROM events WHERE u IS NOT NULL",
	"SELECT MIN(n) FROM events",
	"SELECT MAX(n) FROM events",
	"SELECT AVG(n) FROM events",
	"SELECT SUM(n) / COUNT(*) FROM events HAVING COUNT(*) > 2",
	"SELECT COALESCE(MAX(n), 7) FROM events",
	"SELECT SUM(m) FROM (SELECT n * 2 AS m FROM events WHERE r = 'eu') t",
}

// splits are by what they are kept.
var splits = [][]string{nil, {"r"}, {"u", "r"}}

// watched is a fixture whose account keeps buckets for all of these.
func watched() fixture {
	GinkgoHelper()
	d := newFixture()
	var requests []usage.Request
	for _, text := range summarized {
		for _, split := range splits {
			requests = append(requests, usage.Request{Query: query(text), Split: split})
		}
	}
	Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
		if err := usage.TrackMetrics(tx, requests); err != nil {
			return err
		}
		return tx.Exec("UPDATE accounts SET grace_period_seconds = 8640000, future_bound_seconds = 8640000, clock_now = ? WHERE id = ?",
			change, tx.AccountID).Error
	})).To(Succeed())
	return d
}

// change is the end of New York's summer time.
var change = time.Date(2025, 11, 2, 6, 0, 0, 0, time.UTC)

func (d fixture) fold() (more bool) {
	GinkgoHelper()
	Expect(d.store.Update(d.ctx, func(tx *store.Tx) (err error) {
		more, err = usage.Aggregate(tx)
		return err
	})).To(Succeed())
	return more
}

// settle folds until nothing is left to do.
func (d fixture) settle() {
	GinkgoHelper()
	d.fold() // the first time makes the mark
	for d.fold() {
	}
	Expect(d.fold()).To(BeFalse())
}

// compare reads a request twice in one snapshot: from buckets, and from events alone.
func (d fixture) compare(req usage.Request) (kept, events string, err error) {
	err = d.store.View(d.ctx, func(tx *store.Tx) error {
		readings, err := usage.Measure(tx, req)
		kept = describeAll(readings)
		return err
	})
	if err != nil {
		return kept, events, err
	}
	err = d.store.View(usage.ReadEvents(d.ctx), func(tx *store.Tx) error {
		readings, err := usage.Measure(tx, req)
		events = describeAll(readings)
		return err
	})
	return kept, events, err
}

func describeAll(readings []usage.Reading) string {
	var all []string
	for _, r := range readings {
		all = append(all, describe(r))
	}
	return strings.Join(all, "\n")
}

var _ = Describe("Buckets", func() {
	var cuts []time.Time // a month's end and the end of summer time in Kolkata's and New York's days
	BeforeEach(func() {
		cuts = nil
		for _, name := range []string{"America/New_York", "Asia/Kolkata"} {
			zone, err := period.LoadZone(name)
			Expect(err).NotTo(HaveOccurred())
			for _, day := range (period.Period{
				Start: time.Date(2025, 10, 30, 12, 0, 0, 0, time.UTC), End: time.Date(2025, 11, 4, 3, 20, 0, 0, time.UTC),
			}).LocalDays(zone) {
				cuts = append(cuts, day.Start)
			}
		}
		slices.SortFunc(cuts, time.Time.Compare)
		cuts = slices.CompactFunc(cuts, time.Time.Equal)
	})

	draw := func(t *rapid.T) (req usage.Request) {
		req.Query = query(rapid.SampledFrom(summarized).Draw(t, "metric"))
		req.Split = rapid.SampledFrom(splits).Draw(t, "split")
		first := rapid.IntRange(0, len(cuts)-2).Draw(t, "first cut")
		req.Cuts = cuts[first : first+rapid.IntRange(2, len(cuts)-first).Draw(t, "cuts")]
		if req.Split == nil && rapid.Bool().Draw(t, "matched") {
			req.Match = []rating.Property{{Key: "r", Value: rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "r")}}
		}
		req.Subjects = rapid.SampledFrom([][]string{{"e:acme"}, {"e:acme", "e:other"}, {"e:other", "c:cus_1"}}).Draw(t, "subjects")
		return req
	}
	instant := func(t *rapid.T) time.Time {
		return rapid.SampledFrom(cuts).Draw(t, "at").Add(rapid.SampledFrom([]time.Duration{
			-time.Microsecond, 0, time.Microsecond, 20 * time.Minute, -time.Hour, 7 * time.Hour,
		}).Draw(t, "off"))
	}
	event := func(t *rapid.T, key, who string, at time.Time) string {
		e := used{
			n: rapid.SampledFrom([]string{"", "1", "1.0", "-2.5", "0.1", "1e-20", `"7"`}).Draw(t, "n"),
			u: rapid.SampledFrom([]string{"", "x", "y", "é"}).Draw(t, "u"),
			r: rapid.SampledFrom([]string{"", "eu", "us"}).Draw(t, "r"),
		}
		return call(key, fmt.Sprintf(`"external_customer_id": %q, "timestamp": %q, "properties": %s`,
			who, at.Format(time.RFC3339Nano), e.json()))
	}

	It("say what the events say, after any change of those", func() {
		d := watched()
		round, answered, sixHourly := 0, 0, 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			round++
			var keys, revisions []string
			for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
				switch rapid.SampledFrom([]string{"send", "send", "fold", "fold", "settle", "correct", "revise", "restore"}).Draw(t, "step") {
				case "send":
					var batch []string
					for i := range rapid.IntRange(1, 6).Draw(t, "events") {
						keys = append(keys, fmt.Sprint(round, ".", step, ".", i))
						batch = append(batch, event(t, keys[len(keys)-1], rapid.SampledFrom([]string{"acme", "other"}).Draw(t, "who"), instant(t)))
					}
					Expect(d.send(batch...).Ingested).To(HaveLen(len(batch)))
				case "fold":
					d.fold()
				case "settle":
					d.settle()
				case "correct":
					if len(keys) > 0 {
						d.correct(rapid.SampledFrom(keys).Draw(t, "key"), rapid.SampledFrom([]string{
							"deprecated = true", `properties = '{"n": 4, "u": "w", "r": "us"}'`,
						}).Draw(t, "how"))
					}
				case "revise":
					id := fmt.Sprint("backfill ", round, ".", step)
					from := rapid.IntRange(0, len(cuts)-2).Draw(t, "from")
					revision := usage.Replacement{
						ID: id, Period: period.Period{Start: cuts[from], End: cuts[from+rapid.IntRange(1, min(3, len(cuts)-1-from)).Draw(t, "days")]},
						Subjects: rapid.SampledFrom([][]string{nil, {"e:acme", "c:cus_1"}}).Draw(t, "scope"),
						Replaces: rapid.Bool().Draw(t, "replaces"), Filter: rapid.SampledFrom([]string{"", "r = 'eu'"}).Draw(t, "filter"),
					}
					Expect(d.send(event(t, id, "acme", revision.Period.Start)).Ingested).To(HaveLen(1))
					d.revise(id, revision)
					revisions = append(revisions, id)
				case "restore":
					if len(revisions) > 0 {
						id := revisions[len(revisions)-1]
						revisions = revisions[:len(revisions)-1]
						Expect(d.store.Update(d.ctx, func(tx *store.Tx) error { return usage.Revert(tx, id) })).To(Succeed())
					}
				}
				req := draw(t)
				kept, events, err := d.compare(req)
				if err != nil || kept != events {
					t.Fatalf("%s by %v over %v:\n%s\nof events:\n%s\n%v", req.Query.Text(), req.Split, req.Cuts, kept, events, err)
				}
				Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
					from, err := usage.FromBuckets(tx, req)
					if from {
						answered++
					}
					if err != nil {
						return err
					}
					from, err = usage.FromSixHours(tx, req)
					if from {
						sixHourly++
					}
					return err
				})).To(Succeed())
			}
		})
		Expect(answered).To(BeNumerically(">", round/2), "of %d rounds", round)
		Expect(sixHourly).To(BeNumerically(">", round/4), "of %d rounds", round)
	})

	It("are whole in every snapshot while events come in and are folded", func() {
		d := watched()
		var writers, others sync.WaitGroup
		done := make(chan struct{})
		for w := range 4 {
			writers.Go(func() {
				defer GinkgoRecover()
				for i := range 40 {
					d.send(call(fmt.Sprint("w", w, ".", i), fmt.Sprintf(`"timestamp": %q, "properties": {"n": %d, "u": "u%d", "r": "eu"}`,
						change.Add(time.Duration(i*w)*time.Minute).Format(time.RFC3339), i, i%7)))
				}
			})
		}
		until := func(do func()) {
			defer GinkgoRecover()
			for {
				select {
				case <-done:
					return
				default:
					do()
				}
			}
		}
		others.Go(func() { until(func() { d.fold() }) })
		others.Go(func() {
			until(func() { d.correct("w1.0", "properties = properties") })
		})
		req := usage.Request{Query: query("SELECT COUNT(DISTINCT u) + COUNT(DISTINCT r) + SUM(n) FROM events"), Subjects: []string{"e:acme"}, Cuts: cuts}
		for range 2 {
			others.Go(func() {
				until(func() {
					Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
						kept, err := usage.Measure(tx, req)
						if err != nil {
							return err
						}
						from, err := usage.MeasureEvents(tx, req)
						Expect(describeAll(kept)).To(Equal(describeAll(from)))
						return err
					})).To(Succeed())
				})
			})
		}
		var last string
		others.Go(func() { // each statement sees the latest: a sum of whole batches never falls
			until(func() {
				Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
					count, err := usage.Measure(tx, usage.Request{Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Cuts: []time.Time{cuts[0], cuts[len(cuts)-1]}})
					if err == nil {
						now := fmt.Sprintf("%6s", count[0].Total.String())
						Expect(now >= last).To(BeTrue(), "%s after %s", now, last)
						last = now
					}
					return err
				})).To(Succeed())
			})
		})
		writers.Wait()
		close(done)
		others.Wait()
		d.settle()
		kept, events, err := d.compare(req)
		Expect(err).NotTo(HaveOccurred())
		Expect(kept).To(Equal(events))
	})
})

// correct changes an event where it lies, as an amendment does.
func (d fixture) correct(key, change string) {
	GinkgoHelper()
	Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
		var subject string
		var at time.Time
		row := tx.Raw("UPDATE events SET "+change+` WHERE account_id = ? AND idempotency_key = ? RETURNING subject, "timestamp"`, tx.AccountID, key).Row()
		if err := row.Scan(&subject, &at); err != nil {
			return nil //nolint:nilerr // not there yet
		}
		return usage.Invalidate(tx, subject, at)
	})).To(Succeed())
}

// revise makes the event of that key one that was sent under the revision, and puts it
// into effect.
func (d fixture) revise(key string, r usage.Replacement) {
	GinkgoHelper()
	Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
		if err := tx.Exec("UPDATE events SET backfill_id = ? WHERE account_id = ? AND idempotency_key = ?", r.ID, tx.AccountID, key).Error; err != nil {
			return err
		}
		return usage.Apply(tx, r)
	})).To(Succeed())
}

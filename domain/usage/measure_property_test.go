package usage_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/usage"
	"tollkeeper/store"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// used is an event as the reference sees it.
type used struct {
	at   time.Time
	n    string // a number; "" for none
	u, r string // "" for no such property
}

func (e used) json() string {
	var members []string
	for name, value := range map[string]string{"n": e.n, "u": quoted(e.u), "r": quoted(e.r)} {
		if value != "" {
			members = append(members, fmt.Sprintf("%q: %s", name, value))
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return `"` + s + `"`
}

// numbers are the values of n of those events that have a number there.
func numbers(events []used) (found []money.Decimal) {
	for _, e := range events {
		if n, err := money.ParseNumber(e.n); err == nil {
			found = append(found, n)
		}
	}
	return found
}

// different counts the values.
func different(values []string) money.Decimal {
	slices.Sort(values)
	return money.FromInt(int64(len(slices.Compact(values))))
}

// users are the values of u.
func users(events []used) (found []string) {
	for _, e := range events {
		if e.u != "" {
			found = append(found, e.u)
		}
	}
	return found
}

// deciding is n of the event that comes last; of equal ones it is the later.
func deciding(events []used, before func(a, b used) int) money.Decimal {
	var best *used
	for i, e := range events {
		if e.n == "" || e.n[0] == '"' || e.u == "" {
			continue
		}
		if best == nil || before(*best, e) <= 0 {
			best = &events[i]
		}
	}
	if best == nil {
		return money.Decimal{}
	}
	return numbers([]used{*best})[0]
}

func fold(values []money.Decimal, f func(a, b money.Decimal) money.Decimal) (result money.Decimal) {
	for i, v := range values {
		if i == 0 {
			result = v
		} else {
			result = f(result, v)
		}
	}
	return result
}

// metrics with what each is over some events, in the order of ingestion.
var metrics = joined(singleMetrics, steppedMetrics)

// singleMetrics are aggregates of events.
var singleMetrics = map[string]func(events []used) money.Decimal{
	"SELECT COUNT(*) FROM events": func(events []used) money.Decimal { return money.FromInt(int64(len(events))) },
	"SELECT COUNT(u) FROM events": func(events []used) money.Decimal { return money.FromInt(int64(len(users(events)))) },
	"SELECT COUNT(DISTINCT u) FROM events": func(events []used) money.Decimal {
		return different(users(events))
	},
	"SELECT SUM(n) FROM events": func(events []used) money.Decimal { return money.Sum(numbers(events)...) },
	"SELECT MIN(n) FROM events": func(events []used) money.Decimal { return fold(numbers(events), money.Min) },
	"SELECT MAX(n) FROM events": func(events []used) money.Decimal { return fold(numbers(events), money.Max) },
	"SELECT AVG(n) FROM events": func(events []used) money.Decimal {
		values := numbers(events)
		if values == nil {
			return money.Decimal{}
		}
		return money.Sum(values...).Quo(money.FromInt(int64(len(values)))).Round(20)
	},
	"SELECT LATEST_BY(n, timestamp) FROM events WHERE u IS NOT NULL": func(events []used) money.Decimal {
		return deciding(events, func(a, b used) int { return a.at.Compare(b.at) })
	},
	"SELECT EARLIEST_BY(n, timestamp) FROM events WHERE u IS NOT NULL": func(events []used) money.Decimal {
		backward := slices.Clone(events)
		slices.Reverse(backward)
		return deciding(backward, func(a, b used) int { return b.at.Compare(a.at) })
	},
	"SELECT LATEST_BY(n, u) FROM events": func(events []used) money.Decimal {
		return deciding(events, func(a, b used) int { return strings.Compare(a.u, b.u) })
	},
}

// cells splits the events by r, or by r and u, and asks the metric of each part.
// A WHERE of the metric keeps tuples from appearing, so it is given as well.
func cells(events []used, keys []string, of func([]used) money.Decimal) (found []rating.Cell) {
	parts := map[[2]string][]used{}
	for _, e := range events {
		tuple := [2]string{e.r}
		if len(keys) > 1 {
			tuple[1] = e.u
		}
		parts[tuple] = append(parts[tuple], e)
	}
	for tuple, part := range parts {
		var values []*string
		for i := range keys {
			if tuple[i] == "" {
				values = append(values, nil)
			} else {
				values = append(values, &tuple[i])
			}
		}
		found = append(found, rating.Cell{Values: values, Quantity: of(part)})
	}
	slices.SortFunc(found, func(a, b rating.Cell) int { return strings.Compare(shown(a), shown(b)) })
	return found
}

// shown puts missing values before all others: none of them is empty.
func shown(c rating.Cell) string {
	var values []string
	for _, v := range c.Values {
		if v == nil {
			values = append(values, "")
		} else {
			values = append(values, *v)
		}
	}
	return strings.Join(values, " ") + ": " + c.Quantity.String()
}

func describe(r usage.Reading) string {
	text := "total " + r.Total.String()
	for _, c := range r.Cells {
		text += "; " + shown(c)
	}
	return text
}

var _ = Describe("Measuring usage", func() {
	It("agrees with counting by hand, for every kind of metric, at every cut", func() {
		d := newFixture()
		zone, err := period.LoadZone("America/New_York")
		Expect(err).NotTo(HaveOccurred())
		change := time.Date(2025, 11, 2, 6, 0, 0, 0, time.UTC) // the end of summer time
		Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
			return tx.Exec("UPDATE accounts SET grace_period_seconds = 864000, future_bound_seconds = 864000, clock_now = ? WHERE id = ?",
				change, tx.AccountID).Error
		})).To(Succeed())
		days := period.Period{Start: time.Date(2025, 10, 31, 12, 0, 0, 0, time.UTC), End: time.Date(2025, 11, 5, 0, 0, 0, 0, time.UTC)}.LocalDays(zone)
		cuts := []time.Time{days[0].Start}
		for _, day := range days {
			cuts = append(cuts, day.End)
		}
		instants := append([]time.Time{change, change.Add(-time.Hour), change.Add(30 * time.Minute)}, cuts...)
		for _, cut := range cuts {
			instants = append(instants, cut.Add(-time.Microsecond), cut.Add(time.Microsecond))
		}

		round := 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			round++
			events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) used {
				return used{
					at: rapid.SampledFrom(instants).Draw(t, "at"),
					n:  rapid.SampledFrom([]string{"", "1", "1.0", "-2.5", "0.1", "1e-20", "3", `"7"`, "12345678901234567890.5"}).Draw(t, "n"),
					u:  rapid.SampledFrom([]string{"", "x", "y", "Z", "é"}).Draw(t, "u"),
					r:  rapid.SampledFrom([]string{"", "eu", "us"}).Draw(t, "r"),
				}
			}), 0, 25).Draw(t, "events")
			subject := fmt.Sprint("customer ", round)
			var sent []string
			for i, e := range events {
				sent = append(sent, call(fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "order"), " ", subject, " ", i),
					fmt.Sprintf(`"external_customer_id": %q, "timestamp": %q, "properties": %s`, subject, e.at.Format(time.RFC3339Nano), e.json())))
			}
			if o := d.send(sent...); len(o.Ingested) != len(events) {
				t.Fatalf("sent %v: %+v", sent, o)
			}
			text := rapid.SampledFrom(names(metrics)).Draw(t, "metric")
			req := usage.Request{Query: query(text), Subjects: []string{"e:" + subject, "c:nobody"}, Cuts: cuts}
			if rapid.Bool().Draw(t, "one slice") {
				req.Cuts = []time.Time{cuts[0], cuts[len(cuts)-1]}
			}
			filtered := rapid.Bool().Draw(t, "filtered")
			if filtered {
				req.Filter, err = metric.ParseCondition("r = 'eu'")
				Expect(err).NotTo(HaveOccurred())
			}
			req.Split = rapid.SampledFrom([][]string{nil, {"r"}, {"r", "u"}}).Draw(t, "split")

			readings := d.measure(req)
			if len(readings) != len(req.Cuts)-1 {
				t.Fatalf("%d readings for %d cuts", len(readings), len(req.Cuts))
			}
			for i, got := range readings {
				var counted []used
				for _, e := range events {
					if !e.at.Before(req.Cuts[0]) && e.at.Before(req.Cuts[i+1]) && (!filtered || e.r == "eu") &&
						(e.u != "" || !strings.Contains(text, "WHERE")) {
						counted = append(counted, e)
					}
				}
				var want usage.Reading
				if req.Split == nil {
					want.Total = metrics[text](counted)
				} else {
					want.Cells = cells(counted, req.Split, metrics[text])
				}
				if describe(got) != describe(want) {
					t.Fatalf("%s, slice %d: %s, by hand %s", text, i, describe(got), describe(want))
				}
			}
		})
	})

	It("splits by the text of a value", func() {
		d := newFixture()
		d.send(
			call("a", `"properties": {"k": 5}`), call("b", `"properties": {"k": 5.0}`), call("c", `"properties": {"k": "5"}`),
			call("d", `"properties": {"k": true}`), call("e"), call("f", `"properties": {"k": "a"}`))
		readings := d.measure(usage.Request{
			Query: query("SELECT COUNT(*) FROM events"), Subjects: []string{"e:acme"}, Split: []string{"k"},
			Cuts: []time.Time{noon, noon.Add(time.Hour)},
		})
		Expect(describe(readings[0])).To(Equal("total 0; : 1; 5: 3; a: 1; true: 1"))
	})

	It("answers each slice without events, too", func() {
		readings := newFixture().measure(usage.Request{
			Query: query("SELECT SUM(n) FROM events"), Subjects: []string{"e:acme"},
			Cuts: []time.Time{noon, noon, noon.Add(time.Hour), noon.Add(2 * time.Hour)},
		})
		Expect(readings).To(Equal(make([]usage.Reading, 3)))
	})

	It("sums ten thousand tenths exactly", func() {
		d := newFixture()
		var events []string
		for i := range 10_000 {
			events = append(events, call(fmt.Sprint("tenth ", i), `"properties": {"n": 0.1}`))
		}
		d.send(events...)
		Expect(d.ask("SELECT SUM(n) FROM events", "e:acme")).To(Equal("1000"))
		Expect(d.ask("SELECT AVG(n) FROM events", "e:acme")).To(Equal("0.1"))
	})
})

func names[V any](m map[string]V) (found []string) {
	for name := range m {
		found = append(found, name)
	}
	slices.Sort(found)
	return found
}

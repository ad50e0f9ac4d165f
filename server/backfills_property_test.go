package server_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// past is what the property compares the server with: events that know who put them out of
// the count, and backfills that know whether they are in effect.
type past struct {
	events    []*pastEvent
	backfills []*pastBackfill
	owners    map[string]*pastEvent // by key
}

type pastEvent struct {
	who, day, n int
	eu          bool
	of          *pastBackfill   // nil: ordinary
	replaced    []*pastBackfill // that found it when they closed
}

type pastBackfill struct {
	id       string
	who      int // -1: everybody
	from, to int // days of July, to exclusive
	replaces bool
	euOnly   bool
	status   string
}

func (b *pastBackfill) covers(e *pastEvent) bool {
	return (b.who < 0 || b.who == e.who) && b.from <= e.day && e.day < b.to
}

func (b *pastBackfill) meets(o *pastBackfill) bool {
	return (b.who < 0 || o.who < 0 || b.who == o.who) && b.from < o.to && o.from < b.to
}

// takes tells whether the key is free for an event, and gives it the key if so.
func (p *past) takes(key string, e *pastEvent) bool {
	if owner := p.owners[key]; owner != nil && (owner.of == nil || owner.of.status != "reverted") {
		return false
	}
	p.owners[key] = e
	p.events = append(p.events, e)
	return true
}

func (p *past) reflect(b *pastBackfill) {
	for _, e := range p.events {
		if b.replaces && e.of != b && b.covers(e) && (!b.euOnly || e.eu) {
			e.replaced = append(e.replaced, b)
		}
	}
	b.status = "reflected"
}

func (e *pastEvent) counts() bool {
	inEffect := func(b *pastBackfill) bool { return b.status == "reflected" }
	return (e.of == nil || inEffect(e.of)) && !slices.ContainsFunc(e.replaced, inEffect)
}

// sums are what each customer used, and a text that is the same when the same events
// count.
func (p *past) sums() (sums [2]int, counted string) {
	for i, e := range p.events {
		if e.counts() {
			sums[e.who] += e.n
			counted += fmt.Sprint(i, " ")
		}
	}
	return sums, counted
}

var _ = Describe("Costs through a random past", func() {
	It("are those of the events that count, and byte for byte the same when the same events do", func() {
		checks := flag.Lookup("rapid.checks").Value.String()
		DeferCleanup(flag.Set, "rapid.checks", checks)
		Expect(flag.Set("rapid.checks", "5")).To(Succeed())
		s := newFixture("2025-07-01T00:00:00Z")
		s.setting("grace_period_seconds", 40*24*3600)
		s.clock("2025-07-20T00:00:00Z")
		round := 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			round++
			p := pastProperty{usageFixture: usageFixture{fixture: s}, past: past{owners: map[string]*pastEvent{}}, round: round, bodies: map[string]string{}}
			p.open()
			defer p.end()
			for range rapid.IntRange(20, 30).Draw(t, "steps") {
				p.step(t)
				p.check(t)
			}
		})
	})
})

// pastProperty is one round of the property, with two customers of its own.
type pastProperty struct {
	usageFixture
	past
	round         int
	names         [2]string
	customers     [2]string
	subscriptions [2]string
	bodies        map[string]string // costs by what counts
}

func (l *pastProperty) open() {
	for who := range l.names {
		l.names[who] = fmt.Sprint("round ", l.round, " customer ", who)
		l.customers[who] = l.buyer(object{"external_customer_id": l.names[who]})
		l.subscriptions[who] = l.subscribe(l.customers[who], object{"start_date": "2025-07-01"}, l.calls("1.00")).text("id")
	}
}

// end reverts what is at work, which would be in the way of the next round.
func (l *pastProperty) end() {
	for _, b := range l.backfills {
		if b.status == "pending" {
			l.revert(b.id).expect(200)
		}
	}
}

func (l *pastProperty) step(t *rapid.T) {
	var b *pastBackfill
	if n := len(l.backfills); n > 0 {
		b = l.backfills[n-1-rapid.IntRange(0, min(n, 4)-1).Draw(t, "how long ago")]
	}
	switch what := rapid.SampledFrom([]string{"send", "open", "open", "send into", "send into", "close", "close", "close", "revert", "revert", "fold"}).Draw(t, "step"); {
	case what == "send":
		l.ingest(t, nil)
	case what == "open" || b == nil:
		l.openOne(t)
	case what == "send into":
		l.ingest(t, b)
	case what == "close" && b.status == "pending":
		l.close(b.id).expect(200)
		l.reflect(b)
	case what == "close":
		l.close(b.id).expect(400)
	case what == "revert":
		l.revertOne(b)
	case what == "fold":
		l.keepBuckets("SELECT SUM(n) FROM events WHERE event_name = 'call'") // costs are read from those too
	}
	l.clock("2025-07-20T00:00:00Z") // waits for what the request brought about
}

func (l *pastProperty) openOne(t *rapid.T) {
	b := &pastBackfill{who: rapid.IntRange(-1, 1).Draw(t, "scope"), from: rapid.IntRange(1, 3).Draw(t, "from"), status: "pending"}
	b.to = b.from + rapid.IntRange(1, 3).Draw(t, "days")
	b.replaces = rapid.IntRange(0, 3).Draw(t, "replaces") > 0
	body := object{
		"timeframe_start": fmt.Sprintf("2025-07-%02dT00:00:00Z", b.from), "timeframe_end": fmt.Sprintf("2025-07-%02dT00:00:00Z", b.to),
		"replace_existing_events": b.replaces,
	}
	if b.replaces && rapid.Bool().Draw(t, "filtered") {
		b.euOnly = true
		body["deprecation_filter"] = "region = 'eu'"
	}
	if b.who >= 0 {
		body["customer_id"] = l.customers[b.who]
	}
	answer := l.post(backfills, body)
	if slices.ContainsFunc(l.backfills, func(o *pastBackfill) bool { return o.status == "pending" && o.meets(b) }) {
		answer.expect(400)
		return
	}
	b.id = answer.expect(200).text("id")
	l.backfills = append(l.backfills, b)
}

// ingest sends a few events under keys that repeat.
func (l *pastProperty) ingest(t *rapid.T, into *pastBackfill) {
	path := "/v1/ingest?debug=true"
	if into != nil {
		path += "&backfill_id=" + into.id
	}
	var sent, ingested []string
	for range rapid.IntRange(2, 6).Draw(t, "events") {
		e := &pastEvent{
			who: rapid.IntRange(0, 1).Draw(t, "who"), day: rapid.IntRange(1, 5).Draw(t, "day"), n: rapid.IntRange(1, 1000).Draw(t, "n"),
			eu: rapid.Bool().Draw(t, "eu"), of: into,
		}
		key := fmt.Sprint(l.round, ".", rapid.IntRange(1, 60).Draw(t, "key"))
		if slices.ContainsFunc(sent, func(other string) bool { return strings.Contains(other, `"`+key+`"`) }) {
			continue
		}
		region := "us"
		if e.eu {
			region = "eu"
		}
		sent = append(sent, strings.Replace(l.eventUnder(key, fmt.Sprintf("2025-07-%02d %d %s", e.day, e.n, region)), `"acme"`, fmt.Sprintf("%q", l.names[e.who]), 1))
		if (into == nil || into.status == "pending" && into.covers(e)) && l.takes(key, e) {
			ingested = append(ingested, key)
		}
	}
	answer := l.post(path, `{"events":[`+strings.Join(sent, ",")+`]}`).body()
	if into == nil || into.status == "pending" {
		Expect(answer.list("debug.ingested")).To(HaveLen(len(ingested)), "%v", answer.json)
		return
	}
	Expect(answer.text("detail")).To(ContainSubstring("takes no more events"))
}

func (l *pastProperty) revertOne(b *pastBackfill) {
	answer := l.revert(b.id)
	overlaps := slices.ContainsFunc(l.backfills, func(o *pastBackfill) bool { return o != b && o.status == "pending" && o.meets(b) })
	if b.status == "reverted" || b.status == "reflected" && overlaps {
		answer.expect(400)
		return
	}
	answer.expect(200)
	b.status = "reverted"
}

func (l *pastProperty) check(t *rapid.T) {
	sums, counted := l.sums()
	for who, subscription := range l.subscriptions {
		l.subscription = subscription
		body := l.costs("2025-07-01", "2025-07-07")
		if total, want := lastTotal(body), fmt.Sprintf("%d.00", sums[who]); total != want {
			t.Fatalf("customer %d is charged %s for %s", who, total, want)
		}
		state := fmt.Sprint(who, ": ", counted)
		if known, again := l.bodies[state]; again && known != body {
			t.Fatalf("the same events cost\n%s\nand\n%s", known, body)
		}
		l.bodies[state] = body
	}
}

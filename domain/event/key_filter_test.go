package event_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// learn lets a recorder take up all filters that there are within so many bytes, and tells
// how many it has.
func learn(r *event.Recorder, most int64) int {
	GinkgoHelper()
	for more := true; more; {
		var err error
		more, err = r.Learn(context.Background(), most)
		Expect(err).NotTo(HaveOccurred())
	}
	parts, _ := r.Filters()
	return parts
}

// owner runs a statement that the server's role may not.
func (d fixture) owner(statement string, args ...any) {
	GinkgoHelper()
	conn, err := pgx.Connect(d.ctx, storetest.URL(d.store))
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close(d.ctx) }()
	_, err = conn.Exec(d.ctx, statement, args...)
	Expect(err).NotTo(HaveOccurred())
}

var _ = Describe("Filters of the keys in closed parts", func() {
	var d fixture
	BeforeEach(func() { d = newFixtureOn(storetest.New()) })

	// close sends keys and closes the part that they come into.
	closeWith := func(keys ...string) {
		GinkgoHelper()
		for _, key := range keys {
			Expect(d.send(call(key)).Ingested).To(HaveLen(1))
		}
		d.exec("SELECT open_key_part(0)")
	}
	filtersStored := func() int64 { return d.value("SELECT count(*) FROM event_key_filters") }

	It("change no answer, whatever the history", func() {
		random := rand.New(rand.NewPCG(uint64(GinkgoRandomSeed()), 0))
		servers := make([]fixture, 3)
		for i := range servers {
			servers[i] = d
			servers[i].recorder = event.NewRecorder(d.store)
		}
		known := map[string]bool{}
		for range 100 {
			switch random.IntN(6) {
			case 0:
				d.exec("SELECT open_key_part(0)")
			case 1: // the last server never learns
				_, err := servers[random.IntN(2)].recorder.Learn(context.Background(), math.MaxInt64)
				Expect(err).NotTo(HaveOccurred())
			default:
				var want event.Outcome
				var events []string
				for range 1 + random.IntN(8) {
					key := fmt.Sprintf("schlüssel-%d-鍵", random.IntN(300))
					events = append(events, call(key))
					if known[key] {
						want.Duplicate = append(want.Duplicate, key)
					} else {
						want.Ingested = append(want.Ingested, key)
					}
					known[key] = true
				}
				Expect(servers[random.IntN(3)].send(events...)).To(Equal(want))
			}
		}
		Expect(servers[0].recorder.Learn(context.Background(), math.MaxInt64)).Error().NotTo(HaveOccurred())
		parts, _ := servers[0].recorder.Filters()
		Expect(parts).To(BeNumerically(">", 3))
		for key := range known {
			for _, server := range servers {
				Expect(server.send(call(key))).To(Equal(event.Outcome{Duplicate: []string{key}}))
			}
		}
		Expect(d.count()).To(Equal(len(known)))
	})

	It("are believed: with wrong ones a key counts twice", func() {
		closeWith("once")
		Expect(learn(d.recorder, math.MaxInt64)).To(Equal(1))
		Expect(d.send(call("once")).Duplicate).To(HaveLen(1))
		event.Misled(d.recorder)
		Expect(d.send(call("once")).Ingested).To(HaveLen(1))
	})

	It("are made once and taken up by every server", func() {
		closeWith("a", "b")
		closeWith("c")
		d.send(call("d"))
		Expect(learn(d.recorder, math.MaxInt64)).To(Equal(2))
		Expect(filtersStored()).To(BeEquivalentTo(2))

		d.recorder = event.NewRecorder(d.store) // a server that was started again
		Expect(learn(d.recorder, math.MaxInt64)).To(Equal(2))
		Expect(filtersStored()).To(BeEquivalentTo(2))
		Expect(d.send(call("a"), call("new"), call("c"), call("d"))).To(Equal(event.Outcome{Ingested: []string{"new"}, Duplicate: []string{"a", "c", "d"}}))
	})

	It("leave a part that another server closed to be looked up until they are there", func() {
		closeWith("a")
		Expect(learn(d.recorder, math.MaxInt64)).To(Equal(1))
		closeWith("b")
		Expect(d.send(call("a"), call("b"), call("c"))).To(Equal(event.Outcome{Ingested: []string{"c"}, Duplicate: []string{"a", "b"}}))
	})

	It("are not asked about a part that the database opened again", func() {
		closeWith("a")
		Expect(learn(d.recorder, math.MaxInt64)).To(Equal(1))
		event.Misled(d.recorder)
		d.owner("UPDATE event_key_parts SET seal = 'another' WHERE part = 1")
		Expect(d.send(call("a")).Duplicate).To(HaveLen(1))
		Expect(learn(d.recorder, math.MaxInt64)).To(Equal(1), "of the new seal, and none of the old one")
		Expect(filtersStored()).To(BeEquivalentTo(2))
		Expect(d.send(call("a"), call("b"))).To(Equal(event.Outcome{Ingested: []string{"b"}, Duplicate: []string{"a"}}))
	})

	It("take no more memory than they may", func() {
		for part := range 3 {
			keys := make([]string, 100)
			for i := range keys {
				keys[i] = fmt.Sprintf("%d-%d", part, i)
			}
			closeWith(keys...)
		}
		Expect(learn(d.recorder, 199)).To(Equal(0))
		Expect(learn(d.recorder, 450)).To(Equal(2))
		parts, bytes := d.recorder.Filters()
		Expect([]int64{int64(parts), bytes}).To(Equal([]int64{2, 400}))
		Expect(d.send(call("0-7"), call("1-7"), call("2-7"), call("3-7"))).
			To(Equal(event.Outcome{Ingested: []string{"3-7"}, Duplicate: []string{"0-7", "1-7", "2-7"}}))
	})

	It("let go a key that a reverted backfill gave back, once", func() {
		d.owner(`INSERT INTO backfills (account_id, id, created_at, timeframe_start, timeframe_end, replaces, close_time, closed, status, events_ingested)
			VALUES ($1, 'backfill_1', now(), $2, $3, false, 'infinity', false, 'pending', 0)`,
			store.AccountID(d.ctx), noon.AddDate(0, 0, -1), noon.AddDate(0, 0, 1))
		into := d
		into.recorder = d.recorder.Into(event.Backfill{ID: "backfill_1", Period: period.Period{Start: noon.AddDate(0, 0, -1), End: noon.AddDate(0, 0, 1)}})
		Expect(into.send(call("freed")).Ingested).To(HaveLen(1))
		closeWith("kept")
		Expect(learn(d.recorder, math.MaxInt64)).To(Equal(1))
		Expect(d.send(call("freed"), call("kept")).Duplicate).To(HaveLen(2))
		d.owner("UPDATE backfills SET status = 'reverted', reverted_at = now() WHERE account_id = $1", store.AccountID(d.ctx))
		for _, want := range []event.Outcome{{Ingested: []string{"freed"}, Duplicate: []string{"kept"}}, {Duplicate: []string{"freed", "kept"}}} {
			Expect(d.send(call("freed"), call("kept"))).To(Equal(want))
		}
	})
})

package event_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"

	"tollkeeper/domain/event"
	"tollkeeper/store/fault"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// body is a request that is written while it is read: so many events, each by its
// number.
func body(events int, each func(i int) string) *generated {
	return &generated{rest: `{"events": [`, events: events, each: each}
}

type generated struct {
	rest      string
	next      int
	events    int
	each      func(i int) string
	every     int64  // call at each so many bytes
	call      func() // nil: never
	read, due int64
}

func (g *generated) Read(p []byte) (int, error) {
	if g.rest == "" {
		switch {
		case g.next > g.events:
			return 0, io.EOF
		case g.next == g.events:
			g.rest = "]}"
		default:
			g.rest = g.each(g.next)
			if g.next > 0 {
				g.rest = "," + g.rest
			}
		}
		g.next++
	}
	if g.call != nil && g.read >= g.due {
		g.due += g.every
		g.call()
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	g.read += int64(n)
	return n, nil
}

// held is the memory that is in use, in bytes, without what can be collected.
func held() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

var _ = Describe("A request of many events", func() {
	var d fixture
	BeforeEach(func() { d = newFixture() })

	receive := func(from io.Reader) *event.Body {
		GinkgoHelper()
		received, err := event.Receive(from, temporary)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(received.Close)
		return received
	}
	plain := func(i int) string { return call(fmt.Sprintf("e%06d", i)) }

	It("is in memory up to 10,000 events or 4 MiB, and beyond that on disk", func() {
		Expect(event.Spooled(receive(body(10_000, plain)))).To(BeFalse())
		Expect(event.Spooled(receive(body(10_001, plain)))).To(BeTrue())
		const most = 256 << 10 // bytes
		long := func(i int) string {
			return call(fmt.Sprint(i), `"properties": {"s": "`+strings.Repeat("s", most-len(`{"s":""}`))+`"}`)
		}
		Expect(event.Spooled(receive(body(15, long)))).To(BeFalse())
		Expect(event.Spooled(receive(body(16, long)))).To(BeTrue())
	})

	It("takes the same memory whatever its length", func() {
		const length, bound = 64 << 20, 12 << 20 // bytes
		event := `{"idempotency_key": "event %09d", "event_name": "call", "external_customer_id": "acme", "timestamp": "2025-05-10T12:00:00Z", "properties": {"n%d": 1}}`
		before, most, measured := held(), int64(0), 0
		large := body(length/len(event), func(i int) string { return fmt.Sprintf(event, i, i) })
		large.every, large.call = length/8, func() { most, measured = max(most, held()), measured+1 }
		received := receive(large)
		most = max(most, held())
		Expect(large.read).To(BeNumerically(">", length*9/10))
		Expect(measured).To(BeNumerically(">=", 8))
		Expect(most - before).To(BeNumerically("<", bound))
		runtime.KeepAlive(received)
	})

	It("is stored like several", func() {
		const events = 12_000
		again := func(i int) string { return plain(i * 2 / 3) } // every other key twice
		outcome, err := d.recorder.RecordBody(d.ctx, receive(body(events, again)), true)
		Expect(err).NotTo(HaveOccurred())
		Expect(outcome.Failed).To(BeEmpty())
		Expect(outcome.Ingested).To(HaveLen(events * 2 / 3))
		Expect(outcome.Duplicate).To(HaveLen(events / 3))
		Expect(outcome.Duplicate[:2]).To(Equal([]string{"e000000", "e000002"}))
		Expect(d.count()).To(Equal(events * 2 / 3))
		outcome, err = d.recorder.RecordBody(d.ctx, receive(body(events, again)), false)
		Expect(err).NotTo(HaveOccurred())
		Expect(outcome).To(Equal(event.Outcome{}), "keys are listed only when asked for")
		Expect(d.count()).To(Equal(events * 2 / 3))
	})

	It("is stored without the events that fail, which are listed in their order (E-5)", func() {
		outcome, err := d.recorder.RecordBody(d.ctx, receive(body(10_500, func(i int) string {
			switch i {
			case 1:
				return call("none", `"event_name": ""`)
			case 7000:
				return call("unknown", `"customer_id": "nobody"`)
			case 10_499:
				return call("old", `"timestamp": "2020-01-01T00:00:00Z"`, `"colour": 1`)
			}
			return plain(i)
		})), false)
		Expect(err).NotTo(HaveOccurred())
		Expect(outcome.Failed).To(Equal([]event.Failure{
			{Key: "none", Reasons: []string{"event_name: must be a string of 1 to 255 characters"}},
			{Key: "unknown", Reasons: []string{"customer_id: no customer with this id"}},
			{Key: "old", Reasons: []string{"timestamp: is older than the grace period", "colour: is not a field of an event"}},
		}))
		Expect(d.count()).To(Equal(10497))
	})

	It("is refused whole when it uses keys for different events, wherever they are (E-4)", func() {
		const events = 20_000
		order := rand.New(rand.NewPCG(1, 2)).Perm(events)
		clash := map[string]int{"e000005": order[0], "e000006": order[1], "e000007": order[2]}
		outcome, err := d.recorder.RecordBody(d.ctx, receive(body(events, func(i int) string {
			for key, at := range clash {
				if i == at {
					return call(key, `"event_name": "another"`)
				}
			}
			return plain(i % 15_000)
		})), false)
		Expect(err).NotTo(HaveOccurred())
		var keys []string
		for _, f := range outcome.Failed {
			keys = append(keys, f.Key)
			Expect(f.Reasons).To(Equal([]string{"idempotency_key: used more than once in this request with different event bodies"}))
		}
		Expect(keys).To(ConsistOf("e000005", "e000006", "e000007"))
		Expect(d.count()).To(Equal(0))
	})

	DescribeTable("is refused when the answer could not hold what there is to tell",
		func(listKeys bool, each func(i int) string, words string) {
			outcome, err := d.recorder.RecordBody(d.ctx, receive(body(60_000, each)), listKeys)
			Expect(fault.Is(err, fault.KindTooLarge)).To(BeTrue(), "%v", err)
			Expect(err).To(MatchError(ContainSubstring(words)))
			Expect(outcome).To(Equal(event.Outcome{}))
			Expect(d.count()).To(Equal(0))
		},
		Entry("of events that fail by themselves", false,
			func(i int) string { return `{"idempotency_key": "` + long(i) + `"}` }, "smaller requests"),
		Entry("of events that the account refuses", false,
			func(i int) string { return call(long(i), `"timestamp": "2020-01-01T00:00:00Z"`) }, "smaller requests"),
		Entry("of keys with two bodies", false,
			func(i int) string { return call(long(i/2), fmt.Sprintf(`"properties": {"n": %d}`, i)) }, "smaller requests"),
		Entry("of the keys that are asked for", true,
			func(i int) string { return call(long(i)) }, "leave debug out"),
	)

	It("is refused when one member is too long to be held", func() {
		endless := body(1, func(int) string { return `{"event_name": "` + strings.Repeat("x", 33<<20) + `"}` })
		_, err := event.Receive(endless, temporary)
		Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
		Expect(err).To(MatchError(HavePrefix("body: must have no event")))
		_, err = event.Receive(strings.NewReader(`{"debug": "`+strings.Repeat("x", 33<<20)+`", "events": []}`), temporary)
		Expect(err).To(MatchError(HavePrefix("body: must have no event")))
	})
})

// long is a key of 250 characters.
func long(i int) string { return fmt.Sprintf("%0250d", i) }

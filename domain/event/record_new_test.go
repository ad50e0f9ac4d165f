package event_test

import (
	"fmt"
	"sync"

	"tollkeeper/domain/event"
	"tollkeeper/store"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Recording keys that are new", func() {
	var d fixture
	BeforeEach(func() { d = newFixture() })

	rows := func() (rows string) {
		GinkgoHelper()
		Expect(d.store.View(d.ctx, func(tx *store.Tx) error {
			return tx.Raw(`SELECT coalesce(string_agg(concat_ws('|', e.idempotency_key, event_name, subject, timestamp, properties, ingested_at, e.seq & 1048575, backfill_id, k.part), E'\n' ORDER BY e.seq), '')
				FROM events AS e JOIN event_keys AS k USING (account_id, idempotency_key, seq) WHERE e.account_id = ?`, tx.AccountID).Row().Scan(&rows)
		})).To(Succeed())
		return rows
	}

	It("stores the same rows as asking first", func() {
		sent := []string{call("z"), call("a", `"properties": {"n": 1.50, "s": "é"}`), call("m", `"timestamp": "2025-05-10T11:00:00.123456Z"`)}
		d.send(sent...)
		short := rows()
		d = newFixture()
		d.send(call("known"))
		d.send(call("known")) // so this account's next recordings ask first
		Expect(event.AsksFirst(d.recorder, d.ctx)).To(BeTrue())
		d.send(sent...)
		Expect(rows()).To(HaveSuffix("\n" + short))
	})

	It("finds the known keys among new ones, and asks first from then on", func() {
		d.send(call("e1"))
		Expect(event.AsksFirst(d.recorder, d.ctx)).To(BeFalse())
		Expect(d.send(call("e2"), call("e1"), call("e3"))).To(Equal(event.Outcome{Ingested: []string{"e2", "e3"}, Duplicate: []string{"e1"}}))
		Expect(event.AsksFirst(d.recorder, d.ctx)).To(BeTrue())
		Expect(d.count()).To(Equal(3))
		for i := range 20 {
			d.send(call(fmt.Sprint("later ", i)))
		}
		Expect(event.AsksFirst(d.recorder, d.ctx)).To(BeFalse(), "after a while without known keys")
	})

	It("does not ask first because another account sends known keys", func() {
		d.send(call("e"))
		d.send(call("e"))
		Expect(event.AsksFirst(d.recorder, newFixture().ctx)).To(BeFalse())
	})

	It("undoes few recordings of an account that sends known keys all the time", func() {
		for i := range 300 {
			keys := []string{call(fmt.Sprint("new ", i))}
			if i%20 == 19 { // more often than the account stops to ask at first
				keys = append(keys, call("new 0"))
			}
			d.send(keys...)
		}
		Expect(d.count()).To(Equal(300))
		Expect(event.Undone(d.recorder, d.ctx)).To(And(BeNumerically(">", 0), BeNumerically("<=", 3)))
	})

	It("stores a key once when recorders send it at the same time", func() {
		const recorders, rounds = 4, 50
		var all sync.WaitGroup
		outcomes := make([][]event.Outcome, recorders)
		for r := range recorders {
			recorder := event.NewRecorder(d.store) // of another server
			all.Go(func() {
				defer GinkgoRecover()
				for round := range rounds {
					events := decoded(call(fmt.Sprint("k", round)), call(fmt.Sprint("own ", r, " ", round)))
					outcome, err := recorder.Record(d.ctx, events)
					Expect(err).NotTo(HaveOccurred())
					outcomes[r] = append(outcomes[r], outcome)
				}
			})
		}
		all.Wait()
		Expect(d.count()).To(Equal(rounds + recorders*rounds))
		for round := range rounds {
			taken := 0
			for r := range recorders {
				taken += len(outcomes[r][round].Ingested) - 1
			}
			Expect(taken).To(Equal(1), "the key of round %d was answered as new once", round)
		}
	})
})

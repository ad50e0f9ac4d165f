package event_test

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"tollkeeper/domain/event"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The numbers of events", func() {
	var d fixture
	var owner *pgx.Conn
	BeforeEach(func() {
		d = newFixtureOn(storetest.New())
		owner = d.connect()
	})

	administer := func(statements ...string) {
		GinkgoHelper()
		for _, statement := range statements {
			_, err := owner.Exec(context.Background(), statement)
			Expect(err).NotTo(HaveOccurred(), statement)
		}
	}
	// restored does to the numbering what reading a dump into a cluster does whose transactions
	// count from so many less.
	restored := func(less int64) {
		GinkgoHelper()
		administer("ALTER TABLE event_numbering DISABLE TRIGGER ALL",
			"CREATE TEMP TABLE copied AS SELECT * FROM event_numbering",
			"TRUNCATE event_numbering",
			fmt.Sprintf("INSERT INTO event_numbering SELECT one, era, floor, ceiling + %d, written_by, cluster FROM copied", less),
			fmt.Sprintf("UPDATE events SET seq = seq + (%d::bigint << 20)", less),
			fmt.Sprintf("UPDATE event_keys SET seq = seq + (%d::bigint << 20)", less),
			"DROP TABLE copied")
	}
	moment := func() (seen event.Snapshot) {
		GinkgoHelper()
		Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
			seen, err = event.TakeSnapshot(tx)
			return err
		})).To(Succeed())
		return seen
	}
	since := func(seen event.Snapshot) (aliases []string) {
		GinkgoHelper()
		Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
			_, aliases, _, err = event.Since(tx, seen)
			return err
		})).To(Succeed())
		return aliases
	}
	seq := func(key string) int64 {
		GinkgoHelper()
		return d.value("SELECT seq FROM events WHERE account_id = ? AND idempotency_key = ?", store.AccountID(d.ctx), key)
	}
	horizon := func() int64 {
		GinkgoHelper()
		return d.value("SELECT " + event.Horizon)
	}
	const years = 1 << 33 // transactions

	It("rise when a dump is restored where transactions count lower, while the server runs", func() {
		d.send(call("before", `"external_customer_id": "early"`))
		restored(years)
		Expect(d.send(call("after", `"external_customer_id": "late"`), call("before", `"external_customer_id": "early"`))).
			To(Equal(event.Outcome{Ingested: []string{"after"}, Duplicate: []string{"before"}}))
		Expect(seq("after")).To(BeNumerically(">", seq("before")))
		Expect(horizon()).To(BeNumerically(">", seq("after")))
		Expect(event.Settle(context.Background(), d.store)).To(BeFalse())
	})

	It("are refused in a copy, and so are moments and the horizon, until it is settled", func() {
		restored(years)
		for _, what := range []string{"event_number()", event.Moment + "::text", event.Horizon} {
			err := d.store.Shared(context.Background(), func(db *gorm.DB) error { return db.Exec("SELECT " + what).Error })
			Expect(err).To(MatchError(ContainSubstring("read from a dump")), what)
		}
		Expect(event.Settle(context.Background(), d.store)).To(BeTrue())
		Expect(event.Settle(context.Background(), d.store)).To(BeFalse())
		for _, what := range []string{"event_number()", event.Moment + "::text", event.Horizon} {
			d.exec("SELECT " + what)
		}
	})

	It("make moments that tell events apart, in this era and the next", func() {
		for _, less := range []int64{0, years, 5, 1 << 26} {
			restored(less)
			Expect(event.Settle(context.Background(), d.store)).To(BeTrue())
			prefix := fmt.Sprint("after ", less, " ")
			d.send(call(prefix+"a", `"external_customer_id": "a"`))
			first := moment()
			Expect(since(first)).To(BeEmpty())

			By("storing one in a transaction that is under way when the moment is taken")
			slow := d.connect()
			begun, err := slow.Begin(context.Background())
			Expect(err).NotTo(HaveOccurred())
			_, err = begun.Exec(context.Background(), `INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
				VALUES ($1, $2, 'call', 'e:slow', $3, '{}', $3, event_number())`, store.AccountID(d.ctx), prefix+"slow", noon)
			Expect(err).NotTo(HaveOccurred())
			low := horizon()
			d.send(call(prefix+"b", `"external_customer_id": "b"`))
			second := moment()
			Expect(since(first)).To(ConsistOf("b"))
			Expect(begun.Commit(context.Background())).To(Succeed())
			Expect(since(first)).To(ConsistOf("b", "slow"))
			Expect(since(second)).To(ConsistOf("slow"))
			Expect(since(moment())).To(BeEmpty())
			Expect(low).To(BeNumerically("<=", seq(prefix+"slow")))
			Expect(horizon()).To(BeNumerically(">", seq(prefix+"slow")))
		}
	})

	It("stay below the ceiling, which a recording raises, and no moment is above it", func() {
		d.send(call("a", `"external_customer_id": "a"`))
		administer("UPDATE event_numbering SET floor = 0, ceiling = 1, written_by = pg_current_xact_id()")
		Expect(string(moment())).To(Equal("1:1:"))
		Expect(horizon()).To(BeEquivalentTo(1 << 20))
		low := moment()
		d.send(call("b", `"external_customer_id": "b"`))
		Expect(seq("b")).To(BeNumerically("<", d.value("SELECT ceiling << 20 FROM event_numbering")))
		Expect(since(low)).To(ConsistOf("a", "b"))
		Expect(since(moment())).To(BeEmpty())
		Expect(d.send(call("c")).Ingested).To(HaveLen(1))
	})

	It("begin another era in another cluster, where by chance the transaction has the same number", func() {
		administer("UPDATE event_numbering SET cluster = cluster - 1, ceiling = ceiling + 1000000, written_by = pg_current_xact_id()")
		before := d.value("SELECT ceiling << 20 FROM event_numbering")
		Expect(event.Settle(context.Background(), d.store)).To(BeTrue())
		d.send(call("a"))
		Expect(seq("a")).To(BeNumerically(">=", before))
	})

	It("are settled once, by one of many servers", func() {
		restored(years)
		settled := make(chan bool, 8)
		for range cap(settled) {
			go func() {
				defer GinkgoRecover()
				raised, err := event.Settle(context.Background(), d.store)
				Expect(err).NotTo(HaveOccurred())
				settled <- raised
			}()
		}
		times := 0
		for range cap(settled) {
			if <-settled {
				times++
			}
		}
		Expect(times).To(Equal(1))
	})

	It("wait for a recording under way before they begin another era", func() {
		begun, err := owner.Begin(context.Background())
		Expect(err).NotTo(HaveOccurred())
		_, err = begun.Exec(context.Background(), "LOCK TABLE event_key_parts IN ACCESS SHARE MODE")
		Expect(err).NotTo(HaveOccurred())
		other := d.connect()
		_, err = other.Exec(context.Background(), "UPDATE event_numbering SET cluster = cluster - 1, written_by = pg_current_xact_id()")
		Expect(err).NotTo(HaveOccurred())
		_, err = other.Exec(context.Background(), "SET lock_timeout = '50ms'")
		Expect(err).NotTo(HaveOccurred())
		_, err = other.Exec(context.Background(), "SELECT settle_event_numbering()")
		Expect(err).To(MatchError(ContainSubstring("lock timeout")))
		Expect(begun.Rollback(context.Background())).To(Succeed())
		_, err = other.Exec(context.Background(), "SELECT settle_event_numbering()")
		Expect(err).NotTo(HaveOccurred())
	})

	It("need no row that a savepoint wrote", func() {
		begun, err := owner.Begin(context.Background())
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = begun.Rollback(context.Background()) }()
		_, err = begun.Exec(context.Background(), "UPDATE event_numbering SET floor = 0, ceiling = 1, written_by = pg_current_xact_id()")
		Expect(err).NotTo(HaveOccurred())
		_, err = begun.Exec(context.Background(), "SAVEPOINT inner_one")
		Expect(err).NotTo(HaveOccurred())
		_, err = begun.Exec(context.Background(), "SELECT event_number()")
		Expect(err).To(MatchError(ContainSubstring("savepoint")))
	})

	It("are kept by a rewrite and a freeze of the table", func() {
		administer("VACUUM (FREEZE) event_numbering", "VACUUM (FULL, FREEZE) event_numbering")
		Expect(event.Settle(context.Background(), d.store)).To(BeFalse())
	})
})

var _ = Describe("A dump that is being taken", func() {
	It("holds up no recording when a part of the keys is full", func() {
		d := newFixtureOn(storetest.New())
		dump := d.connect()
		begun, err := dump.Begin(context.Background())
		Expect(err).NotTo(HaveOccurred())
		_, err = begun.Exec(context.Background(), "LOCK TABLE event_key_parts, event_keys, events IN ACCESS SHARE MODE")
		Expect(err).NotTo(HaveOccurred())
		open := func() (part int, err error) {
			err = d.store.Shared(context.Background(), func(db *gorm.DB) error { return db.Raw("SELECT open_key_part(0)").Row().Scan(&part) })
			return part, err
		}
		began := time.Now()
		Expect(open()).To(Equal(1))
		Expect(time.Since(began)).To(BeNumerically("<", 5*time.Second)) // the lock timeout of the pool is 10 s
		Expect(d.send(call("a")).Ingested).To(HaveLen(1))
		Expect(begun.Commit(context.Background())).To(Succeed())
		Expect(open()).To(Equal(2))
	})
})

// connect connects as the owner of the database.
func (d fixture) connect() *pgx.Conn {
	GinkgoHelper()
	conn, err := pgx.Connect(context.Background(), storetest.URL(d.store))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(conn.Close, context.Background())
	return conn
}

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/backfill"
	"tollkeeper/domain/catalog"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

var _ = Describe("tollkeeper import events", func() {
	var out bytes.Buffer
	var st *store.Store
	var ctx context.Context // of its account
	BeforeEach(func() {
		st = storetest.New()
		ctx = storetest.Account(st, "test")
		set("TOLLKEEPER_DATABASE_URL", storetest.URL(st))
	})

	// imported runs the command on a file with this text.
	imported := func(text string, more ...string) error {
		GinkgoHelper()
		path := filepath.Join(GinkgoT().TempDir(), "usage.csv")
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		out.Reset()
		return run(context.Background(), append([]string{"import", "events", path}, more...), &out)
	}

	const header = "idempotency_key,event_name,timestamp,external_customer_id\n"
	const old = header + "k1,call,2020-05-10T12:00:00Z,acme\n"

	It("stores events of the only account", func() {
		storetest.SetClock(st, ctx, time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC))
		Expect(imported(header + "k1,call,2025-05-10T12:00:00Z,acme\nk1,call,2025-05-10T12:00:00Z,acme\n")).To(Succeed())
		Expect(out.String()).To(Equal("2 events: 1 stored, 1 known already, 0 rejected\n"))
	})

	It("says which metrics have no number of events that it stored", func() {
		storetest.SetClock(st, ctx, time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC))
		var id string
		Expect(st.Update(ctx, func(tx *store.Tx) error {
			item, err := catalog.CreateItem(tx, catalog.NewItem{Name: "Calls"})
			if err != nil {
				return err
			}
			m, err := catalog.CreateMetric(tx, catalog.NewMetric{Name: "Seconds", ItemID: item.ID, SQL: "SELECT SUM(seconds) FROM events WHERE event_name = 'call'"})
			id = m.ID
			return err
		})).To(Succeed())
		const columns = "idempotency_key,event_name,timestamp,external_customer_id,seconds\n"
		Expect(imported(columns + "k0,call,2025-05-10T11:00:00Z,acme,many\n")).To(Succeed()) // is not told again
		text := columns + "k1,call,2025-05-10T11:00:00Z,acme,5\nk2,call,2025-05-10T11:00:00Z,acme,\"1,5\"\nk3,call,2025-05-10T11:00:00Z,acme,\nk4,ping,2025-05-10T11:00:00Z,acme,x\n"
		Expect(imported(text)).To(Succeed())
		Expect(out.String()).To(Equal("4 events: 4 stored, 0 known already, 0 rejected\n" +
			"2 events match the metric Seconds (" + id + ") and have no number, such as k3, k2\n"))
		Expect(imported(columns+"k5,call,2025-05-10T11:00:00Z,acme,y\n", "--json")).To(Succeed())
		Expect(out.String()).To(MatchJSON(`{"stored": 1, "known": 0, "rejected": 0,
			"without_number": [{"metric_id": "` + id + `", "name": "Seconds", "events": 1, "examples": ["k5"]}]}`))
	})

	It("says which events came again with another body, also within the file", func() {
		storetest.SetClock(st, ctx, time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC))
		const columns = "idempotency_key,event_name,timestamp,external_customer_id,n\n"
		Expect(imported(columns + "k1,call,2025-05-10T11:00:00Z,acme,1\nk2,call,2025-05-10T11:00:00Z,acme,1\nk1,call,2025-05-10T11:00:00Z,acme,1.0\n")).To(Succeed())
		Expect(out.String()).To(Equal("3 events: 2 stored, 1 known already, 0 rejected\n"))
		Expect(imported(columns + "k1,call,2025-05-10T11:00:00Z,acme,2\nk2,call,2025-05-10T11:00:00Z,acme,1\nk3,call,2025-05-10T11:00:00Z,acme,1\nk3,call,2025-05-10T11:00:00Z,acme,4\n")).To(Succeed())
		Expect(out.String()).To(Equal("4 events: 1 stored, 3 known already, 0 rejected\n2 events came again with another body and are ignored, such as k3, k1\n"))
		Expect(imported(columns+"k1,call,2025-05-10T11:00:00Z,acme,2\n", "--json")).To(Succeed())
		Expect(out.String()).To(MatchJSON(`{"stored": 0, "known": 1, "rejected": 0, "changed_bodies": {"events": 1, "examples": ["k1"]}}`))
	})

	It("ends with status 2 when an event is rejected", func() {
		err := imported(old, "--json")
		Expect(err).To(MatchError(HavePrefix("1 events are not stored: see ")))
		Expect(statusOf(err)).To(Equal(2))
		Expect(out.String()).To(MatchJSON(`{"stored": 0, "known": 0, "rejected": 1}`))
	})

	It("stores old events in a backfill", func() {
		var id string
		Expect(st.Update(ctx, func(tx *store.Tx) error {
			start := time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC)
			made, err := backfill.Create(tx, backfill.NewBackfill{TimeframeStart: start, TimeframeEnd: start.AddDate(0, 0, 30)})
			id = made.ID
			return err
		})).To(Succeed())
		Expect(imported(old, "--backfill", id)).To(Succeed())
		Expect(out.String()).To(Equal("1 events: 1 stored, 0 known already, 0 rejected\n"))
		Expect(statusOf(imported(old, "--backfill", "nothing"))).To(Equal(1))
	})

	It("ends with status 130 when it is stopped, and goes on when it is run again", func() {
		stopped, stop := context.WithCancel(context.Background())
		stop()
		path := filepath.Join(GinkgoT().TempDir(), "usage.csv")
		Expect(os.WriteFile(path, []byte(header), 0o600)).To(Succeed())
		shown := newProgress(os.Stderr)
		err := importEvents{File: path}.into(stopped, st, store.AccountID(ctx), 0, shown, &out)
		Expect(err).To(MatchError(ContainSubstring("the same command goes on from there")))
		Expect(statusOf(err)).To(Equal(130))
		Expect(path + ".progress").To(BeAnExistingFile())
		Expect(run(context.Background(), []string{"import", "events", path}, &out)).To(Succeed())
		Expect(path + ".progress").NotTo(BeAnExistingFile())
	})

	It("says what to do where it cannot write beside the file, or what it rejects", func() {
		storetest.SetClock(st, ctx, time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC))
		path := filepath.Join(GinkgoT().TempDir(), "usage.csv")
		Expect(os.WriteFile(path, []byte(old), 0o600)).To(Succeed())
		Expect(os.Mkdir(path+".progress.new", 0o700)).To(Succeed()) // in the way, also of a superuser
		err := run(context.Background(), []string{"import", "events", path}, &out)
		Expect(err).To(MatchError(And(ContainSubstring(path+".progress.new"), ContainSubstring("a directory that can be written, or send it to standard input (-)"))))
		Expect(imported(old, "--rejects", filepath.Join(filepath.Dir(path), "none", "rejects"))).To(MatchError(ContainSubstring("--rejects: must be a file that can be written")))
		Expect(run(context.Background(), []string{"import", "account", "--from", "http://127.0.0.1:1", "--key", "a", "--to", "http://127.0.0.1:2", "--to-key", "b",
			"--journal", filepath.Join(filepath.Dir(path), "none", "journal")}, &out)).To(MatchError(ContainSubstring("--journal: must be a file that can be written")))
	})

	It("asks which account is meant when there are several", func() {
		storetest.Account(st, "test")
		Expect(imported(old)).To(MatchError("there are 2 accounts: say which with --account"))
		Expect(statusOf(imported(old, "--account", store.AccountID(ctx)))).To(Equal(2))
		Expect(imported(old, "--account", "nobody")).To(MatchError(ContainSubstring("nobody")))
	})
})

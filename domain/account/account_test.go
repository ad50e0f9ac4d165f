package account_test

import (
	"context"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
)

var _ = Describe("An account", func() {
	var st *store.Store
	ctx := context.Background()

	BeforeEach(func() { st = storetest.New() })

	create := func(mode account.Mode) account.Account {
		GinkgoHelper()
		a, err := account.Create(ctx, st, account.New{Name: "Ours", Mode: mode})
		Expect(err).NotTo(HaveOccurred())
		return a
	}

	It("begins with the defaults of its settings", func() {
		a := create(account.ModeLive)
		Expect(a.ID).To(MatchRegexp(`^acct_\w{20}$`))
		Expect(a.NumberPrefix).To(MatchRegexp(`^[A-Z]{6}$`))
		a.NumberPrefix = "ABCDEF"
		Expect(a.Settings()).To(Equal([]account.Setting{
			{"name", "Ours"}, {"timezone", "UTC"}, {"grace_period", "12h0m0s"}, {"future_bound", "1h0m0s"},
			{"auto_issuance", "true"}, {"issue_buffer", "0s"}, {"due_date_basis", "issue_date"},
			{"number_prefix_scope", "customer"}, {"number_prefix", "ABCDEF"}, {"hide_zero_lines", "false"}, {"usage_by_day", "false"},
			{"subscriptions_per_customer", "100"}, {"children_per_customer", "100"}, {"corrections_per_customer", "100"}, {"portal_links", "false"}, {"payment_gateway", "manual"},
			{"payment_retry_days", "1,4,9"}, {"smallest_charge", "0.5"}, {"largest_ingest_bytes", "none"},
			{"requests_per_second", "none"}, {"ingest_requests_per_second", "none"},
			{"webhook_retries", "1m,5m,30m,2h,6h,24h"}, {"webhook_log_days", "30"}, {"mail_from", ""}, {"mail_in_test", "false"},
			{"mail_log_days", "90"}, {"reminder_days", ""}, {"alert_emails", ""}, {"backfill_length", "744h0m0s"},
		}))
		Expect(account.List(ctx, st)).To(HaveLen(1))
	})

	DescribeTable("is not made of",
		func(in account.New, field string) {
			_, err := account.Create(ctx, st, in)
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
			Expect(err).To(MatchError(HavePrefix(field + ": ")))
			Expect(account.List(ctx, st)).To(BeEmpty())
		},
		Entry("a blank name", account.New{Name: " ", Mode: "test"}, "name"),
		Entry("an unknown mode", account.New{Name: "Ours", Mode: "demo"}, "mode"),
		Entry("a zone of no place", account.New{Name: "Ours", Mode: "test", Timezone: "Mars/Olympus"}, "timezone"),
	)

	It("is read and locked inside its own transactions", func() {
		a := create(account.ModeTest)
		Expect(st.Update(store.WithAccount(ctx, a.ID), func(tx *store.Tx) error {
			for _, read := range []func(*store.Tx) (account.Account, error){account.Of, account.Lock} {
				found, err := read(tx)
				Expect(err).NotTo(HaveOccurred())
				Expect(found).To(Equal(a))
			}
			return nil
		})).To(Succeed())
	})

	It("has a real clock until that is stopped", func() {
		a := create(account.ModeTest)
		Expect(account.OnRealTime(ctx, st)).To(ConsistOf(a.ID))
		at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		own := store.WithAccount(ctx, a.ID)
		Expect(st.Update(own, func(tx *store.Tx) error { return account.StopClock(tx, at) })).To(Succeed())
		Expect(st.View(own, func(tx *store.Tx) error {
			Expect(tx.Now).To(Equal(at))
			return nil
		})).To(Succeed())
		Expect(account.OnRealTime(ctx, st)).To(BeEmpty())
	})

	DescribeTable("takes the setting",
		func(name, value, shown string) {
			a, err := account.Set(ctx, st, create(account.ModeTest).ID, name, value)
			Expect(err).NotTo(HaveOccurred())
			Expect(a.Settings()).To(ContainElement(account.Setting{Name: name, Value: shown}))
			Expect(account.Find(ctx, st, a.ID)).To(Equal(a))
		},
		Entry("of a name", "name", "Theirs", "Theirs"),
		Entry("of a zone", "timezone", "Asia/Kolkata", "Asia/Kolkata"),
		Entry("of no grace at all", "grace_period", "0s", "0s"),
		Entry("of a year of grace", "grace_period", "8760h", "8760h0m0s"),
		Entry("of a narrow future", "future_bound", "5m", "5m0s"),
		Entry("of issuing by hand", "auto_issuance", "off", "false"),
		Entry("of a wait before issuing", "issue_buffer", "90m", "1h30m0s"),
		Entry("of due dates from the invoice date", "due_date_basis", "invoice_date", "invoice_date"),
		Entry("of one sequence of numbers", "number_prefix_scope", "account", "account"),
		Entry("of a prefix", "number_prefix", "QWERTY", "QWERTY"),
		Entry("of hidden zero lines", "hide_zero_lines", "true", "true"),
		Entry("of more subscriptions", "subscriptions_per_customer", "2000", "2000"),
		Entry("of fewer corrections of events", "corrections_per_customer", "3", "3"),
		Entry("of simulated payments", "payment_gateway", "test", "test"),
		Entry("of other days on which a charge is tried again", "payment_retry_days", "2,30", "2,30"),
		Entry("of charges that are tried once", "payment_retry_days", "", ""),
		Entry("of another smallest charge", "smallest_charge", "1.25", "1.25"),
		Entry("of a bounded ingest request", "largest_ingest_bytes", "1048576", "1048576"),
		Entry("of an unbounded one", "largest_ingest_bytes", "none", "none"),
		Entry("of limited requests", "requests_per_second", "100", "100"),
		Entry("of limited ingestion", "ingest_requests_per_second", "1", "1"),
		Entry("of requests without a limit", "requests_per_second", "none", "none"),
		Entry("of waits between attempts at a webhook", "webhook_retries", "10s,1m30s", "10s,1m30s"),
		Entry("of webhooks that are tried once", "webhook_retries", "", ""),
		Entry("of the days that messages are kept", "webhook_log_days", "7", "7"),
		Entry("of the timeframe of backfills", "backfill_length", "2400h", "2400h0m0s"),
	)

	It("has settings that its owners change, and settings of the operator", func() {
		own := []string{}
		for _, s := range account.OwnSettings() {
			own = append(own, s.Name)
		}
		operators := []string{
			"subscriptions_per_customer", "children_per_customer", "corrections_per_customer", "backfill_length", // bounds
			"largest_ingest_bytes", "requests_per_second", "ingest_requests_per_second",
			"webhook_retries", "webhook_log_days", "mail_log_days", // what is kept, and how often is tried
			"mail_from", "mail_in_test", // who sends
		}
		Expect(slices.Concat(own, operators)).To(ConsistOf(account.SettingNames()))
	})

	DescribeTable("refuses the setting",
		func(name, value, message string) {
			a := create(account.ModeTest)
			_, err := account.Set(ctx, st, a.ID, name, value)
			Expect(fault.Is(err, fault.KindInvalid)).To(BeTrue())
			Expect(err).To(MatchError(ContainSubstring(message)))
			Expect(account.Find(ctx, st, a.ID)).To(Equal(a))
		},
		Entry("that is unknown", "colour", "blue", "setting: must be one of name, timezone"),
		Entry("of negative grace", "grace_period", "-1s", "grace_period: must be a duration"),
		Entry("of a part of a second", "grace_period", "1500ms", "grace_period: must be a duration"),
		Entry("of an endless wait", "issue_buffer", "90000h", "issue_buffer: must be a duration"),
		Entry("of a number as a duration", "future_bound", "3600", "future_bound: must be a duration"),
		Entry("of a maybe", "auto_issuance", "maybe", "auto_issuance: must be true or false"),
		Entry("of a prefix in small letters", "number_prefix", "qwerty", "number_prefix: must be six letters"),
		Entry("of no subscriptions", "subscriptions_per_customer", "0", "must be a whole number from 1"),
		Entry("of an empty ingest request", "largest_ingest_bytes", "0", "must be a whole number of bytes"),
		Entry("of no requests", "requests_per_second", "0", "must be a whole number of requests from 1 to 1000000, or none"),
		Entry("of too many requests", "ingest_requests_per_second", "1000001", "must be a whole number of requests from 1"),
		Entry("of another basis", "due_date_basis", "payday", "must be issue_date or invoice_date"),
		Entry("of an unknown gateway", "payment_gateway", "barter", "must be manual or test"),
		Entry("of days that do not rise", "payment_retry_days", "4,1", "each larger than the one before"),
		Entry("of days of no number", "payment_retry_days", "1,", "numbers of days"),
		Entry("of no wait at all", "webhook_retries", "1m,0s", "durations from 1s"),
		Entry("of a wait of no unit", "webhook_retries", "60", "durations from 1s"),
		Entry("of messages that are not kept", "webhook_log_days", "0", "a whole number from 1"),
		Entry("of a day too far", "payment_retry_days", "366", "numbers of days up to 365"),
		Entry("of too many days", "payment_retry_days", "1,2,3,4,5,6,7,8,9,10,11", "at most 10 numbers"),
		Entry("of a charge below nothing", "smallest_charge", "-1", "must be an amount of money from 0"),
		Entry("of a blank name", "name", " ", "name: must not be empty"),
		Entry("of a zone of no place", "timezone", "Local", "timezone: must be an IANA"),
	)

	It("refuses simulated payments when it is live", func() {
		a := create(account.ModeLive)
		_, err := account.Set(ctx, st, a.ID, "payment_gateway", "test")
		Expect(fault.Is(err, fault.KindRefused)).To(BeTrue())
		Expect(account.Find(ctx, st, a.ID)).To(Equal(a))
	})

	It("is missing when it was not made", func() {
		_, err := account.Set(ctx, st, "acct_none", "name", "x")
		Expect(fault.Is(err, fault.KindMissing)).To(BeTrue())
		_, err = account.Find(ctx, st, "acct_none")
		Expect(fault.Is(err, fault.KindMissing)).To(BeTrue())
	})
})

var _ = Describe("A key", func() {
	var o owner
	BeforeEach(func() { o = newOwner() })

	opens := func(key string) (account.Account, error) {
		in, err := account.Authenticate(o.ctx, o.store, key)
		return in.Account, err
	}
	It("opens its account, and is known by its digest only", func() {
		k, key := o.create(account.NewKey{})
		Expect(key).To(MatchRegexp(`^tk_test_[0-9A-Za-z]{43}$`))
		Expect(key).To(HavePrefix(k.Hint))
		Expect(k.Hint).To(HaveLen(12))
		Expect(k.Hash).To(HaveLen(32))
		Expect(opens(key)).To(Equal(o.account))
		Expect(opens(key)).To(Equal(o.account))
	})

	It("can be one of one's own choice, once", func() {
		const text = "tk_test_of-my-own-choice"
		_, key := o.create(account.NewKey{Text: text})
		Expect(key).To(Equal(text))
		_, _, err := account.CreateKey(o.ctx, o.store, o.account.ID, account.NewKey{Name: "again", Text: text})
		Expect(fault.Is(err, fault.KindTaken)).To(BeTrue())
	})

	DescribeTable("is not made of",
		func(in account.NewKey, field string) {
			_, _, err := account.CreateKey(o.ctx, o.store, o.account.ID, in)
			Expect(err).To(MatchError(HavePrefix(field + ": ")))
			Expect(account.ListKeys(o.ctx, o.store, o.account.ID)).To(BeEmpty())
		},
		Entry("a blank name", account.NewKey{Name: " "}, "name"),
		Entry("a long name", account.NewKey{Name: strings.Repeat("n", 256)}, "name"),
		Entry("no scope", account.NewKey{Name: "k", Scopes: []account.Scope{}}, "scopes"),
		Entry("an unknown scope", account.NewKey{Name: "k", Scopes: []account.Scope{"read", "everything"}}, "scopes[1]"),
		Entry("a scope of an unknown resource", account.NewKey{Name: "k", Scopes: []account.Scope{"moon:read"}}, "scopes[0]"),
		Entry("a scope of an unknown access", account.NewKey{Name: "k", Scopes: []account.Scope{"invoices:ingest"}}, "scopes[0]"),
		Entry("no network", account.NewKey{Name: "k", Networks: []string{"10.0.0.0/8", "here"}}, "networks[1]"),
		Entry("too many networks", account.NewKey{Name: "k", Networks: slices.Repeat([]string{"::1"}, 51)}, "networks"),
		Entry("a short text", account.NewKey{Name: "k", Text: "letmein"}, "key"),
		Entry("a text with blanks", account.NewKey{Name: "k", Text: "let me in, let me in, please"}, "key"),
		Entry("a past lifetime", account.NewKey{Name: "k", Lifetime: new(-time.Hour)}, "lifetime"),
		Entry("a lifetime of nothing", account.NewKey{Name: "k", Lifetime: new(time.Duration(0))}, "lifetime"),
	)

	It("that was never issued opens nothing", func() {
		_, err := account.Authenticate(o.ctx, o.store, "tk_test_nobody")
		Expect(err).To(MatchError(account.ErrUnknownKey))
	})

	It("opens nothing once it is revoked", func() {
		k, key := o.create(account.NewKey{})
		first, err := account.RevokeKey(o.ctx, o.store, k.ID)
		Expect(err).NotTo(HaveOccurred())
		Expect(first.RevokedAt).NotTo(BeNil())
		_, err = account.Authenticate(o.ctx, o.store, key)
		Expect(err).To(MatchError(account.ErrUnknownKey))
		Expect(account.RevokeKey(o.ctx, o.store, k.ID)).To(Equal(first))
	})

	It("stops working within a second of being revoked while in use", func() {
		k, key := o.create(account.NewKey{})
		Expect(opens(key)).To(Equal(o.account))
		_, err := account.RevokeKey(o.ctx, o.store, k.ID)
		Expect(err).NotTo(HaveOccurred())
		Eventually(func() error {
			_, err := account.Authenticate(o.ctx, o.store, key)
			return err
		}).WithTimeout(3 * time.Second).Should(MatchError(account.ErrUnknownKey))
	})

	It("opens nothing once it has expired", func() {
		k, key := o.create(account.NewKey{Lifetime: new(time.Hour)})
		Expect(k.ExpiresAt.Sub(k.CreatedAt)).To(BeNumerically("~", time.Hour, time.Minute))
		o.exec("UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ?", k.ID)
		_, err := account.Authenticate(o.ctx, o.store, key)
		Expect(err).To(MatchError(account.ErrUnknownKey))
	})

	It("is remembered no longer than it lives", func() {
		now := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
		soon := now.Add(300 * time.Millisecond)
		Expect(account.Expiry(account.Key{ExpiresAt: &soon}, now)).To(Equal(soon))
		Expect(account.Expiry(account.Key{}, now)).To(Equal(now.Add(time.Second)))
	})

	It("bears its last use, written at most once a minute", func() {
		k, key := o.create(account.NewKey{})
		used := func() *time.Time {
			GinkgoHelper()
			keys, err := account.ListKeys(o.ctx, o.store, o.account.ID)
			Expect(err).NotTo(HaveOccurred())
			Expect(keys).To(HaveLen(1))
			return keys[0].LastUsedAt
		}
		use := func() {
			GinkgoHelper()
			account.Forget()
			Expect(opens(key)).To(Equal(o.account))
		}
		Expect(used()).To(BeNil())
		use()
		first := used()
		Expect(first).NotTo(BeNil())
		use()
		Expect(used()).To(Equal(first))
		o.exec("UPDATE api_keys SET last_used_at = last_used_at - interval '61 seconds' WHERE id = ?", k.ID)
		use()
		Expect(*used()).To(BeTemporally(">=", *first))
	})
})

package webhook_test

import (
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// soon is a little after all that was written by now.
func soon() time.Time { return time.Now().Add(time.Second).Truncate(time.Microsecond) }

var _ = Describe("A delivery", func() {
	var o outbox
	var e webhook.Endpoint
	BeforeEach(func() {
		o = open()
		e = o.endpoint()
	})
	only := func() webhook.Delivery {
		GinkgoHelper()
		all := o.log(webhook.Filter{EndpointID: e.ID})
		Expect(all).To(HaveLen(1))
		return all[0]
	}

	It("is due at once, in real time whatever the account's clock says (semantics 0.2.7)", func() {
		o.happens(webhook.CustomerCreated, "cus_1")
		Expect(only().CreatedAt).To(BeTemporally("==", time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)))
		_, found := o.claim(e.ID, time.Now().Add(-time.Hour))
		Expect(found).To(BeFalse())
		s, found := o.claim(e.ID, soon())
		Expect(found).To(BeTrue())
		Expect(s.Test).To(BeTrue())
		Expect(s.Body).To(ContainSubstring("cus_1"))
	})

	It("W-2: is tried again on the schedule, each wait up to a tenth longer, and then has failed (semantics 13.1.2)", func() {
		o.happens(webhook.CustomerCreated, "cus_1")
		now := soon()
		var body string
		for _, wait := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour} {
			s, found := o.claim(e.ID, now)
			Expect(found).To(BeTrue())
			if body == "" {
				body = s.Body
			}
			Expect(s.Body).To(Equal(body))
			o.answered(s, now, 500, 0)
			next := *only().NextAttemptAt
			Expect(next).To(And(BeTemporally(">=", now.Add(wait)), BeTemporally("<=", now.Add(wait+wait/10+1))))
			_, found = o.claim(e.ID, next.Add(-time.Microsecond))
			Expect(found).To(BeFalse())
			now = next
		}
		s, _ := o.claim(e.ID, now)
		o.answered(s, now, 500, 0)
		d := only()
		Expect(d.Status).To(Equal(webhook.StatusFailed))
		Expect(d.NextAttemptAt).To(BeNil())
		Expect(d.Attempts).To(HaveLen(7))
		_, found := o.claim(e.ID, now.AddDate(1, 0, 0))
		Expect(found).To(BeFalse())
	})

	DescribeTable("waits as long as the receiver asks, if that is longer, and not more than a day",
		func(asked, least, most time.Duration) {
			o.happens(webhook.CustomerCreated, "cus_1")
			now := soon()
			s, _ := o.claim(e.ID, now)
			o.answered(s, now, 503, asked)
			Expect(*only().NextAttemptAt).To(And(BeTemporally(">=", now.Add(least)), BeTemporally("<=", now.Add(most))))
		},
		Entry("shorter than the schedule", time.Second, time.Minute, 66*time.Second+1),
		Entry("longer", time.Hour, time.Hour, time.Hour),
		Entry("a year", 365*24*time.Hour, 24*time.Hour, 24*time.Hour),
	)

	It("is done with a 2xx, and never sent again by itself", func() {
		o.happens(webhook.CustomerCreated, "cus_1")
		now := soon()
		s, _ := o.claim(e.ID, now)
		Expect(o.answered(s, now, 204, 0)).To(BeFalse())
		Expect(only()).To(And(HaveField("Status", webhook.StatusDelivered), HaveField("NextAttemptAt", BeNil())))
		_, found := o.claim(e.ID, now.AddDate(1, 0, 0))
		Expect(found).To(BeFalse())
	})

	It("is at one server at a time, until that must have died", func() {
		o.happens(webhook.CustomerCreated, "cus_1")
		now := soon()
		dead, _ := o.claim(e.ID, now)
		_, found := o.claim(e.ID, now.Add(webhook.Lease-time.Microsecond))
		Expect(found).To(BeFalse())
		later := now.Add(webhook.Lease)
		s, found := o.claim(e.ID, later)
		Expect(found).To(BeTrue())
		o.answered(dead, later, 500, 0) // it was only slow: its failure is logged, and leaves the claim
		Expect(only()).To(And(HaveField("Status", webhook.StatusPending), HaveField("Attempts", HaveLen(1))))
		Expect(*only().ClaimedUntil).To(BeTemporally("==", *s.Delivery.ClaimedUntil))
		_, found = o.claim(e.ID, later.Add(time.Second))
		Expect(found).To(BeFalse())
		o.answered(s, later.Add(time.Second), 200, 0)
		Expect(only()).To(And(HaveField("Status", webhook.StatusDelivered), HaveField("Attempts", HaveLen(2))))
	})

	It("goes out in the order of creation, and one that fails holds up no other (semantics 13.1.4)", func() {
		o.happens(webhook.CustomerCreated, "a", "b", "c")
		order := o.log(webhook.Filter{})
		now := soon()
		for k := range order {
			s, found := o.claim(e.ID, now)
			Expect(found).To(BeTrue())
			Expect(s.Delivery.ID).To(Equal(order[k].ID))
			o.answered(s, now, []int{500, 200, 200}[k], 0)
		}
		_, found := o.claim(e.ID, now)
		Expect(found).To(BeFalse())
	})

	It("is claimed once, however many servers look", func() {
		const messages, servers = 12, 4
		for k := range messages {
			o.happens(webhook.CustomerCreated, string(rune('a'+k)))
		}
		now := soon()
		var mu sync.Mutex
		var claimed []string
		var all sync.WaitGroup
		for range servers {
			all.Go(func() {
				defer GinkgoRecover()
				for looks, misses := 0, 0; misses < 3 && looks < 2*messages; looks++ { // one may find none while others claim
					s, found := o.claim(e.ID, now)
					if !found {
						misses++
						continue
					}
					mu.Lock()
					claimed = append(claimed, s.Delivery.ID)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		Expect(claimed).To(HaveLen(messages))
		slices.Sort(claimed)
		Expect(slices.Compact(claimed)).To(HaveLen(messages))
	})

	It("is passed over by a server while another one claims it", func() {
		o.happens(webhook.CustomerCreated, "a", "b")
		now := soon()
		var first webhook.Sending
		o.do(func(tx *store.Tx) (err error) {
			if first, _, err = webhook.Claim(tx, e.ID, now); err != nil {
				return err
			}
			second, found := o.claim(e.ID, now)
			Expect(found).To(BeTrue())
			Expect(second.Delivery.ID).NotTo(Equal(first.Delivery.ID))
			return nil
		})
	})

	It("waits while its endpoint is disabled, and what happens meanwhile is not kept", func() {
		o.happens(webhook.CustomerCreated, "before")
		o.edit(e.ID, disable)
		o.happens(webhook.CustomerCreated, "meanwhile")
		_, found := o.claim(e.ID, soon())
		Expect(found).To(BeFalse())
		Expect(o.due()).To(BeEmpty())
		o.edit(e.ID, enable)
		Expect(o.due()).To(Equal([]string{e.ID}))
		s, _ := o.claim(e.ID, soon())
		Expect(s.Body).To(ContainSubstring("before"))
		_, found = o.claim(e.ID, soon())
		Expect(found).To(BeFalse())
	})

	It("is sent again by hand with the same body, on a new schedule, unless its endpoint is disabled", func() {
		o.setting("webhook_retries", "1m")
		o.happens(webhook.CustomerCreated, "cus_1")
		now := soon()
		for range 2 {
			s, _ := o.claim(e.ID, now)
			o.answered(s, now, 500, 0)
			now = now.Add(2 * time.Minute)
		}
		failed := only()
		Expect(failed.Status).To(Equal(webhook.StatusFailed))
		resend := func() error {
			return o.try(func(tx *store.Tx) error { _, err := webhook.Resend(tx, failed.ID); return err })
		}
		o.edit(e.ID, disable)
		Expect(fault.Is(resend(), fault.KindRefused)).To(BeTrue())
		o.edit(e.ID, enable)
		Expect(resend()).To(Succeed())
		s, found := o.claim(e.ID, soon())
		Expect(found).To(BeTrue())
		Expect(s.Delivery.MessageID).To(Equal(failed.MessageID))
		o.answered(s, soon(), 500, 0)
		Expect(only()).To(And(HaveField("Status", webhook.StatusPending), HaveField("Attempts", HaveLen(3))))
	})

	It("is sent again with all that a filter lets through", func() {
		o.happens(webhook.CustomerCreated, "a")
		o.happens(webhook.CustomerEdited, "b")
		now := soon()
		for range 2 {
			s, _ := o.claim(e.ID, now)
			o.answered(s, now, 200, 0)
		}
		o.do(func(tx *store.Tx) error {
			n, err := webhook.ResendAll(tx, webhook.Filter{EndpointID: e.ID, Type: webhook.CustomerEdited})
			Expect(n).To(BeEquivalentTo(1))
			return err
		})
		Expect(o.log(webhook.Filter{Status: webhook.StatusPending})).To(HaveExactElements(HaveField("Type", webhook.CustomerEdited)))
	})

	It("keeps every attempt, and is pending exactly while another is planned, whatever is answered", func() {
		o.setting("webhook_retries", "1m,5m,30m")
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			one := o.endpoint()
			defer o.do(func(tx *store.Tx) error { return webhook.RemoveEndpoint(tx, one.ID) })
			o.happens(webhook.CustomerCreated, "cus_1")
			now, tries := soon(), 0
			for _, status := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 200, 299, 302, 404, 429, 500, 503}), 1, 6).Draw(rt, "answers") {
				s, found := o.claim(one.ID, now)
				if !found {
					break
				}
				o.answered(s, now, status, time.Duration(rapid.IntRange(0, 3600).Draw(rt, "retry after"))*time.Second)
				tries++
				d := o.log(webhook.Filter{EndpointID: one.ID})[0]
				want := webhook.StatusPending
				switch {
				case status >= 200 && status < 300:
					want = webhook.StatusDelivered
				case tries == 4:
					want = webhook.StatusFailed
				}
				if d.Status != want || len(d.Attempts) != tries || (d.NextAttemptAt != nil) != (want == webhook.StatusPending) {
					rt.Fatalf("%d after %d attempts: %s, %d attempts, next at %v", status, tries, d.Status, len(d.Attempts), d.NextAttemptAt)
				}
				if d.NextAttemptAt != nil {
					if d.NextAttemptAt.Before(now.Add(time.Minute)) {
						rt.Fatalf("again after %s", d.NextAttemptAt.Sub(now))
					}
					now = *d.NextAttemptAt
				}
			}
		})
	})
})

// due names the endpoints of the account that have something to be sent.
func (o outbox) due() (ids []string) {
	GinkgoHelper()
	all, err := webhook.AllDue(o.ctx, o.store, soon())
	Expect(err).NotTo(HaveOccurred())
	for _, d := range all {
		if d.AccountID == store.AccountID(o.ctx) {
			ids = append(ids, d.EndpointID)
		}
	}
	return ids
}

var _ = Describe("An endpoint is given up", func() {
	var o outbox
	var e webhook.Endpoint
	BeforeEach(func() {
		o = open()
		e = o.endpoint()
	})
	// answers puts so many deliveries on record that were answered so at an instant.
	answers := func(n, status int, at time.Time) {
		GinkgoHelper()
		o.do(func(tx *store.Tx) error {
			return tx.Exec(`WITH m AS (INSERT INTO webhook_messages (account_id, id, created_at, type, body) VALUES (@account, @id, now(), 'customer.created', '{}') RETURNING id)
				INSERT INTO webhook_deliveries (account_id, id, created_at, endpoint_id, message_id, type, status, attempts, tries, next_attempt_at, last_attempt_at, last_status)
				SELECT @account, @id || g, now(), @endpoint, m.id, 'customer.created', 'failed', '[]', 1, NULL, @at, @status FROM m, generate_series(1, @n) AS g`,
				map[string]any{"account": tx.AccountID, "id": store.NewID("wh"), "endpoint": e.ID, "at": at, "status": status, "n": n}).Error
		})
	}
	// fails lets one more fail, and tells whether the endpoint was given up.
	fails := func(now time.Time, status int) bool {
		GinkgoHelper()
		o.happens(webhook.CustomerCreated, "cus_1")
		s, found := o.claim(e.ID, now)
		Expect(found).To(BeTrue())
		disabled := o.answered(s, now, status, 0)
		Expect(o.find(e.ID).Enabled).To(Equal(!disabled))
		return disabled
	}

	DescribeTable("that answered with a fault of its own to more than 99 of 100 in a week, of at least 100 (semantics 13.1.3)",
		func(faults, others int, ago time.Duration, status int, givenUp bool) {
			now := soon()
			answers(faults, 500, now.Add(-ago))
			answers(others, 200, now.Add(-time.Hour))
			Expect(fails(now, status)).To(Equal(givenUp))
		},
		Entry("the hundredth", 99, 0, time.Hour, 500, true),
		Entry("one fewer", 98, 0, time.Hour, 500, false),
		Entry("exactly 99 of 100", 98, 1, time.Hour, 500, false),
		Entry("more than 99 of 100", 199, 1, time.Hour, 500, true),
		Entry("almost a week ago", 99, 0, 7*24*time.Hour-time.Second, 500, true),
		Entry("a week ago", 99, 0, 7*24*time.Hour, 500, false),
		Entry("by what is no fault of its own", 99, 0, time.Hour, 404, false),
	)

	It("that says it is gone, at once, and the delivery has failed (semantics 13.1.2)", func() {
		Expect(fails(soon(), 410)).To(BeTrue())
		Expect(o.log(webhook.Filter{})).To(HaveExactElements(HaveField("Status", webhook.StatusFailed)))
	})
})

var _ = Describe("Messages are kept as many days as the account says", func() {
	It("and are deleted then with their deliveries, in real time", func() {
		o := open()
		o.setting("webhook_log_days", 3)
		o.endpoint()
		o.happens(webhook.CustomerCreated, "cus_1")
		forget := func(now time.Time) {
			GinkgoHelper()
			Expect(o.store.Shared(o.ctx, func(db *gorm.DB) error { _, err := webhook.Forget(db, now); return err })).To(Succeed())
		}
		forget(time.Now().AddDate(0, 0, 3).Add(-2 * time.Hour)) // less what a change of the clock takes
		Expect(o.log(webhook.Filter{})).To(HaveLen(1))
		forget(time.Now().AddDate(0, 0, 3).Add(2 * time.Hour))
		Expect(o.log(webhook.Filter{})).To(BeEmpty())
	})
})

package server_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/server"
	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = Describe("Verifying the books", func() {
	var s fixture
	var buyer, sub string
	// verified looks through the account's books.
	verified := func() worker.Verification {
		GinkgoHelper()
		v, err := worker.Verify(s.ctx, s.store, store.AccountID(s.ctx))
		Expect(err).NotTo(HaveOccurred())
		return v
	}
	// changed are so many invoices that cannot be compared any more.
	changed := func(count int) map[string]int {
		return map[string]int{"its usage or terms changed since the issue, or are not kept": count}
	}
	// interval is a price interval of the subscription.
	interval := func(k int) string {
		GinkgoHelper()
		return s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", k).text("id")
	}
	// trade fills the books of an account.
	trade := func(api *api) {
		GinkgoHelper()
		s = api.newFixture("2025-01-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		s.moveBalance(buyer, "5")
		sub = s.subscribe(buyer, nil, s.fee("10"), s.calls("0.3333")).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "7", "2.5")
		s.clock("2025-02-01T12:00:00Z")
		bill := s.invoices(sub).entry("data", 2)
		s.post("/v1/credit_notes", object{"line_items": list{credited(bill.at("line_items[0].id"), "6")}}).expect(201)
		s.post("/v1/invoices", s.oneOff(buyer, object{"invoice_date": "2025-02-01", "will_auto_issue": true, "discount": object{
			"discount_type": "percentage", "percentage_discount": 0.1,
		}})).expect(201)
	}

	It("finds nothing wrong, and works all of them out anew", func() {
		trade(startAlone())
		Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 3, Referred: 3}))
		s.account("test")
		v, err := worker.Verify(s.ctx, s.store, "")
		Expect(err).NotTo(HaveOccurred())
		Expect(v).To(Equal(worker.Verification{Invoices: 3, Recomputed: 3, Referred: 3}), "with an empty account beside it")
		s.owner("INSERT INTO dropped_event_months VALUES ('2025-01-01Z', '2025-02-01Z')")
		Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 2, Referred: 2, LeftOut: changed(1)}), "without the events of the month")
	})

	It("does not judge invoices by usage that came after their issue, or by terms that did", func() {
		trade(start())
		s.use(buyer, "2025-02-01T00:00:00Z", "4")
		Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 3, Referred: 3}))
		s.setting("grace_period_seconds", 40*24*3600)
		s.use(buyer, "2025-01-31T00:00:00Z", "100")
		Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 2, Referred: 2, LeftOut: changed(1)}))
		s.cancel(sub, nil).expect(200)
		v := verified()
		Expect(v.Findings).To(BeEmpty())
		Expect(v.Recomputed).To(BeNumerically("<", v.Invoices))
	})

	DescribeTable("works out by the terms of its issue what was issued before",
		func(change func()) {
			trade(start())
			change()
			v := verified()
			Expect(v.Findings).To(BeEmpty())
			Expect(v.Recomputed).To(Equal(v.Invoices))
			*s.spoiled = true
			owned := "WHERE account_id = '" + store.AccountID(s.ctx) + "'"
			s.owner(`UPDATE events SET properties = '{"n": 8}' ` + owned + ` AND properties = '{"n": 7}'`)
			Expect(verified().Findings).NotTo(BeEmpty(), "an event that somebody changed")
			s.owner(`UPDATE events SET properties = '{"n": 7}' ` + owned + ` AND properties = '{"n": 8}'`)
			Expect(verified().Findings).To(BeEmpty())
			s.owner(`ALTER TABLE terms_revisions DISABLE TRIGGER keep;
				UPDATE terms_revisions SET price_intervals = replace(price_intervals::text, '"filter": null', '"filter": "n > 7"')::jsonb ` + owned + `;
				ALTER TABLE terms_revisions ENABLE TRIGGER keep`)
			Expect(verified().Findings).NotTo(BeEmpty(), "terms that somebody changed")
		},
		Entry("a price ended", func() { s.intervals(sub, edit(interval(1), object{"end_date": "2025-02-11"})).expect(200) }),
		Entry("a fee was removed", func() { s.intervals(sub, edit(interval(0), object{"end_date": "2025-01-01"})).expect(200) }),
		Entry("a price began later", func() { s.intervals(sub, edit(interval(1), object{"start_date": "2025-01-11"})).expect(200) }),
		Entry("other events counted", func() { s.intervals(sub, edit(interval(1), object{"filter": "n > 5"})).expect(200) }),
		Entry("a discount was added", func() {
			off := object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5, "applies_to_all": true}
			s.intervals(sub, object{"add_adjustments": list{object{"adjustment": off, "start_date": "2025-01-01"}}}).expect(200)
		}),
		Entry("a coupon was redeemed at the instant of its issue", func() {
			s.coupon(percent("A", "0.5"), nil)
			s.redeem(sub, "A", object{"change_option": "immediate"}).expect(200)
		}),
		Entry("a fee had another quantity", func() {
			fee := s.get("/v1/subscriptions/" + sub).expect(200).at("price_intervals[0].price.id")
			s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": fee, "quantity": 3}).expect(200)
		}),
		Entry("the plan changed", func() { s.move(sub, s.plan(nil, s.fee("20")).text("id"), object{}).expect(200) }),
		Entry("the subscription was canceled", func() { s.cancel(sub, object{"cancel_option": "immediate"}).expect(200) }),
		Entry("all of that, again and again", func() {
			s.intervals(sub, edit(interval(0), object{"end_date": "2025-02-11"})).expect(200)
			s.intervals(sub, edit(interval(0), object{"end_date": nil})).expect(200)
			s.clock("2025-03-10T00:00:00Z")
			s.use(buyer, "2025-03-10T00:00:00Z", "3")
			s.intervals(sub, edit(interval(1), object{"end_date": "2025-03-10"})).expect(200)
			s.move(sub, s.plan(nil, s.fee("20"), s.calls("2.00")).text("id"), object{}).expect(200)
			s.clock("2025-05-01T12:00:00Z")
			s.cancel(sub, asOf("2025-04-15")).expect(200)
		}),
	)

	Describe("with invoices that were issued while adjustments worked on each document alone", func() {
		// before makes the invoices those of the rule before: the first month had its part of the minimum, and the percentage
		// of what was invoiced to date.
		var owned string
		BeforeEach(func() {
			s = start().newFixture("2025-01-01T00:00:00Z")
			buyer = s.buyer(object{"currency": "USD"})
			inParts := object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
			least := object{"adjustment_type": "minimum", "minimum_amount": "90.00", "item_id": s.item, "applies_to_all": true}
			sub = s.subscribe(buyer, object{"add_adjustments": list{object{"adjustment": least}}}, with(s.calls("1.00"), inParts), object{
				"name": "Support", "item_id": s.item, "cadence": "monthly", "model_type": "percent", "percent_config": object{"percent": json.Number("0.1")},
			}).text("id")
			for _, month := range []string{"2025-01", "2025-02"} {
				s.clock(month + "-10T00:00:00Z")
				s.use(buyer, month+"-10T00:00:00Z", "10")
			}
			s.clock("2025-03-02T00:00:00Z")
			Expect(verified().Findings).To(BeEmpty())
			*s.spoiled = true
			owned = " WHERE account_id = '" + store.AccountID(s.ctx) + "'"
			s.owner("SET session_replication_role = replica; UPDATE invoices SET adjustment_rule = 0" + owned)
		})
		// alter changes issued lines, with the totals that follow.
		alter := func(set, which string) {
			GinkgoHelper()
			s.owner("SET session_replication_role = replica; UPDATE invoice_lines SET " + set + owned + which)
		}
		wrong := func() (all []string) {
			GinkgoHelper()
			for _, f := range verified().Findings {
				if strings.Contains(f.Wrong, "computed from") || strings.Contains(f.Wrong, "reference model") {
					all = append(all, f.Wrong)
				}
			}
			return all
		}
		It("finds nothing wrong in what the other rule made", func() {
			alter("adjusted_subtotal = adjusted_subtotal + 20, amount = amount + 20", " AND name = 'Calls'")
			alter("subtotal = 2, exact = 2, adjusted_subtotal = 2, amount = 2", " AND name = 'Support' AND subtotal = 1")
			Expect(wrong()).To(BeEmpty())
			v := verified()
			Expect(v.Recomputed).To(Equal(v.Invoices))
			Expect(v.Referred).To(Equal(v.Invoices))
			s.owner("SET session_replication_role = replica; UPDATE invoices SET adjustment_rule = 1" + owned)
			Expect(wrong()).NotTo(BeEmpty())
		})
		It("finds what both rules rate alike", func() {
			alter("quantity = quantity + 1, subtotal = subtotal + 1, exact = exact + 1", " AND name = 'Calls'")
			Expect(wrong()).To(ContainElements(ContainSubstring("the quantity is"), ContainSubstring("the subtotal is")))
		})
	})

	Describe("with partial invoices", func() {
		// exceed has used more than a threshold, under a discount, a minimum and credits.
		exceed := func() {
			GinkgoHelper()
			s = newFixture("2025-01-01T00:00:00Z")
			buyer = s.buyer(object{"currency": "USD"})
			s.entry(buyer, object{"entry_type": "increment", "amount": 3, "currency": "USD"})
			off := object{"adjustment": object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5, "applies_to_all": true}}
			least := object{"adjustment": object{"adjustment_type": "minimum", "minimum_amount": "90.00", "item_id": s.item, "applies_to_all": true}}
			sub = s.subscribe(buyer, object{"invoicing_threshold": "10.00", "add_adjustments": list{off, least}}, s.calls("1.00"), s.fee("5.00")).text("id")
			s.clock("2025-01-11T00:00:00Z")
			s.use(buyer, "2025-01-11T00:00:00Z", "30", "7")
			s.clock("2025-01-11T00:00:00Z")
			s.use(buyer, "2025-01-10T14:00:00Z", "2")
			s.use(buyer, "2025-01-11T00:00:00Z", "21")
			s.clock("2025-01-11T00:00:00Z")
			s.use(buyer, "2025-01-11T00:00:00Z", "1")
			Expect(s.bills(sub)).To(ContainElements("2025-01-11 issued 15.50", "2025-01-11 issued 11.50"))
		}
		owned := func(statement string) string {
			return strings.ReplaceAll(statement, "ours", "account_id = '"+store.AccountID(s.ctx)+"'")
		}

		It("works them out from the events that they have seen, by the terms of then", func() {
			exceed()
			Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 3, Referred: 3}))
			s.coupon(percent("A", "0.5"), nil)
			s.redeem(sub, "A", object{"change_option": "immediate"}).expect(200)
			Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 3, Referred: 3}))
			s.clock("2025-02-02T00:00:00Z")
			v := verified()
			Expect(v.Findings).To(BeEmpty())
			Expect(v.Recomputed).To(Equal(v.Invoices))
		})

		It("leaves those alone whose usage was corrected since, or that kept no moment", func() {
			exceed()
			s.owner(owned(`ALTER TABLE invoices DISABLE TRIGGER USER;
				UPDATE invoices SET seen = NULL WHERE ours AND seq = (SELECT min(seq) FROM invoices WHERE ours AND source = 'partial');
				ALTER TABLE invoices ENABLE TRIGGER USER`))
			Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 2, Referred: 2, LeftOut: changed(1)}))
			s.put("/v1/events/e000001", object{"event_name": "call", "customer_id": buyer, "timestamp": "2025-01-11T00:00:00Z", "properties": object{"n": 4}}).expect(200)
			Expect(verified()).To(Equal(worker.Verification{Invoices: 3, Recomputed: 1, Referred: 1, LeftOut: changed(2)}))
		})

		DescribeTable("finds what somebody changed behind our back",
			func(words, statement string) {
				exceed()
				*s.spoiled = true
				s.owner(owned(statement))
				found := verified().Findings
				Expect(found).NotTo(BeEmpty())
				Expect(found[0].Wrong).To(ContainSubstring(words))
			},
			Entry("an event that it has seen", "the quantity is 37, but 38 computed from events and prices",
				`UPDATE events SET properties = '{"n": 31}' WHERE ours AND properties = '{"n": 30}'`),
			Entry("an event that the second one has seen", "the quantity is 60, but 61 computed from events and prices",
				`UPDATE events SET properties = '{"n": 22}' WHERE ours AND properties = '{"n": 21}'`),
			Entry("what it has seen", "the quantity is 37, but 61 computed from events and prices",
				`ALTER TABLE invoices DISABLE TRIGGER USER; UPDATE invoices SET seen = event_moment() WHERE ours AND source = 'partial'; ALTER TABLE invoices ENABLE TRIGGER USER`),
			Entry("its whole line, so that it adds up", "the quantity is 38, but 37 computed from events and prices",
				`ALTER TABLE invoice_lines DISABLE TRIGGER USER; UPDATE invoice_lines SET quantity = 38 WHERE ours AND quantity = 37; ALTER TABLE invoice_lines ENABLE TRIGGER USER`),
		)
	})

	It("keeps terms of the past from being changed", func() {
		trade(start())
		s.cancel(sub, object{"cancel_option": "immediate"}).expect(200)
		for _, statement := range []string{"UPDATE terms_revisions SET revision = 7", "DELETE FROM terms_revisions"} {
			Expect(s.store.Update(s.ctx, func(tx *store.Tx) error { return tx.Exec(statement).Error })).To(MatchError(ContainSubstring("cannot change")))
		}
	})

	It("works out from events, so that it finds an invoice that buckets made wrong", func() {
		s = newFixture("2025-01-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		sub = s.subscribe(buyer, nil, s.calls("0.50")).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "7", "2.5")
		s.settle()
		*s.spoiled = true
		s.tx(func(tx *store.Tx) error {
			return tx.Exec("UPDATE usage_buckets SET totals = (SELECT array_agg(t + 1) FROM unnest(totals) AS t) WHERE account_id = ?", tx.AccountID).Error
		})
		s.clock("2025-02-01T12:00:00Z")
		findings := verified().Findings
		Expect(findings).NotTo(BeEmpty())
		Expect(findings[0].Wrong).To(ContainSubstring("from events and prices"))
	})

	DescribeTable("finds what somebody changed behind our back",
		func(words, table, statement string) {
			trade(start())
			*s.spoiled = true
			statement = strings.ReplaceAll(statement, "ours", "account_id = '"+store.AccountID(s.ctx)+"'")
			s.owner("ALTER TABLE " + table + " DISABLE TRIGGER USER; " + statement + "; ALTER TABLE " + table + " ENABLE TRIGGER USER")
			v := verified()
			Expect(v.Findings).NotTo(BeEmpty())
			told := []string{}
			for _, f := range v.Findings {
				Expect(f.Account).To(Equal(store.AccountID(s.ctx)))
				told = append(told, f.Wrong)
			}
			Expect(told).To(ContainElement(ContainSubstring(words)))
		},
		Entry("a total", "the total is", "invoices", "UPDATE invoices SET total = total + 1 WHERE ours AND status <> 'draft'"),
		Entry("an amount due", "the amount due at its issue is", "invoices", "UPDATE invoices SET amount_due = amount_due + 1 WHERE ours AND status = 'issued'"),
		Entry("what was credited", "what its credit notes took off is", "invoices", "UPDATE invoices SET credited = 0.01 WHERE ours AND status = 'issued'"),
		Entry("an amount of a line", "the amount is", "invoice_lines", "UPDATE invoice_lines SET amount = amount + 1 WHERE ours"),
		Entry("a subtotal", "the subtotal is", "invoice_lines", "UPDATE invoice_lines SET subtotal = subtotal + 1 WHERE ours"),
		Entry("an exact subtotal", "the exact subtotal is", "invoice_lines", "UPDATE invoice_lines SET exact = exact + 0.001 WHERE ours"),
		Entry("an adjusted subtotal", "the adjusted subtotal is", "invoice_lines", "UPDATE invoice_lines SET adjusted_subtotal = adjusted_subtotal + 1 WHERE ours"),
		Entry("a quantity", "the quantity is", "invoice_lines", "UPDATE invoice_lines SET quantity = quantity + 1 WHERE ours AND name = 'Calls'"),
		Entry("an event", "from events and prices", "events", `UPDATE events SET properties = '{"n": 8}' WHERE ours AND properties = '{"n": 7}'`),
		Entry("a line that is gone", "the total is", "invoice_lines", "DELETE FROM invoice_lines WHERE ours AND name = 'Calls'"),
		Entry("a line of a credit note", "its lines sum to", "credit_note_lines", "UPDATE credit_note_lines SET amount = 5 WHERE ours"),
		Entry("a credit note of too much", "gave back", "credit_note_lines", "UPDATE credit_note_lines SET amount = 50 WHERE ours"),
		Entry("a balance", "the balance does not follow", "customers", "UPDATE customers SET balance = balance + 1 WHERE ours"),
		Entry("a transaction of a balance", "the balance does not follow", "balance_transactions",
			"UPDATE balance_transactions SET ending_balance = 7 WHERE ours AND action = 'manual_adjustment'"),
		Entry("an entry of a ledger", "an entry of the credit ledger is missing", "ledger_entries", `
			INSERT INTO credit_ledgers SELECT account_id, id, 'credits' FROM customers WHERE ours;
			INSERT INTO credit_blocks (account_id, id, created_at, customer_id, currency, source, status, initial_balance, balance, effective_at)
				SELECT account_id, 'block', created_at, id, 'credits', 'manual', 'active', 1, 1, created_at FROM customers WHERE ours;
			INSERT INTO ledger_entries (account_id, id, created_at, customer_id, currency, sequence, kind, status, amount, starting_balance, ending_balance, block_id)
				SELECT account_id, 'entry', created_at, id, 'credits', 2, 'increment', 'committed', 1, 0, 1, 'block' FROM customers WHERE ours`),
	)

	It("says what it found where probes and monitors look", func() {
		trade(startAlone())
		served := server.New(server.Config{Store: s.store, ProbesEvery: time.Nanosecond, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil))})
		front := httptest.NewServer(served.Handler())
		DeferCleanup(front.Close)
		look := func(path string) (int, string) {
			GinkgoHelper()
			response, err := http.Get(front.URL + path)
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = response.Body.Close() }()
			text, err := io.ReadAll(response.Body)
			Expect(err).NotTo(HaveOccurred())
			return response.StatusCode, string(text)
		}
		status, text := look("/readyz?deep")
		Expect(status).To(Equal(200))
		Expect(text).To(ContainSubstring("not verified yet"))

		done, err := served.Worker().VerifyBooks(s.ctx, billing.Sample{})
		Expect(done, err).To(BeTrue())
		status, text = look("/readyz?deep")
		Expect(status).To(Equal(200))
		Expect(text).To(Equal("ready; 3 invoices verified\n"))
		_, text = look("/metrics")
		Expect(text).To(ContainSubstring(`tollkeeper_verified{what="findings"} 0`))

		s.owner("UPDATE customers SET balance = balance + 1")
		done, err = served.Worker().VerifyBooks(s.ctx, billing.Sample{})
		Expect(done, err).To(BeTrue())
		status, text = look("/readyz?deep")
		Expect(status).To(Equal(503))
		Expect(text).To(ContainSubstring("1 findings"))
		status, _ = look("/readyz")
		Expect(status).To(Equal(200))
		_, text = look("/metrics")
		Expect(text).To(ContainSubstring(`tollkeeper_verified{what="findings"} 1`))

		release, free, err := s.store.Lock(s.ctx, "verify the books")
		Expect(free, err).To(BeTrue())
		defer release()
		done, err = served.Worker().VerifyBooks(s.ctx, billing.Sample{})
		Expect(done, err).To(BeFalse(), "another server is at it")
	})
})

package server_test

import (
	"context"
	"os"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/seal"
	"tollkeeper/server/worker"
	"tollkeeper/store"
)

// Corruptions are planted as the owner of the database, with triggers and constraints off: as
// a faulty disk, a restore of some tables or a person with access would bring them about. An
// innocent account beside the corrupted one has no findings.
var _ = Describe("Verifying records", func() {
	var s fixture
	var buyer string

	verified := func(a *api) worker.Verification {
		GinkgoHelper()
		v, err := worker.Verify(a.ctx, a.store, store.AccountID(a.ctx))
		Expect(err).NotTo(HaveOccurred())
		return v
	}
	// sealed seals all that is final.
	sealed := func() {
		GinkgoHelper()
		for more := true; more; {
			var err error
			more, err = seal.Documents(context.Background(), s.store)
			Expect(err).NotTo(HaveOccurred())
		}
	}
	// trade fills an account with events, buckets of all kinds and documents of all kinds.
	trade := func(a *api) {
		GinkgoHelper()
		s = a.newFixture("2025-01-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		s.moveBalance(buyer, "5")
		s.entry(buyer, object{"entry_type": "increment", "amount": 3, "currency": "credits"})
		s.entry(buyer, object{"entry_type": "decrement", "amount": 1, "currency": "credits"})
		distinct := s
		distinct.metric = a.metric("SELECT COUNT(DISTINCT n) FROM events WHERE event_name = 'call'")
		sub := s.subscribe(buyer, nil, s.fee("10"), s.calls("0.3333"), distinct.calls("0.01")).text("id")
		s.use(buyer, "2025-01-01T00:00:00Z", "7", "2.5")
		s.clock("2025-01-02T00:00:00Z")
		s.use(buyer, "2025-01-02T00:00:00Z", "4")
		s.settle()
		s.clock("2025-02-01T12:00:00Z")
		s.settle()
		bill := s.invoices(sub).entry("data", 2)
		s.post("/v1/credit_notes", object{"line_items": list{credited(bill.at("line_items[0].id"), "6")}}).expect(201)
		sealed()
	}

	plants := func(words, statement string) {
		trade(shared.account("test"))
		Expect(verified(s.api).Findings).To(BeEmpty(), "before")
		innocent := shared.account("test")
		statement = regexp.MustCompile(`\bours\b`).ReplaceAllString(statement, "account_id = '"+store.AccountID(s.ctx)+"'")
		s.owner("SET session_replication_role = replica; " + statement)
		told := []string{}
		for _, f := range verified(s.api).Findings {
			Expect(f.Account).To(Equal(store.AccountID(s.ctx)))
			told = append(told, f.Wrong)
		}
		Expect(told).To(ContainElement(ContainSubstring(words)))
		Expect(verified(innocent).Findings).To(BeEmpty())
	}

	DescribeTable("finds events, keys and buckets that do not agree", plants,
		Entry("buckets doubled", "does not hold what its events come to", "UPDATE usage_buckets SET totals = ARRAY(SELECT 2 * t FROM unnest(totals) AS t) WHERE ours"),
		Entry("buckets deleted", "does not hold what its events come to", "DELETE FROM usage_buckets WHERE ours"),
		Entry("a bucket moved to an hour without events", "in which there was no event",
			"INSERT INTO usage_buckets SELECT account_id, grain, subject, hour + interval '9 hours', digest, keys, totals FROM usage_buckets WHERE ours"),
		Entry("buckets of six hours doubled", "does not hold what those of the hours come to",
			"UPDATE usage_buckets_6h SET totals = ARRAY(SELECT 2 * t FROM unnest(totals) AS t) WHERE ours"),
		Entry("buckets of six hours deleted", "does not hold what those of the hours come to", "DELETE FROM usage_buckets_6h WHERE ours"),
		Entry("values that are counted once deleted", "is noted for other hours", "DELETE FROM usage_values WHERE ours"),
		Entry("values that are counted once noted for another hour", "is noted for other hours", "UPDATE usage_values SET hours = hours | (hours >> 1) WHERE ours"),
		Entry("the number of events of an hour", "events in that hour", "UPDATE usage_volumes SET events = events + 1 WHERE ours"),
		Entry("event keys deleted", "the event has no key", "DELETE FROM event_keys WHERE ours"),
		Entry("an event key that leads elsewhere", "the key leads to no event", "UPDATE event_keys SET seq = seq + 500000 WHERE ours AND idempotency_key = 'e000001'"),
		Entry("an event key that is there twice", "the key is there more than once",
			"SELECT open_key_part(0); INSERT INTO event_keys SELECT (SELECT max(part) FROM event_key_parts), account_id, idempotency_key, seq FROM event_keys WHERE ours"),
		Entry("an event deleted", "the key leads to no event", "DELETE FROM events WHERE ours AND idempotency_key = 'e000001'"),
		Entry("an event stored twice", "the event is stored more than once", "INSERT INTO events SELECT * FROM events WHERE ours"),
	)

	DescribeTable("finds rows that are gone", plants,
		Entry("the row of an issued invoice", "and invoices has no such row", "DELETE FROM invoices WHERE ours AND status <> 'draft'"),
		Entry("an issued invoice with its lines", "the last one has", `DELETE FROM invoice_lines WHERE ours; DELETE FROM invoices WHERE ours AND status <> 'draft'`),
		Entry("an invoice between two numbers", "are gone", "DELETE FROM invoices WHERE ours AND number LIKE '%-00001'"),
		Entry("a customer", "and customers has no such row", "DELETE FROM customers WHERE ours"),
		Entry("a credit block", "and credit_blocks has no such row", "DELETE FROM credit_blocks WHERE ours"),
		Entry("a credit note without its lines", "and credit_notes has no such row", "DELETE FROM credit_notes WHERE ours"),
		Entry("an entry of a ledger", "an entry of the credit ledger is missing", "DELETE FROM ledger_entries WHERE ours AND sequence = 1"),
	)

	DescribeTable("finds what was changed so that all else agrees, by its seal", plants,
		Entry("an invoice deleted with all that tells of it", "the invoice was final, and is gone", `
			DELETE FROM credit_note_lines WHERE ours; DELETE FROM credit_notes WHERE ours; DELETE FROM closed_days WHERE ours;
			DELETE FROM balance_transactions WHERE ours; UPDATE customers SET balance = 0, last_invoice_number = 0 WHERE ours;
			DELETE FROM payment_attempts WHERE ours; DELETE FROM invoice_lines WHERE ours; DELETE FROM invoices WHERE ours AND status <> 'draft'`),
		Entry("a transaction of a balance deleted, and the balance set", "the transaction of a balance was final, and is gone",
			"DELETE FROM balance_transactions WHERE ours; UPDATE customers SET balance = 0 WHERE ours"),
		Entry("the last entry of a ledger deleted, and the ledger set", "the entry of a credit ledger was final, and is gone", `
			DELETE FROM ledger_entries WHERE ours AND sequence = 2; UPDATE credit_ledgers SET balance = 3, last_sequence = 1 WHERE ours;
			UPDATE credit_blocks SET balance = 3 WHERE ours`),
		Entry("a memo of an invoice", "the invoice was changed after it was final", "UPDATE invoices SET memo = 'other' WHERE ours AND status <> 'draft'"),
		Entry("a name of a line", "the invoice was changed after it was final", "UPDATE invoice_lines SET name = 'Other' WHERE ours"),
		Entry("a reason of a credit note", "the credit note was changed after it was final", "UPDATE credit_notes SET memo = 'other' WHERE ours"),
		Entry("a seal deleted", "the chain of seals is broken", "DELETE FROM document_seals WHERE ours AND position = 1"),
		Entry("the end of the chain cut off", "the chain of seals ends after", "DELETE FROM document_seals WHERE ours AND position > 2"),
		Entry("a document sealed anew after a change", "the chain of seals is broken", `
			UPDATE invoices SET memo = 'other' WHERE ours AND status <> 'draft';
			UPDATE document_seals SET digest = document_digest(account_id, kind, document_id) WHERE ours`),
		Entry("all seals deleted", "it is final, and was not sealed", "DELETE FROM document_seals WHERE ours; DELETE FROM document_chains WHERE ours"),
	)

	It("seals what was there before there were seals", func() {
		trade(startAlone())
		s.owner(`DROP TABLE document_seals, document_chains, unsealed_documents;
			DROP TRIGGER to_seal_new ON invoices; DROP TRIGGER to_seal_issued ON invoices; DROP TRIGGER to_seal ON credit_notes;
			DROP TRIGGER to_seal ON balance_transactions; DROP TRIGGER to_seal_new ON ledger_entries; DROP TRIGGER to_seal_committed ON ledger_entries`)
		migration, err := os.ReadFile("../store/migrations/0023_document_seals.sql")
		Expect(err).NotTo(HaveOccurred())
		s.owner(string(migration)) // on a database with documents
		Expect(verified(s.api).Findings).To(BeEmpty(), "noted, and not sealed yet")
		sealed()
		Expect(verified(s.api).Findings).To(BeEmpty())
		s.owner("SET session_replication_role = replica; UPDATE invoices SET memo = 'other' WHERE status <> 'draft'")
		Expect(verified(s.api).Findings).To(ContainElement(HaveField("Wrong", "the invoice was changed after it was final")))
	})

	It("says how old the result is", func() {
		a := startAlone()
		Expect(string(a.get("/metrics").text)).To(ContainSubstring("tollkeeper_verification_age_seconds -1"))
		Expect(a.server.Worker().VerifyBooks(a.ctx, billing.Sample{})).To(BeTrue())
		Expect(string(a.get("/metrics").text)).To(MatchRegexp(`tollkeeper_verification_age_seconds [0-9]`))
	})

	It("keeps seals out of reach of the server's role", func() {
		trade(start())
		for _, statement := range []string{
			"DELETE FROM document_seals", "UPDATE document_chains SET position = 0", "DELETE FROM unsealed_documents",
			"INSERT INTO unsealed_documents (account_id, kind, document_id) VALUES ('" + store.AccountID(s.ctx) + "', 'invoice', 'x')",
		} {
			Expect(s.store.Update(s.ctx, func(tx *store.Tx) error { return tx.Exec(statement).Error })).To(MatchError(ContainSubstring("permission denied")), statement)
		}
	})
})

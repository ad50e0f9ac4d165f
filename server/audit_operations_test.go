package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/examples"
	"tollkeeper/store/storetest"
)

// auditStory plays the story of the examples on a database whose statements fail, and gathers what is
// wrong with the audit log.
type auditStory struct {
	*teller
	whole  *api // the server whose statements do not fail
	broken *api // the same account, seen through the other one
	flaky  *storetest.FlakyConn
	owner  *pgx.Conn
	stride int // of statements, one fails

	audited map[string]int // changing operations: how often one of its statements failed
	silent  []string       // changing operations whose entry tells no row
	found   []string
	digest  string // the statement that digests all rows
}

// withoutRows are changing operations whose entry tells no row, with the reason.
var withoutRows = map[string]string{
	"testWebhookEndpoint":     "it sends a message and changes nothing",
	"resendWebhookDeliveries": "in the story, the delivery waits to be sent again already",

	"regenerateInvoicePDF": "it stores the same document as PDF again",
	"regenerateReceiptPDF": "likewise",

	"syncPaymentMethods":             "a customer without a payment provider has no methods",
	"syncPaymentMethodsByExternalID": "likewise",
}

func newAuditStory(stride int) *auditStory {
	GinkgoHelper()
	text, err := os.ReadFile(contractFile)
	Expect(err).NotTo(HaveOccurred())
	s := &auditStory{whole: startAlone(), stride: stride, audited: map[string]int{}}
	s.flaky = storetest.NewFlakyConn(s.whole.store)
	broken := *s.whole
	broken.url = serveOn(s.flaky.Store, 1).url
	s.broken = &broken
	s.owner, err = pgx.Connect(context.Background(), storetest.URL(s.whole.store))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(s.owner.Close, context.Background())
	s.teller = newTeller(s.whole, text)
	s.ask = s.tryAll
	return s
}

// tellsChanges reports whether the contract says that the operation changes something that the audit log tells.
func tellsChanges(op *examples.Operation) bool {
	GinkgoHelper()
	scope, _ := document().Paths.Find(op.Path).GetOperation(op.Method).Extensions["x-scope"].(string)
	return strings.HasSuffix(scope, ":write")
}

// tryAll sends the example of an operation again and again, each time with a later statement that fails,
// until none does. It returns the answer to the one that had its effect.
func (s *auditStory) tryAll(op *examples.Operation, path string, body any) *answer {
	GinkgoHelper()
	defer s.whole.server.Worker().DoImmediate(s.ctx) // so that nothing is left to do in the background
	if !tellsChanges(op) {
		r := s.whole.send(op.Method, path, body, header{"X-Request-Id", op.ID})
		if n := s.entries(op.ID); n != 0 {
			s.find(op, "changes nothing that the log tells, and has %d entries", n)
		}
		return r
	}
	s.audited[op.ID] = 0
	before := s.books()
	for n := 1 + rand.IntN(s.stride); ; n += s.stride {
		id := fmt.Sprint(op.ID, "-", n)
		s.flaky.Break(n, storetest.AtStatement)
		r := s.broken.send(op.Method, path, body, header{"X-Request-Id", id}, header{"Idempotency-Key", id})
		broke := s.flaky.Broke()
		after, entries := s.books(), s.entries(id)
		switch {
		case r.status == op.Status:
			if entries != 1 || after == before && !strings.HasPrefix(op.ID, "syncPaymentMethods") { // see withoutRows
				s.find(op, "statement %d: it has %d entries, and the books changed: %t", n, entries, after != before)
			}
			if s.rowsOf(id) == 0 {
				s.silent = append(s.silent, op.ID)
			}
			return r
		case !broke:
			return r // the story says what is wrong
		}
		s.audited[op.ID]++
		switch {
		case after == before && entries == 0:
		case entries == 1 && (after != before || withoutRows[op.ID] != ""):
			return s.again(op, path, body, id)
		default:
			s.find(op, "statement %d failed: it has %d entries, and the books changed: %t", n, entries, after != before)
		}
	}
}

// again sends a request once more that had its effect but no answer. It must have the same effect.
func (s *auditStory) again(op *examples.Operation, path string, body any, key string) *answer {
	GinkgoHelper()
	if op.Method == http.MethodDelete {
		return &answer{status: op.Status}
	}
	before := s.books()
	r := s.whole.send(op.Method, path, body, header{"Idempotency-Key", key})
	if s.books() != before {
		s.find(op, "had a part of its effect")
	}
	return r
}

func (s *auditStory) find(op *examples.Operation, format string, args ...any) {
	s.found = append(s.found, op.ID+": "+fmt.Sprintf(format, args...))
}

// entries counts the entries of a request.
func (s *auditStory) entries(request string) (n int) {
	GinkgoHelper()
	Expect(s.owner.QueryRow(context.Background(), "SELECT count(*) FROM audit_entries WHERE request_id = $1", request).Scan(&n)).To(Succeed())
	return n
}

// rowsOf counts the changed rows that the entries of a request tell.
func (s *auditStory) rowsOf(request string) (n int) {
	GinkgoHelper()
	Expect(s.owner.QueryRow(context.Background(), `SELECT count(*) FROM audit_changes AS c
		JOIN audit_entries AS e ON e.account_id = c.account_id AND e.id = c.entry_id WHERE e.request_id = $1`, request).Scan(&n)).To(Succeed())
	return n
}

// books is a digest of all rows but those of the audit log.
func (s *auditStory) books() (digest string) {
	GinkgoHelper()
	ctx := context.Background()
	if s.digest == "" {
		var parts string
		Expect(s.owner.QueryRow(ctx, `SELECT string_agg(format('SELECT %L AS name, md5(string_agg(row, '','' ORDER BY row)) AS rows
				FROM (SELECT (to_jsonb(t) - ''last_used_at'')::text AS row FROM %I AS t) AS r', c.relname, c.relname), ' UNION ALL ')
			FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND c.relname NOT LIKE 'audit\_%'`).Scan(&parts)).To(Succeed())
		s.digest = "SELECT md5(string_agg(name || coalesce(rows, ''), ',' ORDER BY name)) FROM (" + parts + ") AS t"
	}
	Expect(s.owner.QueryRow(ctx, s.digest).Scan(&digest)).To(Succeed())
	return digest
}

var _ = Describe("The audit log of the contract", func() {
	It("has one entry for each operation that changes something, with its change or not at all, whichever statement fails", func() {
		s := newAuditStory(min(statementStride, 20)) // so that more statements fail than there are operations, wherever each begins
		s.play(story())
		Expect(s.faults).To(BeEmpty())
		Expect(s.found).To(BeEmpty())
		failed := 0
		for _, op := range s.document.Operations {
			if tellsChanges(op) {
				Expect(s.audited).To(HaveKey(op.ID))
				failed += s.audited[op.ID]
			}
		}
		Expect(len(s.audited)).To(BeNumerically(">", 80))
		Expect(failed).To(BeNumerically(">", len(s.audited)))
		Expect(s.silent).To(ConsistOf(slices.Collect(maps.Keys(withoutRows))), "only these have an entry that tells no row")
		AddReportEntry(fmt.Sprintf("%d operations, %d statements that failed", len(s.audited), failed))
	})

	It("shows what was corrected of an event, under its key", func() {
		s := newFixture("2025-03-10T09:00:00Z")
		buyer := s.buyer(nil)
		s.subscribe(buyer, nil, s.calls("1.00"))
		s.use(buyer, "2025-03-10T08:00:00Z", "1")
		s.put("/v1/events/e000001", object{"event_name": "call", "customer_id": buyer, "timestamp": "2025-03-10T08:00:00Z", "properties": object{"n": 2}}).expect(200)
		log := s.get("/v1/audit_log?resource_id=e000001").expect(200)
		Expect(log.list("data")).To(HaveLen(1))
		change := log.entry("data", 0).entry("changes", 0)
		Expect(change.at("resource")).To(Equal("events"))
		Expect(change.at("before")).To(Equal(object{"properties": object{"n": json.Number("1")}}))
		Expect(change.at("after")).To(Equal(object{"properties": object{"n": json.Number("2")}}))
	})

	It("is found with an entry too many, and with one that stays without its change", func() {
		for what, sql := range map[string]string{
			"has 2 entries": `CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				IF NEW.id NOT LIKE '%twice' THEN
					INSERT INTO audit_entries (account_id, id, account_time, actor_type, actor_id, actor_name, action, request_id)
						VALUES (NEW.account_id, NEW.id || 'twice', NEW.account_time, NEW.actor_type, NEW.actor_id, NEW.actor_name, NEW.action, NEW.request_id);
				END IF;
				RETURN NULL;
			END $$;
			CREATE TRIGGER plant AFTER INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION plant()`,
			"has 0 entries": `CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
			ALTER TABLE audit_changes DROP CONSTRAINT audit_changes_account_id_entry_id_fkey;
			CREATE TRIGGER plant BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION plant()`,
		} {
			s := newAuditStory(statementStride)
			_, err := s.owner.Exec(context.Background(), sql)
			Expect(err).NotTo(HaveOccurred())
			s.sendStep(tell("createItem"))
			Expect(s.found).To(ContainElement(ContainSubstring(what)))
		}
	})
})

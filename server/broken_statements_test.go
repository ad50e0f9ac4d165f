package server_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// deed makes ready for something in a fixture, and returns what does it.
type deed func(s fixture) func(a *api) *answer

// once marks a request as the same whenever it is sent.
var once = header{"Idempotency-Key", "once"}

var deeds = map[string]deed{
	"issuing an invoice": func(s fixture) func(a *api) *answer {
		buyer := s.buyer(object{"auto_issuance": false})
		s.moveBalance(s.currency(buyer), "3")
		sub := s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00")).text("id")
		s.use(buyer, "2025-03-01T00:00:00Z", "10")
		s.clock("2025-04-02T00:00:00Z")
		id := s.invoices(sub).entry("data", 1).text("id")
		return func(a *api) *answer { return a.post("/v1/invoices/"+id+"/issue", nil, once) }
	},
	"what falls due by the clock": func(s fixture) func(a *api) *answer {
		buyer := s.buyer(nil)
		s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00"))
		s.use(buyer, "2025-03-01T00:00:00Z", "10")
		s.clock("2025-04-01T11:00:00Z")
		return func(a *api) *answer {
			return a.post("/v1/test_clock/advance", object{"now": "2025-04-01T12:00:00Z"})
		}
	},
	"a change of the plan": func(s fixture) func(a *api) *answer {
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00")).text("id")
		s.collect(sub)
		plan := s.plan(nil, s.fee("62.00")).text("id")
		s.clock("2025-03-16T00:00:00Z")
		return func(a *api) *answer { return a.move(sub, plan, nil, once) }
	},
	"a cancellation": func(s fixture) func(a *api) *answer {
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00")).text("id")
		s.use(buyer, "2025-03-01T00:00:00Z", "10")
		s.clock("2025-03-16T00:00:00Z")
		return func(a *api) *answer { return a.cancel(sub, nil, once) }
	},
	"a pending change that is applied": func(s fixture) func(a *api) *answer {
		sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		s.clock("2025-03-16T00:00:00Z")
		body := object{"plan_id": s.plan(nil, s.fee("62.00")).text("id"), "change_option": "immediate"}
		waiting := s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", body, later).expect(200).waiting()
		return func(a *api) *answer {
			return a.post("/v1/subscription_changes/"+waiting+"/apply", object{"previously_collected_amount": "10"}, once)
		}
	},
	"a migration": func(s fixture) func(a *api) *answer {
		made := s.plan(nil, s.fee("31.00"))
		plan := made.text("id")
		s.on(plan, s.buyer(nil), nil)
		s.version(plan, 2, replacing(made.at("prices[0].id"), s.fee("62.00")))
		s.migrate(plan, 2, "2025-03-16")
		s.clock("2025-03-15T00:00:00Z")
		return func(a *api) *answer {
			return a.post("/v1/test_clock/advance", object{"now": "2025-03-16T00:00:00Z"})
		}
	},
	"a credit note": func(s fixture) func(a *api) *answer {
		bill := s.bill(s.buyer(nil), "31.00")
		line := bill.text("line_items[0].id")
		return func(a *api) *answer {
			return a.post("/v1/credit_notes", object{"line_items": list{credited(line, "31.00")}}, once)
		}
	},
}

// statementStride is how many statements of a deed are passed over after each that fails, and that
// one. Where it begins is random. Each failure costs a connection and a fixture, so only the long
// specs let every statement fail.
var statementStride = func() int {
	stride, err := strconv.Atoi(os.Getenv("SPEC_STRIDE"))
	if err != nil || stride < 1 {
		return 28
	}
	return stride
}()

var _ = Describe("Whatever statement fails", Ordered, func() {
	var flaky *storetest.FlakyConn
	var broken *api // the server that has to do with it
	BeforeAll(func() {
		flaky = storetest.NewFlakyConn(shared.store)
		broken = serveOn(flaky.Store, 1)
	})

	// prepare opens a fixture for the deed, and returns what does it at a server.
	prepare := func(ready deed) (s fixture, do func(where *api) *answer) {
		GinkgoHelper()
		s = newFixture("2025-03-01T00:00:00Z")
		request := ready(s)
		return s, func(where *api) *answer {
			there := *s.api
			there.url = where.url
			return request(&there)
		}
	}

	// between does it again and again, each time with the connection broken so many
	// statements later, until it comes to its end. It returns the statements after which the
	// books were neither as before nor as after.
	between := func(ready deed, at storetest.Break, stride int) (found []int) {
		GinkgoHelper()
		s, do := prepare(ready)
		before := s.rows()
		Expect(do(shared).status).To(BeNumerically("<", 300))
		after := canonical(s.rows())
		Expect(after).NotTo(Equal(canonical(before)))
		s, do = prepare(ready)
		Expect(canonical(s.rows())).To(Equal(canonical(before)))
		before = s.rows()
		for n := 1 + rand.IntN(stride); ; n += stride {
			flaky.Break(n, at)
			r := do(broken)
			if broke := flaky.Broke(); !broke {
				Expect(r.status).To(BeNumerically("<", 300), "%s", r.text)
				Expect(canonical(s.rows())).To(Equal(after))
				AddReportEntry(fmt.Sprint((n-1)/stride, " times"))
				return found
			}
			now := s.rows()
			switch {
			case slices.Equal(now, before):
				continue
			case canonical(now) == after: // without an answer: whoever asks again gets it
				Expect(do(shared).status).To(BeNumerically("<", 300))
				Expect(canonical(s.rows())).To(Equal(after))
			default:
				found = append(found, n)
			}
			s, do = prepare(ready)
			before = s.rows()
		}
	}

	for _, name := range slices.Sorted(maps.Keys(deeds)) {
		DescribeTable("in "+name+", the books are as before or as after",
			func(at storetest.Break, stride int) { Expect(between(deeds[name], at, stride)).To(BeEmpty()) },
			Entry("when it does not arrive", storetest.AtStatement, statementStride),
			Entry("when a COMMIT is not answered", storetest.AfterCommit, 1),
		)
	}

	It("would be found between where a deed is two transactions", func() {
		two := func(s fixture) func(a *api) *answer {
			return func(a *api) *answer {
				if first := a.post("/v1/items", object{"name": "First"}, once); first.status != http.StatusCreated {
					return first
				}
				return a.post("/v1/items", object{"name": "Second"}, header{"Idempotency-Key", "twice"})
			}
		}
		Expect(between(two, storetest.AtStatement, 1)).NotTo(BeEmpty())
	})
})

// currency gives a customer one, so that there is a balance to move.
func (s fixture) currency(buyer string) string {
	GinkgoHelper()
	s.put("/v1/customers/"+buyer, object{"currency": "USD"}).expect(200)
	return buyer
}

// rows are all rows of the account, of tables with an order of creation first and in it.
//
// The audit log is left out. It tells each request in real time, also one that is sent again
// since its answer was lost. That it is written with the change is specified in package audit.
//
// Keys are left out. They are random, and no deed changes them.
func (s fixture) rows() (rows []string) {
	GinkgoHelper()
	Expect(s.store.View(s.ctx, func(tx *store.Tx) error {
		var tables []struct {
			Name string
			Seq  bool
		}
		err := tx.Raw(`SELECT c.relname AS name, bool_or(a.attname = 'seq') AS seq FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
			WHERE c.relnamespace = 'public'::regnamespace AND c.relrowsecurity AND NOT c.relispartition AND c.relname NOT LIKE 'audit\_%' AND c.relname <> 'api_keys' AND has_table_privilege(c.oid, 'SELECT')
			GROUP BY c.relname HAVING bool_or(a.attname = 'account_id') ORDER BY seq DESC, name`).Scan(&tables).Error
		if err != nil {
			return err
		}
		parts := make([]string, len(tables))
		for k, t := range tables {
			seq := "0"
			if t.Seq {
				seq = "t.seq"
			}
			parts[k] = fmt.Sprintf("SELECT %d AS place, %s AS seq, '%s ' || to_jsonb(t)::text AS row FROM %[3]s AS t WHERE account_id = @account", k, seq, t.Name)
		}
		return tx.Raw("SELECT row FROM ("+strings.Join(parts, " UNION ALL ")+") AS r ORDER BY place, seq, row",
			map[string]any{"account": tx.AccountID}).Scan(&rows).Error
	})).To(Succeed())
	return rows
}

// made is what differs from account to account: links to documents, ids, prefixes of invoice numbers, prints
// of requests, and numbers that are counted for all accounts.
var made = regexp.MustCompile(`https?://[^"]*/i/[^"]*|[a-z]+_[0-9A-Za-z_-]{20}|\b[A-Z]{6}\b|\\\\x[0-9a-f]{64}|"(seq|id|grain|mark)": \d+`)

// canonical writes rows alike that differ in nothing but what was made up for them: by
// the order in which that appears. Rows without an order of creation are sorted then.
func canonical(rows []string) string {
	names := map[string]string{}
	named := make([]string, len(rows))
	for k, row := range rows {
		named[k] = made.ReplaceAllStringFunc(row, func(text string) string {
			if name, _, number := strings.Cut(text, ":"); number {
				return name
			}
			if names[text] == "" {
				names[text] = fmt.Sprint("made", len(names))
			}
			return names[text]
		})
	}
	slices.Sort(named)
	return strings.Join(named, "\n")
}

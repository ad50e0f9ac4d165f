package metric_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/storetest"
	"tollkeeper/store/tempfile"
)

// canary is a number that is everywhere but in the events of the account that asks.
const canary = "86753098675309"

var noon = time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC)

// cage is an account with a few events, among other things that must not be read.
type cage struct {
	ctx    context.Context
	sample *usage.Sample // of the same events
}

func newCage(events []string) cage {
	GinkgoHelper()
	other := cage{ctx: storetest.Account(database, "test")}
	other.fill([]string{`{"n": ` + canary + `, "s": "` + canary + `", "u": "` + canary + `"}`})
	c := cage{ctx: storetest.Account(database, "test")}
	c.fill(events)
	var sent []event.Inline
	alias := "acme"
	for i, properties := range events {
		at := noon.Add(time.Duration(i) * time.Second).Format(time.RFC3339)
		sent = append(sent, event.Inline{Name: "call", ExternalCustomerID: &alias, Timestamp: at, Properties: json.RawMessage(properties)})
	}
	var err error
	c.sample, err = usage.NewSample(sent)
	Expect(err).NotTo(HaveOccurred())
	return c
}

// fill stores the events under the keys that they would have in a sample, and the canary
// beside them.
func (c cage) fill(events []string) {
	GinkgoHelper()
	storetest.SetClock(database, c.ctx, noon)
	var body []string
	for i, properties := range events {
		body = append(body, fmt.Sprintf(`{"idempotency_key": "%d", "event_name": "call", "external_customer_id": "acme", "timestamp": %q, "properties": %s}`,
			i+1, noon.Add(time.Duration(i)*time.Second).Format(time.RFC3339), properties))
	}
	received, err := event.Receive(strings.NewReader(`{"events": [`+strings.Join(body, ", ")+`]}`), tempfile.New("", 0))
	Expect(err).NotTo(HaveOccurred())
	defer received.Close()
	outcome, err := event.NewRecorder(database).RecordBody(c.ctx, received, false)
	Expect(err).NotTo(HaveOccurred())
	Expect(outcome.Failed).To(BeEmpty())
	Expect(database.Update(c.ctx, func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO items (account_id, id, created_at, name) VALUES (?, ?, ?, ?)", tx.AccountID, canary, tx.Now, canary).Error
	})).To(Succeed())
}

// read measures metrics of the stored events, or of the sample.
func (c cage) read(sample *usage.Sample, queries []*metric.Query) (amounts []string, err error) {
	var requests []usage.Request
	for _, q := range queries {
		requests = append(requests, usage.Request{Query: q, Subjects: []string{"e:acme"}, Cuts: []time.Time{noon.Add(-time.Hour), noon.Add(time.Hour)}})
	}
	err = database.View(c.ctx, func(tx *store.Tx) error {
		readings, err := usage.MeasureAll(tx, sample, requests)
		for _, r := range readings {
			amounts = append(amounts, r[0].Total.String())
		}
		return err
	})
	return amounts, err
}

// complaint tells what is wrong with how metrics were answered, and "" if nothing is:
// if one failed, or took too long, or shows the canary, or anything that is not of the
// events alone.
func (c cage) complaint(queries []*metric.Query) string {
	found, err := c.read(nil, queries)
	expected, sampleErr := c.read(c.sample, queries)
	if err = errors.Join(err, sampleErr); err != nil {
		if len(queries) == 1 {
			return fmt.Sprintf("%s\n%v", queries[0].Text(), err)
		}
		half := len(queries) / 2
		return c.complaint(queries[:half]) + c.complaint(queries[half:])
	}
	for i, q := range queries {
		if strings.Contains(found[i], canary) && !strings.Contains(q.Text(), canary) {
			return fmt.Sprintf("%s\nshows what it must not: %s", q.Text(), found[i])
		}
		if found[i] != expected[i] {
			return fmt.Sprintf("%s\nis %s, and %s of the same events alone", q.Text(), found[i], expected[i])
		}
	}
	return ""
}

// compilers are the words that each statement is made of.
var compilers = strings.Fields(`
	SELECT FROM WHERE GROUP BY HAVING AS WITH UNION ALL CROSS JOIN LATERAL OVER WINDOW PARTITION ORDER FILTER COLLATE ARRAY DISTINCT
	CASE WHEN THEN ELSE END AND OR NOT IS NULL IN LIKE TRUE COALESCE NULLIF GREATEST LEAST
	events e counted own every part upto different value kept slice amount seq account_id idempotency_key event_name subject properties
	numeric text boolean integer bigint jsonb timestamptz "timestamp" "C" 'c:' 'e:'
	abs array_agg btrim ceil coalesce count epoch extract floor generate_series left length max min mod substr sum to_jsonb
	metric_boolean metric_bound metric_compare metric_concat metric_distinct metric_divide metric_floor metric_greatest metric_iso metric_label
	metric_least metric_lower metric_number metric_order metric_percentile metric_round metric_substr metric_text metric_time metric_to_bigint
	metric_to_boolean metric_to_number metric_upper metric_value`)

var (
	written   = regexp.MustCompile(`'[^']*'|"[^"]*"|[\pL_][\pL\p{Nd}_]*|[^\s]`)
	ofColumns = regexp.MustCompile(`^(c|g|v|t|key)[0-9]+$`)
)

// foreign finds a word of a statement that is none of the compiler's, "" if there is none.
func foreign(sql string) string {
	for _, w := range written.FindAllString(sql, -1) {
		known := len(w) == 1 && strings.Contains("()[],.?:*+-/%<>=0123456789", w) || ofColumns.MatchString(w) || slices.Contains(compilers, w)
		if !known {
			return w
		}
	}
	return ""
}

var plainFrame = metric.Frame{Slices: 1, Events: metric.Fragment{SQL: `SELECT 1 AS slice, e.* FROM events AS e`}}

// misplaced tells why err is no refusal that names a place in the text, "" if it is.
func misplaced(text string, err error) string {
	var syntax *metric.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Sprintf("%q: %v", text, err)
	}
	lines := strings.Split(text, "\n")
	if syntax.Line < 1 || syntax.Line > len(lines) || syntax.Column < 1 || syntax.Column > len([]rune(lines[syntax.Line-1]))+1 {
		return fmt.Sprintf("%q: %v lies outside", text, err)
	}
	return ""
}

// tries is how many statements are made up.
func tries() int {
	if n, err := strconv.Atoi(os.Getenv("SPEC_HOSTILE")); err == nil {
		return n
	}
	return 10_000
}

var _ = Describe("A hostile statement", func() {
	events := []string{
		`{"n": 5, "m": 2.5, "s": "x", "u": "a", "b": true, "odd 'name\"": 1}`,
		`{"n": -7.25, "s": "y", "u": "a", "b": "7"}`,
		`{"n": "9", "m": 0, "s": "' OR '1' = '1", "u": "b"}`,
		`{"n": 0.000123, "m": 1e29, "s": "", "u": 7, "b": false}`,
		`{}`,
	}

	It("is one of at least 500 that differ", func() {
		refused, accepted, err := hostile()
		Expect(err).NotTo(HaveOccurred())
		all := slices.Concat(refused, accepted)
		different := map[string]bool{}
		for _, statement := range all {
			different[strings.ToLower(strings.Join(strings.Fields(statement), " "))] = true
		}
		Expect(len(different)).To(BeNumerically(">=", 500))
		Expect(len(all) - len(different)).To(BeNumerically("<", 20))
	})

	It("is refused at its place, if it is outside the language", func() {
		refused, _, err := hostile()
		Expect(err).NotTo(HaveOccurred())
		for _, statement := range refused {
			q, err := metric.Parse(statement)
			Expect(q).To(BeNil(), statement)
			Expect(misplaced(statement, err)).To(BeEmpty())
			for _, filter := range []string{statement, "TRUE AND " + statement} {
				if _, err := metric.ParseCondition(filter); err != nil {
					Expect(misplaced(filter, err)).To(BeEmpty())
				}
			}
		}
	})

	It("reads events and nothing else, if it is inside", func() {
		_, accepted, err := hostile()
		Expect(err).NotTo(HaveOccurred())
		c := newCage(events)
		for _, statement := range accepted {
			q := compiled(statement)
			Expect(foreign(q.Compile(plainFrame).SQL)).To(BeEmpty(), statement)
			Expect(c.complaint([]*metric.Query{q})).To(BeEmpty())
		}
	})

	It("ends, or is ended at its deadline, if it is made to take long", func() {
		long := fmt.Sprintf(`{"n": 1, "s": "%s"}`, strings.Repeat("s", 250<<10))
		c := newCage([]string{long, `{"n": 2, "s": "x"}`})
		for what, statement := range bombs {
			began := time.Now()
			q, err := metric.Parse(statement)
			Expect(err).NotTo(HaveOccurred(), what)
			if _, err = c.read(nil, []*metric.Query{q}); err != nil { // on a machine that is slow enough
				Expect(fault.Is(err, fault.KindRefused)).To(BeTrue(), "%s: %v", what, err)
			}
			GinkgoWriter.Println(what, "took", time.Since(began))
		}
	})

	It("is found out if it was made up, for each of thousands", func() {
		refused, accepted, err := hostile()
		Expect(err).NotTo(HaveOccurred())
		all := slices.Concat(refused, accepted)
		c, f := newCage(events), newForge(all)
		const batch = 50
		var queries []*metric.Query
		inside := 0
		for i := range tries() {
			statement := f.statement(uint64(GinkgoRandomSeed())<<32 + uint64(i))
			q, err := metric.Parse(statement)
			if err != nil {
				Expect(misplaced(statement, err)).To(BeEmpty())
				continue
			}
			inside++
			Expect(foreign(q.Compile(plainFrame).SQL)).To(BeEmpty(), statement)
			if queries = append(queries, q); len(queries) == batch {
				Expect(c.complaint(queries)).To(BeEmpty())
				queries = queries[:0]
			}
		}
		Expect(c.complaint(queries)).To(BeEmpty())
		GinkgoWriter.Printf("%d of %d are metrics\n", inside, tries())
		Expect(inside).To(And(BeNumerically(">", tries()/5), BeNumerically("<", tries()*4/5)))
	})

	Describe("that got through would be found", func() {
		It("by its words, if a name were pasted into the SQL", func() {
			f := compiled(`SELECT SUM("n) FROM api_keys; --") FROM events`).Compile(plainFrame)
			Expect(foreign(f.SQL)).To(BeEmpty())
			Expect(foreign(strings.Replace(f.SQL, "?::text", fmt.Sprintf("'%s'", f.Args[0]), 1))).NotTo(BeEmpty())
			Expect(foreign(strings.Replace(f.SQL, "metric_", "pg_", 1))).NotTo(BeEmpty())
			Expect(foreign(strings.Replace(f.SQL, "events", "accounts", 1))).To(Equal("accounts"))
		})

		It("by the canary, if it read another account", func() {
			c, other := newCage(events), newCage([]string{`{"n": ` + canary + `}`})
			c.ctx = other.ctx
			Expect(c.complaint([]*metric.Query{compiled("SELECT SUM(n) FROM events")})).To(ContainSubstring("shows what it must not"))
			Expect(c.complaint([]*metric.Query{compiled("SELECT COUNT(*) FROM events")})).To(HaveSuffix("is 1, and 5 of the same events alone"))
		})

		It("by its failure, if it read another table or outlived its deadline", func() {
			c := newCage(events)
			for sql, words := range map[string]string{
				"SELECT name FROM items":                                 "permission denied",
				"SET LOCAL statement_timeout = 1; SELECT pg_sleep(1000)": "statement timeout",
			} {
				Expect(database.View(c.ctx, func(tx *store.Tx) error {
					return tx.As("tollkeeper_metric", func() error { return tx.Exec(sql).Error })
				})).To(MatchError(ContainSubstring(words)))
			}
		})
	})
})

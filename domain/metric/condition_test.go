package metric_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A condition", func() {
	one := []eventRow{{
		at:         "2025-03-01T10:20:30.5Z",
		properties: `{"n": 5, "s": "eu", "yes": true, "no": false, "iso": "2025-03-01T11:20:30.500+01:00", "m": "5"}`,
	}}
	DescribeTable("is true, false or unknown",
		func(condition, verdict string) { Expect(verdicts(condition, one)).To(Equal([]string{verdict})) },
		Entry("equal strings", `s = 'eu'`, "true"),
		Entry("equal numbers in other forms", `n == 5.00`, "true"),
		Entry("different strings, by either sign", `s <> 'us' AND s != 'us' AND NOT s != 'eu'`, "true"),
		Entry("a number and a string", `n = '5'`, "unknown"),
		Entry("a number and a string, which are not different either", `n <> '5'`, "unknown"),
		Entry("a string and a number", `m <> 5`, "unknown"),
		Entry("properties of different types", `n = m`, "unknown"),
		Entry("properties of one type", `n = properties.n`, "true"),
		Entry("a missing property", `absent = 1`, "unknown"),
		Entry("NULL", `NULL = NULL`, "unknown"),
		Entry("constants of different types", `1 = 'a'`, "unknown"),
		Entry("not unknown is unknown", `NOT absent = 1`, "unknown"),
		Entry("NOT binds tighter than AND", `NOT n = 6 AND s = 'us'`, "false"),
		Entry("AND binds tighter than OR", `n = 5 OR n = 6 AND s = 'us'`, "true"),
		Entry("unknown OR true", `absent = 1 OR n = 5`, "true"),
		Entry("unknown AND false", `absent = 1 AND n = 6`, "false"),
		Entry("unknown AND true", `absent = 1 AND n = 5`, "unknown"),
		Entry("a boolean by itself", `yes AND NOT no`, "true"),
		Entry("a string by itself", `s`, "unknown"),
		Entry("booleans in order", `no < yes`, "true"),
		Entry("strings by code point", `'Z' < 'a' AND 'a' < 'ä'`, "true"),
		Entry("a missing property IS NULL", `absent IS NULL`, "true"),
		Entry("a string IS NOT NULL, though no number", `s IS NOT NULL`, "true"),
		Entry("IN", `s IN ('us', 'eu')`, "true"),
		Entry("IN over types", `n IN ('5', 5)`, "true"),
		Entry("not found beside another type is unknown", `n IN ('5', 6)`, "unknown"),
		Entry("not found beside NULL is unknown", `n NOT IN (6, NULL)`, "unknown"),
		Entry("NOT IN", `n NOT IN (-6, 7)`, "true"),
		Entry("LIKE", `s LIKE 'e_'`, "true"),
		Entry("LIKE is case-sensitive", `s LIKE 'E%'`, "false"),
		Entry("NOT LIKE", `s NOT LIKE '%x%'`, "true"),
		Entry("LIKE of a number", `n LIKE '5'`, "unknown"),
		Entry("an escaped sign is itself", `s LIKE '\__'`, "false"),
		Entry("BETWEEN includes both ends", `n BETWEEN 5 AND 5`, "true"),
		Entry("BETWEEN the greater and the lesser", `n BETWEEN 6 AND 4`, "false"),
		Entry("BETWEEN with an end that is missing, on the wrong side of the other", `n BETWEEN 6 AND absent`, "false"),
		Entry("BETWEEN with an end that is missing, otherwise", `n BETWEEN 4 AND absent`, "unknown"),
		Entry("NOT BETWEEN", `n NOT BETWEEN 6 AND 7`, "true"),
		Entry("BETWEEN, then AND", `n BETWEEN 1 AND 9 AND s = 'us'`, "false"),
		Entry("a comparison does not hand a numeric context on", `COALESCE(s, 5) = 5`, "unknown"),
		Entry("arithmetic does", `COALESCE(s, 5) + 0 = 5`, "true"),
		Entry("a time and its ISO string", `timestamp = '2025-03-01T10:20:30.5Z'`, "true"),
		Entry("a time and a string with an offset", `'2025-03-01T11:20:30.5+01:00' = timestamp`, "true"),
		Entry("a time and a day", `timestamp BETWEEN '2025-03-01' AND '2025-03-02'`, "true"),
		Entry("a time and a string of the row", `timestamp = iso`, "true"),
		Entry("a time and no time", `timestamp > 'soon'`, "unknown"),
		Entry("a time and a day that never was", `timestamp > '2025-02-30'`, "unknown"),
		Entry("a time and a number", `timestamp > 5`, "unknown"),
		Entry("a time in a list", `timestamp IN ('never', '2025-03-01T10:20:30.5')`, "true"),
		Entry("digits beyond the microsecond are cut", `timestamp = '2025-03-01T10:20:30.500000999'`, "true"),
		Entry("CASE as a condition", `CASE WHEN n = 5 THEN yes END`, "true"),
		Entry("CAST as a condition", `CAST('yes' AS BOOLEAN)`, "true"),
		Entry("CAST of a number", `CAST(n AS BOOLEAN)`, "true"),
		Entry("CAST of a word that is neither", `CAST(s AS BOOLEAN)`, "unknown"),
		Entry("keywords in any case", `not (n is null) and s in ('eu')`, "true"),
		Entry("columns among themselves and with properties", `LOWER(idempotency_key) > event_name AND GREATEST(customer_id, s) < idempotency_key`, "true"),
		Entry("columns that are stored under different collations", `event_name = idempotency_key OR event_name IN ('call') AND NULLIF(event_name, customer_id) = 'call'`, "true"),
		Entry("a customer by id", `customer_id = 'acme' AND external_customer_id IS NULL`, "true"),
	)

	It("keeps names of properties apart by case", func() {
		Expect(verdicts(`N IS NULL AND "n" = 5`, one)).To(Equal([]string{"true"}))
	})
})

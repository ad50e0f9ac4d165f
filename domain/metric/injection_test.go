package metric_test

import (
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/metric"
)

// asNames writes a metric with a text wherever a client may write one: as a string, as
// the name of a property, of a column and of a sub-query.
func asNames(text string) string {
	name, constant := `"`+strings.ReplaceAll(text, `"`, `""`)+`"`, "'"+strings.ReplaceAll(text, "'", "''")+"'"
	return fmt.Sprintf(`SELECT COUNT(DISTINCT %[1]s.%[1]s) AS %[1]s
		FROM (SELECT COALESCE(properties.%[1]s, %[2]s) AS %[1]s FROM events WHERE %[1]s IN (%[2]s) AND %[1]s LIKE '%%' GROUP BY %[1]s) %[1]s
		HAVING LATEST_BY(%[1]s, %[1]s) = %[2]s`, name, constant)
}

var _ = Describe("A text of a client", func() {
	DescribeTable("is a name or a string, whatever it looks like",
		func(text string) {
			properties, err := json.Marshal(map[string]string{text: text, "other": "value"})
			Expect(err).NotTo(HaveOccurred())
			Expect(answer(asNames(text), []eventRow{{properties: string(properties)}, {properties: `{}`}})).To(Equal("1"))
		},
		Entry("like the end of a string", `' OR '1' = '1`),
		Entry("like the end of a name", `") FROM accounts; --`),
		Entry("like another statement", `'; DROP TABLE events; --`),
		Entry("like a union", `x' UNION SELECT hash FROM api_keys --`),
		Entry("like a comment", `*/ -- /*`),
		Entry("like an escape", `\'; SELECT pg_sleep(10); --`),
		Entry("like an escaped string", `E'\047`),
		Entry("like a dollar quote", `$$; DELETE FROM events; $$`),
		Entry("like a parameter", `$1`),
		Entry("like a placeholder", `? ?? @name :name %s {{name}}`),
		Entry("like a setting", `'; SET ROLE postgres; --`),
		Entry("like an account", `', set_config('tollkeeper.account', 'other', true), '`),
		Entry("like a JSON path", `a->>'b' #>> '{}'`),
		Entry("with a quote that only looks like one", `‘’“”＇ʼ`),
		Entry("with bytes that end a quote elsewhere", "\u00bf\u005c'"),
		Entry("with line ends", "a\r\n;\u2028b"),
		Entry("in other scripts", `größe_大小_😀`),
	)

	It("never changes the SQL", func() {
		frame := metric.Frame{Slices: 31, Keys: 1, Events: metric.Fragment{SQL: "SELECT 1"}}
		harmless := compiled(asNames("x")).Compile(frame).SQL
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			text := rapid.OneOf(rapid.StringN(1, 40, -1), rapid.StringMatching(`['"?$;\\\-/*(){}% a]{1,12}`)).Draw(t, "text")
			if strings.ContainsAny(text, "\x00\ufffd") || text == "timestamp" {
				t.Skip("not a text that the database holds, or a column")
			}
			if found := compiled(asNames(text)).Compile(frame).SQL; found != harmless {
				t.Fatalf("%q: %s", text, found)
			}
		})
	})
})

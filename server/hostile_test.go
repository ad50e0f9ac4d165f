package server_test

import (
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// sampled is every tenth statement of a file of the hostile corpus.
func sampled(name string) (statements []string) {
	GinkgoHelper()
	text, err := os.ReadFile("../domain/metric/testdata/hostile/" + name)
	Expect(err).NotTo(HaveOccurred())
	for i, line := range strings.Split(string(text), "\n") {
		if i%10 == 1 && line != "" && !strings.HasPrefix(line, "##") {
			statements = append(statements, line)
		}
	}
	return statements
}

var _ = Describe("Hostile SQL", func() {
	It("is an invalid request that tells the place, and makes no metric", func() {
		api := start()
		item := api.item("Measured")
		statements := sampled("refused.sql")
		Expect(len(statements)).To(BeNumerically(">", 60))
		for _, sql := range statements {
			answer := api.post("/v1/metrics", object{"name": "Metric", "description": nil, "item_id": item, "sql": sql})
			detail := answer.invalid("sql: line ").text("detail")
			Expect(detail).To(MatchRegexp(`^sql: line 1, column [0-9]+: `), sql)
		}
		Expect(api.get("/v1/metrics").expect(200).at("data")).To(BeEmpty())
	})

	It("is a metric like others if it only looks hostile", func() {
		s := start().newFixture("2025-05-01T00:00:00Z")
		for _, sql := range sampled("accepted.sql") {
			price := object{"name": "Usage", "item_id": s.item, "cadence": "monthly", "currency": "USD", "billable_metric_id": s.api.metric(sql),
				"model_type": "unit", "unit_config": object{"unit_amount": "1"}}
			s.post("/v1/prices/evaluate", object{
				"timeframe_start": "2025-04-01T00:00:00Z", "timeframe_end": "2025-05-01T00:00:00Z", "customer_id": s.buyer(nil),
				"price_evaluations": list{object{"price": price}},
			}).expect(200)
		}
	})
})

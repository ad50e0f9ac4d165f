package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// ofGrafana are the variables of a dashboard that are in expressions.
var ofGrafana = regexp.MustCompile(`\$__rate_interval`)

// dashboardExpressions are those of all panels.
func dashboardExpressions(text []byte) (found []string) {
	GinkgoHelper()
	var dashboard struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	Expect(json.Unmarshal(text, &dashboard)).To(Succeed())
	for _, panel := range dashboard.Panels {
		Expect(panel.Targets).NotTo(BeEmpty())
		for _, target := range panel.Targets {
			found = append(found, ofGrafana.ReplaceAllString(target.Expr, "5m"))
		}
	}
	return found
}

// series are the names and labels that /metrics has, with those that a scrape adds.
func series(text io.Reader) map[string]map[string]bool {
	GinkgoHelper()
	reader := expfmt.NewTextParser(model.LegacyValidation)
	families, err := reader.TextToMetricFamilies(text)
	Expect(err).NotTo(HaveOccurred())
	found := map[string]map[string]bool{"up": {"job": true, "instance": true}}
	for name, family := range families {
		known := map[string]bool{"job": true, "instance": true}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				known[label.GetName()+"="+label.GetValue()] = true
				known[label.GetName()] = true
			}
		}
		found[name] = known
		if family.GetType().String() == "HISTOGRAM" {
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				found[name+part] = known
			}
		}
	}
	return found
}

// unknownIn are the names and labels of an expression that are in no series.
func unknownIn(expression string, there map[string]map[string]bool) (unknown []string) {
	GinkgoHelper()
	parsed, err := parser.ParseExpr(expression)
	Expect(err).NotTo(HaveOccurred(), expression)
	for _, matchers := range parser.ExtractSelectors(parsed) {
		name := ""
		for _, m := range matchers {
			if m.Name == labels.MetricName {
				name = m.Value
			}
		}
		if there[name] == nil {
			unknown = append(unknown, name)
			continue
		}
		for _, m := range matchers {
			label := m.Name
			if m.Type == labels.MatchEqual && m.Name != "job" && m.Name != labels.MetricName {
				label += "=" + m.Value
			}
			if m.Name != labels.MetricName && !there[name][label] {
				unknown = append(unknown, name+" "+label)
			}
		}
	}
	return unknown
}

var _ = Describe("What is to be monitored", func() {
	var there map[string]map[string]bool

	BeforeEach(func() {
		api := startAlone()
		api.post("/v1/ingest", object{"events": list{}}).expect(200)
		api.server.ShowAllMetrics()
		response, err := http.Get(api.url + "/metrics")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(response.Body.Close)
		there = series(response.Body)
	})

	It("is shown by the dashboard from metrics that exist", func() {
		text, err := os.ReadFile("../deploy/monitoring/dashboard.json")
		Expect(err).NotTo(HaveOccurred())
		expressions := dashboardExpressions(text)
		Expect(len(expressions)).To(BeNumerically(">", 10))
		for _, expression := range expressions {
			Expect(unknownIn(expression, there)).To(BeEmpty(), expression)
		}
	})

	It("raises alerts from metrics that exist", func() {
		file, errs := rulefmt.ParseFile("../deploy/monitoring/alerts.yaml", false)
		Expect(errs).To(BeEmpty())
		Expect(file.Groups).To(HaveLen(1))
		for _, rule := range file.Groups[0].Rules {
			Expect(unknownIn(rule.Expr, there)).To(BeEmpty(), rule.Alert)
			Expect(rule.Annotations["summary"]).NotTo(BeEmpty(), rule.Alert)
		}
	})

	It("is checked: a name and a label that are not there are found", func() {
		Expect(unknownIn(`rate(tollkeeper_request_seconds_total[5m])`, there)).To(ConsistOf("tollkeeper_request_seconds_total"))
		Expect(unknownIn(`tollkeeper_verified{what="lost"}`, there)).To(ConsistOf("tollkeeper_verified what=lost"))
		Expect(unknownIn(`up{job="tollkeeper", host="a"}`, there)).To(ConsistOf("up host=a"))
	})
})

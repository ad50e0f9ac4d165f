package billing_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
)

var _ = Describe("Plans with phases", func() {
	It("PL-6: bill each phase for its own time", func() {
		a := open("2025-07-01")
		one, two, months := 1, 2, catalog.PhaseMonthly
		t, _ := a.sell(a.Customer(), "2025-07-11", catalog.NewPlan{
			Phases: []catalog.NewPhase{{Order: 1, Duration: &one, DurationUnit: &months}, {Order: 2}},
			Prices: []catalog.PlanPrice{{Price: a.Fee("20.00"), PhaseOrder: &one}, {Price: a.Fee("60.00"), PhaseOrder: &two}},
		})
		a.Clock("2025-09-02")
		a.issueAll()
		lines := []string{}
		for _, v := range a.invoices(t) {
			for _, l := range v.Lines {
				lines = append(lines, fmt.Sprintf("%s: %s to %s %s", v.InvoiceDate.Format("01-02"), l.StartAt.Format("01-02"), l.EndAt.Format("01-02"), l.Amount))
			}
		}
		Expect(lines).To(Equal([]string{
			"07-11: 07-11 to 08-01 13.55", "08-01: 08-01 to 08-11 6.45", "08-11: 08-11 to 09-01 40.65",
			"09-01: 09-01 to 10-01 60", "10-01: 10-01 to 11-01 60",
		}))
	})
})

package invoice_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/rating"
)

var _ = Describe("Adjusted lines", func() {
	It("S-10: a minimum of a first period that is cut is prorated by days", func() {
		a := open("2025-04-01")
		id, t := a.SellNew("2025-04-11", catalog.NewPlan{
			Prices:      domaintest.Listed(a.Calls("unit", `{"unit_amount": "1.00"}`)),
			Adjustments: []catalog.PlanAdjustment{a.Adjustment(rating.Minimum, "100.00")},
		})
		a.Record(id, "2025-04-20", "20")
		a.Clock("2025-05-02")
		issued := a.issued(t, "2025-05-01")
		line := issued.Lines[0]
		Expect(line.Subtotal.String()).To(Equal("20"))
		Expect(line.Adjustments[0].Amount.String()).To(Equal("46.67"))
		Expect(issued.Total.String()).To(Equal("66.67"))
	})

	It("keeps what each adjustment did in the issued line, to the byte of its draft", func() {
		a := open("2025-03-01")
		id, t := a.SellNew("2025-03-01", catalog.NewPlan{
			Prices: domaintest.Listed(a.Calls("unit", `{"unit_amount": "1.005"}`), a.Fee("10")),
			Adjustments: []catalog.PlanAdjustment{
				a.Adjustment(rating.Maximum, "12"), a.Adjustment(rating.PercentageDiscount, "0.1"), a.Adjustment(rating.UsageDiscount, "2"),
			},
		})
		a.Record(id, "2025-03-20", "5")
		draft := a.draft(t, "2025-04-01")
		a.Clock("2025-04-02")
		issued := a.issue(draft.ID)
		Expect(issued.Status).To(Equal(invoice.StatusIssued))
		Expect(issued.Lines).To(HaveLen(len(draft.Lines)))
		for k, line := range issued.Lines {
			was, err := json.Marshal(draft.Lines[k].Adjustments)
			Expect(err).NotTo(HaveOccurred())
			is, err := json.Marshal(line.Adjustments)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(is)).To(Equal(string(was)))
		}
	})
})

var _ = Describe("Prices of other prices", func() {
	It("charge what the others on the invoice leave open", func() {
		a := open("2025-03-01")
		floor := a.Fee("0")
		floor.ModelType, floor.Config = "minimum_composite", json.RawMessage(`{"minimum_amount": "50.00"}`)
		id, t := a.SellNew("2025-03-01", catalog.NewPlan{Prices: domaintest.Listed(floor, a.Calls("unit", `{"unit_amount": "2.00"}`))})
		a.Record(id, "2025-03-20", "6")
		draft := a.draft(t, "2025-04-01")
		Expect(draft.Lines[0].Subtotal.String()).To(Equal("38"))
		Expect(draft.Lines[1].Subtotal.String()).To(Equal("12"))
		Expect(draft.Total.String()).To(Equal("50"))
	})
})

var _ = Describe("Prices in a custom unit", func() {
	It("become money by their rate, rounded once", func() {
		a := open("2025-03-01")
		id, t := a.SellNew("2025-03-01", catalog.NewPlan{Prices: domaintest.Listed(a.CallsInCredits())})
		a.Record(id, "2025-03-20", "151")
		draft := a.draft(t, "2025-04-01")
		Expect(draft.Lines[0].Subtotal.String()).To(Equal("75.5"))
		Expect(draft.Lines[0].Amount.String()).To(Equal("7.04"))
		Expect(draft.Subtotal.String()).To(Equal("7.04"))
	})
})

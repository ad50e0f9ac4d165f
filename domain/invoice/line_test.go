package invoice_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
)

var _ = Describe("The parts of a line", func() {
	sum := func(parts []rating.Part) string {
		total := money.Decimal{}
		for _, p := range parts {
			total = total.Add(p.Amount)
		}
		return total.String()
	}

	It("sum to what was rated, and as sub-lines to the subtotal, to the cent", func() {
		a := open("2025-01-01")
		id := a.Customer()
		t := a.Subscribe(id, "2025-01-01", a.Calls("tiered",
			`{"tiers": [{"first_unit": 0, "last_unit": 3, "unit_amount": "0.335"}, {"first_unit": 3, "last_unit": 7, "unit_amount": "0.0007"},
			{"first_unit": 7, "last_unit": null, "unit_amount": "0.003"}]}`))
		a.Record(id, "2025-01-02", "3.1", "2.7", "3.33")
		line := a.draft(t, "2025-02-01").Lines[0]
		Expect(line.Parts).To(HaveLen(3))
		Expect(sum(line.Parts)).To(Equal("1.01419")) // 1.005 + 0.0028 + 0.00639
		Expect(line.Exact.String()).To(Equal("1.01419"))
		Expect(line.Rounding().String()).To(Equal("-0.00419"))
		Expect(line.SubLines("USD")).To(HaveLen(3))
		Expect(sum(line.SubLines("USD"))).To(Equal("1.01"))
	})

	It("are no sub-lines where a model has one flat rate", func() {
		a := open("2025-01-15")
		t := a.Subscribe(a.Customer(), "2025-01-15", a.Fee("310"))
		line := a.draft(t, "2025-01-15").Lines[0]
		Expect(line.Parts).To(HaveLen(1))
		Expect(line.SubLines("USD")).To(BeEmpty())
		Expect(line.Fraction).To(Equal(period.Fraction{Part: 17, Whole: 31}))
		Expect(line.Prorated).To(BeTrue())
	})

	It("are the groups that the price asks for", func() {
		a := open("2025-01-01")
		id := a.Customer()
		price := a.Calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 3, "unit_amount": "1"}, {"first_unit": 3, "last_unit": null, "unit_amount": "0.5"}]}`)
		key := "n"
		price.InvoiceGroupingKey = &key
		t := a.Subscribe(id, "2025-01-01", price)
		a.Record(id, "2025-01-02", "1", "4")
		line := a.draft(t, "2025-02-01").Lines[0]
		Expect(line.Parts).To(HaveLen(2))
		Expect(line.SubLines("USD")).To(Equal(line.Groups))
		Expect(sum(line.Groups)).To(Equal("4"))
	})
})

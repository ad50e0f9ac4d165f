package billing_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

var _ = Describe("Usage by day on a document", func() {
	var a testAccount
	shown := func(id string) (d document.Document) {
		GinkgoHelper()
		a.Do(func(tx *store.Tx) (err error) {
			d, err = document.OfInvoice(tx, id)
			return err
		})
		return d
	}
	days := func(l document.Line) (texts []string) {
		var sum money.Decimal
		for _, day := range l.Days {
			texts = append(texts, day.On.String()+" "+day.Quantity.String())
			sum = sum.Add(day.Quantity)
		}
		Expect(sum.Cmp(l.Quantity)).To(BeZero(), "the days are the line")
		return texts
	}
	BeforeEach(func() {
		a = open("2025-03-01")
		a.Setting("usage_by_day", true)
	})

	It("has the days of the customer's zone, also that of a clock change, and is as the draft showed it", func() {
		berlin := a.CustomerIn("Europe/Berlin").ID
		t, _ := a.subscribe(berlin, "2025-03-01", a.Calls("unit", `{"unit_amount": "1"}`))
		a.Record(berlin, "2025-03-28T22:59:59Z", "1") // 23:59:59 on the 28th
		a.Record(berlin, "2025-03-28T23:00:00Z", "2")
		a.Record(berlin, "2025-03-29T23:00:00Z", "4") // begins the day of 23 hours
		a.Record(berlin, "2025-03-30T21:59:59Z", "8")
		a.Record(berlin, "2025-03-30T22:00:00Z", "16")
		a.Record(berlin, "2025-03-31T21:59:59Z", "0.5") // ends the period
		a.Clock("2025-04-01T09:00:00")
		id := a.invoices(t)[0].ID
		draft := shown(id)
		Expect(draft.Draft).To(BeTrue())
		expected := []string{"2025-03-28 1", "2025-03-29 2", "2025-03-30 12", "2025-03-31 16.5"}
		Expect(days(draft.Lines[0])).To(Equal(expected))
		a.Clock("2025-04-01T12:00:00")
		a.issueAll()
		issued := shown(id)
		Expect(issued.Draft).To(BeFalse())
		Expect(days(issued.Lines[0])).To(Equal(expected))
		Expect(issued.DaysLeftOut).To(BeZero())
		Expect(a.find(id).Lines[0].Days).To(BeNil(), "answers do not read them")
	})

	It("is fixed when the document is issued: the setting and late usage change nothing after that", func() {
		a.Setting("usage_by_day", false)
		buyer := a.Customer()
		t, _ := a.subscribe(buyer, "2025-03-01", a.Calls("unit", `{"unit_amount": "1"}`), a.Fee("10"))
		a.Record(buyer, "2025-03-05", "3")
		a.Clock("2025-04-01T12:00:00")
		a.issueAll()
		a.Setting("usage_by_day", true)
		a.Record(buyer, "2025-04-07", "5")
		a.Clock("2025-05-01T12:00:00")
		a.issueAll()
		a.Setting("usage_by_day", false)
		var with, without int
		for _, v := range a.invoices(t) {
			if v.Status == invoice.StatusDraft {
				continue
			}
			for _, l := range shown(v.ID).Lines {
				if l.Days == nil {
					without++
					continue
				}
				with++
				Expect(days(l)).To(Equal([]string{"2025-04-07 5"}))
			}
		}
		Expect(with).To(Equal(1))
		Expect(without).To(BeNumerically(">", 1), "fees, and usage of the month before")
	})

	It("is by how much a maximum rose, and what each day added to groups and tiers", func() {
		buyer := a.Customer()
		var largest catalog.Metric
		a.Do(func(tx *store.Tx) (err error) {
			largest, err = catalog.CreateMetric(tx, catalog.NewMetric{Name: "Largest", ItemID: a.Item, SQL: "SELECT MAX(n) FROM events WHERE event_name = 'call'"})
			return err
		})
		most := a.Calls("unit", `{"unit_amount": "1"}`)
		most.MetricID = &largest.ID
		tiered := a.Calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 5, "unit_amount": "1"}, {"first_unit": 5, "unit_amount": "0.5"}]}`)
		matrix := a.Calls("matrix", `{"dimensions": ["n"], "default_unit_amount": "1", "matrix_values": [{"dimension_values": ["4"], "unit_amount": "2"}]}`)
		t, _ := a.subscribe(buyer, "2025-03-01", most, tiered, matrix)
		a.Record(buyer, "2025-03-02", "4")
		a.Record(buyer, "2025-03-03", "3")
		a.Record(buyer, "2025-03-04", "9")
		a.Clock("2025-04-01T12:00:00")
		a.issueAll()
		d := shown(a.invoices(t)[0].ID)
		Expect(days(d.Lines[0])).To(Equal([]string{"2025-03-02 4", "2025-03-04 5"}))
		Expect(days(d.Lines[1])).To(Equal([]string{"2025-03-02 4", "2025-03-03 3", "2025-03-04 9"}))
		Expect(days(d.Lines[2])).To(Equal([]string{"2025-03-02 4", "2025-03-03 3", "2025-03-04 9"}))
	})

	It("has room for 3,000 days, and counts the lines that have none", func() {
		buyer := a.Customer()
		var prices []catalog.NewPrice
		for k := range 9 {
			price := a.Calls("unit", `{"unit_amount": "1"}`)
			price.Name, price.Cadence = fmt.Sprint("Calls ", k), period.CadenceAnnual
			prices = append(prices, price)
		}
		t, _ := a.subscribe(buyer, "2025-03-01", prices...)
		a.Record(buyer, "2025-07-05", "3")
		a.Clock("2026-03-01T12:00:00")
		a.issueAll()
		d := shown(a.invoices(t)[0].ID)
		Expect(d.Lines).To(HaveLen(9))
		Expect(d.ByDay()).To(HaveLen(8))
		Expect(d.DaysLeftOut).To(Equal(1))
	})
})

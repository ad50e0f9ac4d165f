package catalog_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

var _ = Describe("Phases", func() {
	var s *fixture
	BeforeEach(func() { s = open() })

	// ramp is a plan with those phases, and a fee in each of those orders; 0 is in none.
	ramp := func(phases []catalog.NewPhase, orders ...int) catalog.NewPlan {
		in := catalog.NewPlan{Name: "Ramp", Currency: "USD", Status: catalog.PlanActive, Phases: phases}
		for _, order := range orders {
			fee := catalog.PlanPrice{Price: s.fee(nil)}
			if order != 0 {
				fee.PhaseOrder = &order
			}
			in.Prices = append(in.Prices, fee)
		}
		return in
	}
	create := func(in catalog.NewPlan) (version catalog.PlanVersion, err error) {
		err = s.try(func(tx *store.Tx) error {
			plan, err := catalog.CreatePlan(tx, in)
			if err != nil {
				return err
			}
			version, err = catalog.FindVersion(tx, plan.ID, plan.Version)
			return err
		})
		return version, err
	}
	months := func(order, n int) catalog.NewPhase {
		return catalog.NewPhase{Order: order, Duration: &n, DurationUnit: ref(catalog.PhaseMonthly)}
	}
	open := func(order int) catalog.NewPhase { return catalog.NewPhase{Order: order} }

	It("are shown in order, whatever order they are sent in", func() {
		aligned := open(2)
		aligned.Aligned = true
		version, err := create(ramp([]catalog.NewPhase{aligned, months(1, 3)}, 1, 2))
		Expect(err).NotTo(HaveOccurred())
		Expect(version.Phases).To(HaveLen(2))
		first, second := version.Phases[0], version.Phases[1]
		Expect(first.Name()).To(Equal("Phase 1"))
		Expect(first.Length()).To(Equal(period.Length{Months: 3}))
		Expect(first.Aligned).To(BeFalse())
		Expect(second.Name()).To(Equal("Phase 2"))
		Expect(second.Length()).To(Equal(period.Length{}))
		Expect(second.Aligned).To(BeTrue())
		Expect(version.Prices[0].PhaseOrder).To(Equal(ref(1)))
		Expect(version.Prices[1].PhaseOrder).To(Equal(ref(2)))
	})

	DescribeTable("count their duration in a unit",
		func(unit *catalog.PhaseUnit, length period.Length) {
			version, err := create(ramp([]catalog.NewPhase{{Order: 1, Duration: ref(2), DurationUnit: unit}}, 1))
			Expect(err).NotTo(HaveOccurred())
			Expect(version.Phases[0].Length()).To(Equal(length))
			Expect(version.Phases[0].DurationUnit).NotTo(BeNil())
		},
		Entry("of days", ref(catalog.PhaseDaily), period.Length{Days: 2}),
		Entry("of months", ref(catalog.PhaseMonthly), period.Length{Months: 2}),
		Entry("of quarters", ref(catalog.PhaseQuarterly), period.Length{Months: 6}),
		Entry("of half years", ref(catalog.PhaseSemiAnnual), period.Length{Months: 12}),
		Entry("of years", ref(catalog.PhaseAnnual), period.Length{Months: 24}),
		Entry("months when nothing is said", nil, period.Length{Months: 2}),
	)

	DescribeTable("are accepted",
		func(phases []catalog.NewPhase, orders ...int) {
			_, err := create(ramp(phases, orders...))
			Expect(err).NotTo(HaveOccurred())
		},
		Entry("none, with a price in none", nil, 0),
		Entry("one that never ends", []catalog.NewPhase{open(1)}, 1),
		Entry("one that ends, and the subscription with it", []catalog.NewPhase{months(1, 12)}, 1),
		Entry("three, of which one has no price", []catalog.NewPhase{months(1, 1), months(2, 1), open(3)}, 1, 3, 3),
		Entry("one of a hundred years", []catalog.NewPhase{months(1, 1200)}, 1),
	)

	DescribeTable("are refused",
		func(phases []catalog.NewPhase, order int, fields ...string) {
			_, err := create(ramp(phases, order))
			Expect(fieldsOf(err)).To(Equal(fields))
		},
		Entry("with a gap", []catalog.NewPhase{months(1, 1), open(3)}, 1, "plan_phases[1].order"),
		Entry("from 0", []catalog.NewPhase{months(0, 1), open(2)}, 1, "plan_phases[0].order"),
		Entry("two of one order", []catalog.NewPhase{months(1, 1), months(1, 1)}, 1, "plan_phases[1].order"),
		Entry("open before the last", []catalog.NewPhase{open(1), months(2, 1)}, 1, "plan_phases[0].duration"),
		Entry("of no duration at all", []catalog.NewPhase{months(1, 0)}, 1, "plan_phases[0].duration"),
		Entry("of a negative one", []catalog.NewPhase{months(1, -1)}, 1, "plan_phases[0].duration"),
		Entry("longer than a hundred years", []catalog.NewPhase{months(1, 1201)}, 1, "plan_phases[0].duration"),
		Entry("longer than can be counted", []catalog.NewPhase{months(1, 1<<62)}, 1, "plan_phases[0].duration"),
		Entry("for every reason at once", []catalog.NewPhase{months(3, 0), open(2)}, 1, "plan_phases[0].order", "plan_phases[0].duration"),
		Entry("with a price in none of them", []catalog.NewPhase{open(1)}, 0, "prices[0].plan_phase_order"),
		Entry("with a price in one that is not there", []catalog.NewPhase{open(1)}, 2, "prices[0].plan_phase_order"),
		Entry("with a price before the first", []catalog.NewPhase{open(1)}, -1, "prices[0].plan_phase_order"),
		Entry("none, with a price in the first", nil, 1, "prices[0].plan_phase_order"),
	)

	DescribeTable("hold adjustments by the same rules",
		func(phases []catalog.NewPhase, order *int, fields ...string) {
			in := ramp(phases)
			in.Adjustments = []catalog.PlanAdjustment{{Adjustment: half(), PhaseOrder: order}}
			version, err := create(in)
			if len(fields) == 0 {
				Expect(err).NotTo(HaveOccurred())
				Expect(version.Adjustments[0].PhaseOrder).To(Equal(order))
			} else {
				Expect(fieldsOf(err)).To(Equal(fields))
			}
		},
		Entry("one in the only phase", []catalog.NewPhase{open(1)}, ref(1)),
		Entry("one without phases", nil, nil),
		Entry("one in no phase", []catalog.NewPhase{open(1)}, nil, "adjustments[0].plan_phase_order"),
		Entry("one in a phase that is not there", nil, ref(1), "adjustments[0].plan_phase_order"),
	)
})

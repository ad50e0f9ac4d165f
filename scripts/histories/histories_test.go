package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestHistories(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/histories")
}

var shared *stage

var _ = BeforeSuite(func() {
	collectLess()
	var err error
	shared, err = setUp(context.Background(), filepath.Join("..", "..", ".data"))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(shared.tearDown)
})

var _ = Describe("billing histories", func() {
	It("agree with the model in histories of 20 mutations, a fifth of 100 that the seed of the run chooses", func(ctx SpecContext) {
		o := options{out: GinkgoWriter, seed: 1, count: 100, steps: 20, workers: 2, failures: 1, quick: true}
		if os.Getenv("SPEC_HISTORIES") != "all" {
			o.count = 20
			o.seed += uint64(GinkgoRandomSeed()%5) * 20
		}
		AddReportEntry("histories", fmt.Sprintf("seeds %d to %d", o.seed, int(o.seed)+o.count-1))
		Expect(o.play(ctx, shared)).To(BeZero())
	})

	It("agree in 30 wide ones, of 480 that the seed of the run chooses", func(ctx SpecContext) {
		o := options{out: GinkgoWriter, seed: 1, count: 100, steps: 20, workers: 2, failures: 1, quick: true, wide: true}
		if os.Getenv("SPEC_HISTORIES") != "all" {
			o.count = 30
			o.seed += uint64(GinkgoRandomSeed()%16) * 30
		}
		AddReportEntry("histories", fmt.Sprintf("seeds %d to %d", o.seed, int(o.seed)+o.count-1))
		Expect(o.play(ctx, shared)).To(BeZero())
	})

	DescribeTable("are refused where none would be compared", func(ctx SpecContext, flags ...string) {
		Expect(command(ctx, flags, GinkgoWriter)).To(MatchError(ContainSubstring("no history is compared")))
	},
		Entry("no history", "-count=0"),
		Entry("no step", "-steps=0"),
		Entry("no player", "-workers=0"),
		Entry("ended by none that differ", "-failures=0"),
	)

	It("end in the same bytes however the clock goes through two months, or the year", func(ctx SpecContext) {
		o := options{out: GinkgoWriter, seed: 1, count: 1, steps: 20, months: 2}
		if os.Getenv("SPEC_HISTORIES") == "all" {
			o.months = 12
		}
		Expect(o.playPaces(ctx, shared)).To(BeZero())
	})
})

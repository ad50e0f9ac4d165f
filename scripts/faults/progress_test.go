package main

import (
	"context"
	"io"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A run that would play nothing", func() {
	DescribeTable("is refused", func(o options) {
		o.out = io.Discard
		Expect(o.run(context.Background())).To(MatchError(ContainSubstring("nothing is played")))
	},
		Entry("without seeds", options{faults: 1}),
		Entry("without faults", options{seeds: 1}),
		Entry("for less than no time", options{seeds: 1, faults: 1, soaking: -time.Hour}),
	)

	It("is a finding where a part of the load did nothing", func() {
		whole := played{Faults: map[string]int{"kills": 1}, Histories: 1, Events: 1, Weeks: 1, Webhooks: 1}
		Expect(whole.idle()).To(BeEmpty())
		whole.Events = 0
		Expect(whole.idle()).To(ConsistOf("no events were played"))
		Expect(played{}.idle()).To(HaveLen(5))
	})
})

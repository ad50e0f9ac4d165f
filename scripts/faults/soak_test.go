package main

import (
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A soak", func() {
	judged := func(growth func(s *sample, k int)) error {
		samples := make([]sample, samplesOfSoak+1)
		for k := range samples {
			samples[k] = sample{memory: 200e6, goroutines: 100, files: 40, connections: 30, dead: 0.05}
			growth(&samples[k], k)
		}
		return options{out: io.Discard}.judge(samples)
	}

	It("passes where nothing grows, and where only the beginning was lower", func() {
		Expect(judged(func(*sample, int) {})).To(Succeed())
		Expect(judged(func(s *sample, k int) {
			if k < 4 {
				s.memory, s.goroutines = 50e6, 20
			}
		})).To(Succeed())
	})

	DescribeTable("finds what grows", func(growth func(s *sample, k int), what string) {
		Expect(judged(growth)).To(MatchError(ContainSubstring(what)))
	},
		Entry("memory", func(s *sample, k int) { s.memory += float64(k) * 50e6 }, "memory grew"),
		Entry("goroutines", func(s *sample, k int) { s.goroutines += float64(k) * 20 }, "goroutines grew"),
		Entry("files", func(s *sample, k int) { s.files += float64(k) * 20 }, "files grew"),
		Entry("connections", func(s *sample, k int) { s.connections += float64(k) * 5 }, "connections grew"),
		Entry("dead rows", func(s *sample, k int) { s.dead += float64(k) * 0.05 }, "dead rows grew"),
	)
})

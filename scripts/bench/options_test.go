package main

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("Options by which a part would measure nothing are refused", func(change func(o *options)) {
	o := options{present: 1, rounds: 1, huge: 1, billed: 100, each: time.Second}
	Expect(o.check()).To(Succeed())
	change(&o)
	Expect(o.check()).NotTo(Succeed())
},
	Entry("no round", func(o *options) { o.rounds = 0 }),
	Entry("less than no event", func(o *options) { o.present = -1 }),
	Entry("costly requests for no time", func(o *options) { o.each = 0 }),
	Entry("a huge request of nothing", func(o *options) { o.huge = 0 }),
	Entry("too few subscriptions for a customer of each kind", func(o *options) { o.billed = 99 }),
)

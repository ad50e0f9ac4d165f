package webhooks_test

import (
	"net/netip"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/webhooks"
)

var _ = DescribeTable("What webhooks reach is told by the address alone",
	func(address string, reached bool) {
		Expect(webhooks.Allows(netip.MustParseAddr(address))).To(Equal(reached))
	},
	Entry("a public one", "1.1.1.1", true),
	Entry("a public one of version 6", "2606:4700:4700::1111", true),
	Entry("a public one written as of version 6", "::ffff:1.1.1.1", true),
	Entry("the last before the private ones", "9.255.255.255", true),
	Entry("the first private one", "10.0.0.0", false),
	Entry("the first after them", "11.0.0.0", true),
	Entry("the last of carriers' networks", "100.127.255.255", false),
	Entry("the first after those", "100.128.0.0", true),
	Entry("one of benchmarks", "198.19.255.255", false),
	Entry("one after those", "198.20.0.0", true),
	Entry("one translated to version 4", "64:ff9b::101:101", false),
	Entry("one of a tunnel", "2002:101:101::1", false),
	Entry("one with a zone", "fe80::1%eth0", false),
	Entry("a site's own", "fd12::1", false),
)

var _ = It("What is said of a receiver without a public address does not tell whether its name is known here", func(ctx SpecContext) {
	for _, url := range []string{"http://nothing.invalid/hook", "http://localhost:1/hook", "http://127.0.0.1:1/hook"} {
		Expect(webhooks.WhyNot(ctx, url)).To(Equal("the name has no public address"), url)
	}
}, NodeTimeout(time.Minute))

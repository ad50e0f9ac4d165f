package main

import (
	"flag"
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("What is measured", func(measured string, full bool, args ...string) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	chosen := modeFlags(flags)
	Expect(flags.Parse(args)).To(Succeed())
	one, all := chosen()
	Expect(one.String()).To(Equal(measured))
	Expect(one.measure).NotTo(BeNil())
	Expect(all).To(Equal(full))
},
	Entry("is the usual, without a flag", "bench", false),
	Entry("is what very many events are needed for", "bench -full", true, "-full"),
	Entry("is a part alone", "bench -costly", false, "-costly"),
	Entry("is a part alone with very many subscriptions", "bench -billing", true, "-billing", "-full"),
	Entry("is the last of the table, in any order", "bench -guards", false, "-guards", "-ingest"),
)

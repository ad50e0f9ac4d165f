package main

import (
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Figures of documents", func() {
	faults := func(text string) (found []string) {
		for _, f := range figures(text) {
			if fault := f.fault(); fault != "" {
				found = append(found, fault)
			}
		}
		return found
	}

	DescribeTable("name the commit they were measured on",
		func(text string, count int) {
			Expect(figures(text)).To(HaveLen(count))
			Expect(faults(text)).To(BeEmpty())
			without := strings.NewReplacer("commit 0123abc", "today", "commits 0123abc to 4567def", "today", "| 0123abc |", "| |", "BENCHMARKS", "OTHERS").Replace(text)
			Expect(faults(without)).To(HaveLen(count))
		},
		Entry("as scripts/bench records them", "```text\n2026-11-23, commit 0123abc, 2 processors\n\nCOPY 87 k/s\n```\n", 1),
		Entry("in a column of their table", "| what | figure | commit |\n|---|---|---|\n| faults | 340 | 0123abc |\n| kills | 20 | 0123abc |\n", 2),
		Entry("in the header of a table", "| target | on two quiet cores, commits 0123abc to 4567def |\n|---|---|\n| make test | 15 minutes |\n", 1),
		Entry("in a sentence over two lines", "Fast: 50,000 to\n70,000 events a second, measured on commit 0123abc.\n", 1),
		Entry("in a sentence", "Fast: 50,000 to 70,000 events a second, on commit 0123abc.\n", 1),
		Entry("by way of a document of figures", "Much before.\n\nThe server needs about 150 MB\n([figures](../BENCHMARKS.md)).\n\nMuch after.\n", 1),
		Entry("or are limits, and none", "More than 200 requests a second are refused.\n\n| setting | default |\n|---|---|\n| X | 5 |\n", 0),
	)

	It("name commits of this repository", func() {
		head, err := exec.Command("git", "rev-parse", "HEAD").Output()
		if err != nil {
			Skip("there is no git repository")
		}
		at := strings.TrimSpace(string(head))
		Expect(missing("../..", []string{at})).To(BeEmpty())
		shallow, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output()
		Expect(err).NotTo(HaveOccurred())
		if strings.TrimSpace(string(shallow)) == "false" {
			Expect(missing("../..", []string{at, "0123abc0123abc"})).To(ConsistOf("0123abc0123abc"))
		}
	})
})

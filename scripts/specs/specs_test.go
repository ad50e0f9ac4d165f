package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/gen"
)

func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/specs")
}

// suiteOf lets a script stand for ginkgo, and returns what came of it and what it wrote.
func suiteOf(script string) (outcome, string) {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	GinkgoT().Chdir(dir)
	Expect(os.MkdirAll(logs, 0o755)).To(Succeed())
	Expect(os.WriteFile("ginkgo", []byte("#!/bin/sh\n"+script), 0o755)).To(Succeed())
	r := &runner{dir: dir, ginkgo: filepath.Join(dir, "ginkgo"), quiet: time.Second}
	all := r.all(context.Background(), []lane{{[]suite{{"some/suite", 1, ""}}, 1}})
	Expect(all).To(HaveLen(1))
	log, err := os.ReadFile(all[0].log)
	Expect(err).NotTo(HaveOccurred())
	return all[0], string(log)
}

var _ = Describe("A suite", func() {
	It("counts its specs as they end", func() {
		o, _ := suiteOf(`echo '[1] some/suite - 3/7 specs - 2 procs •••'`)
		Expect(o.err).NotTo(HaveOccurred())
		Expect(o.specs).To(BeEquivalentTo(3))
	})

	It("is killed with what it started once no spec ends any more", func() {
		o, log := suiteOf(`echo 'some/suite - 2/2 specs •'; sleep 3600 & sleep 3600`)
		Expect(o.err).To(HaveOccurred())
		Expect(log).To(ContainSubstring("No spec has ended for 3s"))
	})

	It("goes on for as long as specs end", func() {
		o, _ := suiteOf(`for i in 1 2 3 4 5; do sleep 1; printf '•'; done`)
		Expect(o.err).NotTo(HaveOccurred())
		Expect(o.wall).To(BeNumerically(">", 3*time.Second))
	})
})

var _ = Describe("The summary", func() {
	summary := func(o outcome) (string, bool) {
		var out strings.Builder
		failed := summarize(&out, []outcome{o}, time.Minute)
		return out.String(), failed
	}

	It("says in ten lines why a spec failed", func() {
		report := filepath.Join(GinkgoT().TempDir(), "report.json")
		reason := strings.Repeat(`a long reason\n`, 50)
		Expect(os.WriteFile(report, []byte(`[{"SpecReports": [
			{"LeafNodeType": "It", "LeafNodeText": "pays", "State": "passed"},
			{"LeafNodeType": "It", "LeafNodeText": "charges once", "State": "failed", "Failure": {"Message": "Expected 2 to equal 1\n`+reason+`"}}]}]`), 0o600)).To(Succeed())
		text, failed := summary(outcome{suite: suite{folder: "some/suite"}, report: report, err: os.ErrInvalid})
		Expect(failed).To(BeTrue())
		Expect(text).To(ContainSubstring("FAILED some/suite: charges once"))
		Expect(text).To(ContainSubstring("Expected 2 to equal 1"))
		Expect(text).To(HaveSuffix("1 passed, 1 failed, 0 skipped\n"))
		shown, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
		Expect(strings.Count(shown, "\n")).To(BeNumerically("<=", lines))
	})

	It("says why a suite ended without a report, from the panic on", func() {
		log := filepath.Join(GinkgoT().TempDir(), "log")
		Expect(os.WriteFile(log, []byte("much before\n\npanic: no database\n\ngoroutine 1\n"+strings.Repeat("frame\n", 100)), 0o600)).To(Succeed())
		text, failed := summary(outcome{suite: suite{folder: "some/suite"}, report: "missing.json", log: log, err: os.ErrInvalid})
		Expect(failed).To(BeTrue())
		Expect(text).To(ContainSubstring("panic: no database"))
		Expect(text).NotTo(ContainSubstring("much before"))
		Expect(text).To(HaveSuffix("0 passed, 1 failed, 0 skipped\n"))
	})
})

var _ = Describe("The check that the contract is exercised", func() {
	check := func(called ...string) error {
		dir := GinkgoT().TempDir()
		GinkgoT().Chdir(GinkgoT().TempDir())
		Expect(os.MkdirAll(logs, 0o755)).To(Succeed())
		for _, line := range called {
			file, err := os.CreateTemp(dir, "suite-")
			Expect(err).NotTo(HaveOccurred())
			_, err = file.WriteString(line)
			Expect(err).NotTo(HaveOccurred())
			Expect(file.Close()).To(Succeed())
		}
		return checkContract(GinkgoWriter, dir)
	}
	every := func() (text string) {
		document, err := gen.GetSpec()
		Expect(err).NotTo(HaveOccurred())
		for _, item := range document.Paths.Map() {
			for _, op := range item.Operations() {
				text += "\n" + op.OperationID + " 200"
			}
		}
		return text
	}

	It("passes when all operations were called, by whatever process", func() {
		Expect(check("ping 200\nping 401\n", every())).To(Succeed())
	})

	It("names an operation that was never called", func() {
		Expect(check(strings.Replace(every(), "\nPing 200", "", 1))).To(MatchError("no spec calls Ping"))
	})

	It("fails when it did not run", func() {
		Expect(check()).To(MatchError(ContainSubstring("did not run")))
	})
})

var _ = Describe("What runs under the race detector", func() {
	BeforeEach(func() { GinkgoT().Chdir("../..") })

	It("is what starts goroutines", func() {
		folders, files, err := raced([]string{"domain/money", "domain/event", server, unraced, "scripts/faults"})
		Expect(err).NotTo(HaveOccurred())
		Expect(folders).To(ConsistOf("domain/event", server))
		Expect(files).To(And(ContainSubstring("parallel_changes_test.go"), Not(ContainSubstring("items_test.go"))))
	})

	It("may be a package beside the server's", func() {
		folders, files, err := raced([]string{"domain/event"})
		Expect(err).NotTo(HaveOccurred())
		Expect(folders).To(ConsistOf("domain/event"))
		Expect(files).To(BeEmpty())
	})

	It("is refused when nothing is found", func() {
		_, _, err := raced([]string{"domain/money"})
		Expect(err).To(MatchError(ContainSubstring("nothing to find")))
	})
})

var _ = Describe("A package that is named", func() {
	BeforeEach(func() { GinkgoT().Chdir("../..") })

	It("is run once, however it is named", func(ctx SpecContext) {
		Expect(withSpecs(ctx, []string{"./domain/money", "./domain/mon..."})).To(Equal([]string{"domain/money"}))
	})

	It("is refused without specs, also beside others", func(ctx SpecContext) {
		_, err := withSpecs(ctx, []string{"./domain/money", "./docs"})
		Expect(err).To(MatchError("./docs has no specs"))
		_, err = withSpecs(ctx, []string{"./domain/nothing..."})
		Expect(err).To(MatchError("./domain/nothing... has no specs"))
	})
})

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestKnots(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/knots")
}

var _ = Describe("Knots", func() {
	// circle writes a package of n files, each of which calls a method or a function of the next.
	circle := func(n int) (dir string) {
		dir = GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o600)).To(Succeed())
		for k := range n {
			text := fmt.Sprintf("package x\n\nimport \"strings\"\n\ntype t%d struct{}\n\nfunc (t%[1]d) m() { t%[2]d{}.m(); _ = strings.ToUpper(\"\") }\n", k, (k+1)%n)
			Expect(os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%02d.go", k)), []byte(text), 0o600)).To(Succeed())
		}
		return dir
	}

	It("are found where sixteen files refer to each other, and not where fifteen do", func() {
		Expect(command([]string{circle(15)}, io.Discard)).To(Succeed())
		Expect(command([]string{circle(16)}, io.Discard)).To(MatchError(ContainSubstring("1 knots")))
	})

	It("are told apart", func() {
		Expect(graph{"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c"}, "e": {"a"}}.knots()).
			To(ConsistOf([]string{"a", "b"}, []string{"c", "d"}))
	})

	It("are refused without a directory", func() {
		Expect(command(nil, io.Discard)).NotTo(Succeed())
	})

	It("are refused of a directory without a package", func() {
		Expect(command([]string{GinkgoT().TempDir()}, io.Discard)).NotTo(Succeed())
	})
})

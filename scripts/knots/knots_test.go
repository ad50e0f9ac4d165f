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
		Expect(command(circle(15), nil, io.Discard)).To(Succeed())
		Expect(command(circle(16), nil, io.Discard)).To(MatchError(ContainSubstring("1 knots")))
	})

	It("may have as many files as the reason of their package says, and no fewer", func() {
		dir := circle(17)
		for files, ok := range map[int]bool{16: false, 17: true, 18: false} {
			err := command(dir, map[string]reason{"": {files, "a spec"}}, io.Discard)
			Expect(err == nil).To(Equal(ok), "%d files: %v", files, err)
		}
		Expect(command(dir, map[string]reason{"": {17, "a spec"}, "other": {16, "none"}}, io.Discard)).To(MatchError(ContainSubstring("no package")))
	})

	It("are told apart", func() {
		Expect(graph{"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c"}, "e": {"a"}}.knots()).
			To(ConsistOf([]string{"a", "b"}, []string{"c", "d"}))
	})

	It("are refused of a directory without a package", func() {
		Expect(command(GinkgoT().TempDir(), nil, io.Discard)).NotTo(Succeed())
	})
})

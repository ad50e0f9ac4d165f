package main

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestImports(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/imports")
}

var _ = Describe("Imports of the domain", func() {
	var root string
	write := func(path, text string) {
		GinkgoHelper()
		path = filepath.Join(root, path)
		Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	}
	// found are the findings for packages a, b and c, of which each imports what its text says.
	found := func(table string, imports map[string]string) []string {
		GinkgoHelper()
		root = GinkgoT().TempDir()
		write("go.mod", "module m\n\ngo 1.24\n")
		write("domain/README.md", table)
		for _, name := range []string{"a", "b", "c"} {
			write("domain/"+name+"/x.go", "package "+name+"\n\n"+imports[name])
		}
		findings, err := check(root)
		Expect(err).NotTo(HaveOccurred())
		return findings
	}
	const table = "| package | what it is |\n|---|---|\n| `a`, `b` | two |\n| `c` | one |\n"

	It("point up the table, and from right to left in a row", func() {
		Expect(found(table, map[string]string{"b": `import _ "m/domain/a"`, "c": "import (\n\t_ \"fmt\"\n\t_ \"m/domain/a\"\n\t_ \"m/domain/b\"\n)"})).To(BeEmpty())
	})

	It("are found where they point down", func() {
		Expect(found(table, map[string]string{"a": `import _ "m/domain/c"`})).To(ConsistOf(HavePrefix("a imports c,")))
		Expect(found(table, map[string]string{"a": `import _ "m/domain/b"`})).To(ConsistOf(HavePrefix("a imports b,")))
	})

	It("are found in specs too, inside the package and beside it", func() {
		Expect(found(table, nil)).To(BeEmpty())
		for _, name := range []string{"a", "a_test"} {
			write("domain/a/x_test.go", "package "+name+"\n\nimport _ \"m/domain/b\"\n")
			findings, err := check(root)
			Expect(err).NotTo(HaveOccurred())
			Expect(findings).To(ConsistOf(HavePrefix("a imports b,")), name)
		}
	})

	It("are of packages that are in the table, once, and of no others", func() {
		Expect(found("| `a` | one |\n| `d` | one |\n| `c` | one |\n", nil)).To(ConsistOf(HavePrefix("b is not in the table"), HavePrefix("d is in the table")))
		for _, wrong := range []string{"", "| `a` | one |\n| `a`, `b` | two |\n"} {
			write("domain/README.md", wrong)
			_, err := check(root)
			Expect(err).To(HaveOccurred())
		}
	})
})

//go:build unix

package cluster

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exportedOn returns what other packages may name where the system is goos: functions, methods
// and variables.
func exportedOn(goos string) (names []string) {
	GinkgoHelper()
	system := build.Default
	system.GOOS, system.CgoEnabled = goos, false
	entries, err := os.ReadDir(".")
	Expect(err).NotTo(HaveOccurred())
	for _, entry := range entries {
		matches, err := system.MatchFile(".", entry.Name())
		Expect(err).NotTo(HaveOccurred())
		if !matches || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.SkipObjectResolution)
		Expect(err).NotTo(HaveOccurred())
		for _, declaration := range file.Decls {
			names = append(names, namesIn(declaration)...)
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !ast.IsExported(name[strings.LastIndex(name, ".")+1:])
	})
	slices.Sort(names)
	return names
}

func namesIn(declaration ast.Decl) (names []string) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		of := d.Recv.List[0].Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if of := of.(*ast.Ident).Name; ast.IsExported(of) {
			return []string{of + "." + d.Name.Name}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range value.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

var _ = Describe("Where there is no private cluster", func() {
	It("has the names that other packages use, so that they build", func() {
		here := exportedOn("linux")
		Expect(here).To(ContainElements("Start", "Cluster.URLAs", "Cluster.Stop"))
		Expect(exportedOn("darwin")).To(Equal(here))
		Expect(exportedOn("windows")).To(Equal(here))
	})
})

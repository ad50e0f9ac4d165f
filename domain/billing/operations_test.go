package billing_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// unnamed are the exported functions of a file that work in a transaction, may fail, and do not say in their
// errors what they were doing.
func unnamed(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil || len(f.Type.Params.List) == 0 {
			continue
		}
		results := f.Type.Results.List
		if last, is := results[len(results)-1].Type.(*ast.Ident); !is || last.Name != "error" {
			continue
		}
		first, is := f.Type.Params.List[0].Type.(*ast.StarExpr)
		if !is {
			continue
		}
		if in, is := first.X.(*ast.SelectorExpr); !is || in.Sel.Name != "Tx" {
			continue
		}
		if !beginsWithDoing(f.Body) {
			names = append(names, f.Name.Name)
		}
	}
	return names
}

func beginsWithDoing(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	deferred, is := body.List[0].(*ast.DeferStmt)
	if !is {
		return false
	}
	called, is := deferred.Call.Fun.(*ast.SelectorExpr)
	return is && called.Sel.Name == "Doing"
}

var _ = Describe("The errors of operations", func() {
	It("say what was being done", func() {
		for _, pattern := range []string{"*.go", "../migration/*.go"} {
			files, err := filepath.Glob(pattern)
			Expect(err).NotTo(HaveOccurred())
			Expect(files).NotTo(BeEmpty())
			for _, path := range files {
				if strings.HasSuffix(path, "_test.go") {
					continue
				}
				file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
				Expect(err).NotTo(HaveOccurred())
				Expect(unnamed(file)).To(BeEmpty(), path+": begin these with defer fault.Doing")
			}
		}
	})

	It("are found where they do not", func() {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
			func Bare(tx *store.Tx) (err error) { return tx.Do() }
			func Late(tx *store.Tx) (err error) { tx.Do(); defer fault.Doing(&err, "x"); return nil }
			func Said(tx *store.Tx) (err error) { defer fault.Doing(&err, "x"); return tx.Do() }
			func Pure(n int) error { return nil }
			func lower(tx *store.Tx) error { return nil }`, parser.SkipObjectResolution)
		Expect(err).NotTo(HaveOccurred())
		Expect(unnamed(file)).To(Equal([]string{"Bare", "Late"}))
	})
})

// Command knots finds files of a package that refer to each other in a circle: a reader of one needs all of
// them. It fails when more than fifteen do, or more than the reasons of this command allow.
//
//	go run ./scripts/knots [directory of the module]
//
// One file refers to another where it uses a function, method, type, variable or constant that the other
// declares. Fields do not count: they come with their type. Specs are left out, and so are generated files.
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// most is how many files may refer to each other.
const most = 15

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := command(root, reasons, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "knots:", err)
		os.Exit(1)
	}
}

// command looks through all packages of the module in a directory.
func command(root string, reasons map[string]reason, out io.Writer) error {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: root}, "./...")
	if err != nil {
		return err
	}
	found, seen := 0, map[string]bool{}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return pkg.Errors[0]
		}
		dir := strings.TrimPrefix(strings.TrimPrefix(pkg.PkgPath, pkg.Module.Path), "/")
		seen[dir] = true
		largest := 0
		for _, knot := range references(pkg).knots() {
			largest = max(largest, len(knot))
			if len(knot) > max(most, reasons[dir].files) {
				found++
				_, _ = fmt.Fprintf(out, "%s: %d files refer to each other: %s\n", dir, len(knot), strings.Join(knot, " "))
			}
		}
		if allowed, is := reasons[dir]; is && largest < allowed.files {
			found++
			_, _ = fmt.Fprintf(out, "%s: %d files refer to each other, and the reason allows %d: lower it\n", dir, largest, allowed.files)
		}
	}
	for dir := range reasons {
		if !seen[dir] {
			return fmt.Errorf("there is a reason for %s, which is no package", dir)
		}
	}
	if len(seen) == 0 {
		return fmt.Errorf("%s has no package", root)
	}
	if found > 0 {
		return fmt.Errorf("%d knots are not as they may be: move declarations to the files of their subject", found)
	}
	return nil
}

// graph is which files each file refers to.
type graph map[string][]string

// references reads which files of a package use what others declare.
func references(pkg *packages.Package) graph {
	generated := map[string]bool{}
	for _, file := range pkg.Syntax {
		generated[fileOf(pkg.Fset, file.Pos())] = ast.IsGenerated(file)
	}
	edges := graph{}
	for name, object := range pkg.TypesInfo.Uses {
		if object.Pkg() != pkg.Types || !declared(pkg.Types, object) {
			continue
		}
		from, to := fileOf(pkg.Fset, name.Pos()), fileOf(pkg.Fset, object.Pos())
		if from != to && !generated[from] && !generated[to] && !slices.Contains(edges[from], to) {
			edges[from] = append(edges[from], to)
		}
	}
	return edges
}

// declared reports whether an object is a declaration of the package, or a method.
func declared(pkg *types.Package, object types.Object) bool {
	if object.Parent() == pkg.Scope() {
		return true
	}
	function, is := object.(*types.Func)
	return is && function.Signature().Recv() != nil
}

func fileOf(positions *token.FileSet, at token.Pos) string {
	return filepath.Base(positions.Position(at).Filename)
}

// knots are the groups of files each of which refers to all others of the group, by way of some, in the
// order of their names. They are the strongly connected components of the graph, by Tarjan.
func (g graph) knots() (all [][]string) {
	var stack []string
	number, low := map[string]int{}, map[string]int{}
	var visit func(file string)
	visit = func(file string) {
		number[file] = len(number) + 1
		low[file] = number[file]
		stack = append(stack, file)
		for _, to := range g[file] {
			switch {
			case number[to] == 0:
				visit(to)
				low[file] = min(low[file], low[to])
			case slices.Contains(stack, to):
				low[file] = min(low[file], number[to])
			}
		}
		if low[file] != number[file] {
			return
		}
		first := slices.Index(stack, file)
		knot := slices.Clone(stack[first:])
		stack = stack[:first]
		if len(knot) > 1 {
			slices.Sort(knot)
			all = append(all, knot)
		}
	}
	var files []string
	for file := range g {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		if number[file] == 0 {
			visit(file)
		}
	}
	return all
}

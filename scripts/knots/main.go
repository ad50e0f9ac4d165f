// Command knots finds files of a package that refer to each other in a circle: a reader of one needs all of
// them. It fails when more than fifteen do.
//
//	go run ./scripts/knots DIRECTORY ...
//
// One file refers to another where it uses a function, method, type, variable or constant that the other
// declares. Fields do not count: they come with their type. Specs are left out.
package main

import (
	"errors"
	"fmt"
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
	if err := command(os.Args[1:], os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "knots:", err)
		os.Exit(1)
	}
}

func command(directories []string, out io.Writer) error {
	if len(directories) == 0 {
		return errors.New("name directories of packages")
	}
	found := 0
	for _, dir := range directories {
		edges, err := references(dir)
		if err != nil {
			return err
		}
		for _, knot := range edges.knots() {
			if len(knot) > most {
				found++
				_, _ = fmt.Fprintf(out, "%s: %d files refer to each other: %s\n", dir, len(knot), strings.Join(knot, " "))
			}
		}
	}
	if found > 0 {
		return fmt.Errorf("%d knots of more than %d files: move declarations to the files of their subject", found, most)
	}
	return nil
}

// graph is which files each file refers to.
type graph map[string][]string

// references reads the package in a directory.
func references(dir string) (graph, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir}, ".")
	if err != nil {
		return nil, err
	}
	if len(loaded) == 0 {
		return nil, fmt.Errorf("%s has no package", dir)
	}
	pkg := loaded[0]
	if len(pkg.Errors) > 0 {
		return nil, pkg.Errors[0]
	}
	edges := graph{}
	for name, object := range pkg.TypesInfo.Uses {
		if object.Pkg() != pkg.Types || !declared(pkg.Types, object) {
			continue
		}
		from, to := fileOf(pkg.Fset, name.Pos()), fileOf(pkg.Fset, object.Pos())
		if from != to && !slices.Contains(edges[from], to) {
			edges[from] = append(edges[from], to)
		}
	}
	return edges, nil
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

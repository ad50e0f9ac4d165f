// Command imports checks that each package of the domain imports only packages that stand above it in the table of
// domain/README.md, beside store. It prints each import that points down, and then exits with 1.
//
//	go run ./scripts/imports [directory of the repository]
//
// Specs are held to the same order, but for two that are tried on the records of others. The packages that only checks use are left out: .golangci.yml says who may import these.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	findings, err := check(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "imports:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// forChecks are the packages that only checks use.
var forChecks = []string{"domaintest", "reference"}

// freeSpecs are the packages whose specs may import any: statements of metrics are tried on events, and a search on what it finds.
var freeSpecs = []string{"metric", "search"}

// check compares what the packages of root/domain import with the table.
func check(root string) (findings []string, err error) {
	text, err := os.ReadFile(filepath.Join(root, "domain", "README.md"))
	if err != nil {
		return nil, err
	}
	order, err := table(string(text))
	if err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedModule | packages.NeedForTest, Dir: root, Tests: true}, "./domain/...")
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, p := range loaded {
		if strings.HasSuffix(p.PkgPath, ".test") { // the program that runs specs
			continue
		}
		domain := p.Module.Path + "/domain/"
		name := strings.TrimSuffix(strings.TrimPrefix(p.PkgPath, domain), "_test")
		found[name] = true
		if slices.Contains(forChecks, name) || p.ForTest != "" && slices.Contains(freeSpecs, name) {
			continue
		}
		at := slices.Index(order, name)
		if at < 0 {
			findings = append(findings, name+" is not in the table of domain/README.md")
			continue
		}
		for path := range p.Imports {
			other, ours := strings.CutPrefix(path, domain)
			if ours && other != name && !slices.Contains(forChecks, other) && slices.Index(order, other) >= at {
				findings = append(findings, fmt.Sprintf("%s imports %s, which does not stand above it in the table of domain/README.md", name, other))
			}
		}
	}
	for _, name := range order {
		if !found[name] {
			findings = append(findings, name+" is in the table of domain/README.md and is no package")
		}
	}
	slices.Sort(findings)
	return slices.Compact(findings), nil // of a package and its specs
}

var (
	row  = regexp.MustCompile("(?m)^\\| (`[a-z]+`(?:, `[a-z]+`)*) \\|")
	name = regexp.MustCompile("`([a-z]+)`")
)

// table are the packages of the first column of the table, from top to bottom and left to right.
func table(text string) (order []string, err error) {
	for _, cells := range row.FindAllStringSubmatch(text, -1) {
		for _, one := range name.FindAllStringSubmatch(cells[1], -1) {
			if slices.Contains(order, one[1]) {
				return nil, fmt.Errorf("domain/README.md has %s twice in its table", one[1])
			}
			order = append(order, one[1])
		}
	}
	if len(order) == 0 {
		return nil, errors.New("domain/README.md has no table of packages")
	}
	return order, nil
}

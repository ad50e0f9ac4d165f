package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// suite is the specs of a package.
type suite struct {
	folder string // such as domain/credit
	procs  int    // processes that share the specs
	files  string // a pattern of files, for their specs alone; "": all
}

// lane is suites of which so many run at once.
type lane struct {
	suites []suite
	width  int
}

// Suites with most to do come first in their lanes, so that no other waits for them at the end.
var (
	longest = []string{"domain/rating", "scripts/histories", "domain/event", "domain/usage", "domain/billing"}
	// waiting are suites that start and kill processes. They wait for most of their time.
	waiting = []string{commands, "server/crash"}
)

const (
	server   = "server"                // the suite with most specs
	commands = "server/cmd/tollkeeper" // the one that waits most
)

// plan says which suites run beside each other. Three lanes run at once: the server's own suite; those that
// wait; the others.
func plan(ctx context.Context, race bool, packages []string) ([]lane, error) {
	folders, err := withSpecs(ctx, packages)
	if err != nil {
		return nil, err
	}
	files := ""
	if race {
		if folders, files, err = raced(folders); err != nil {
			return nil, err
		}
	}
	first, second, third := lane{width: 1}, lane{width: len(waiting)}, lane{width: runtime.NumCPU()}
	for _, folder := range ordered(folders) {
		switch {
		case folder == server:
			first.suites = append(first.suites, suite{folder, runtime.NumCPU(), files})
		case slices.Contains(waiting, folder):
			procs := 1 // the suite of crashes keeps a processor busy itself
			if folder == commands {
				procs = 2
			}
			second.suites = append(second.suites, suite{folder, procs, ""})
		default:
			third.suites = append(third.suites, suite{folder, 1, ""})
		}
	}
	return []lane{first, second, third}, nil
}

// ordered puts the suites that take longest first.
func ordered(folders []string) []string {
	first := append(slices.Clone(longest), waiting...)
	return slices.SortedStableFunc(slices.Values(folders), func(a, b string) int {
		return rank(first, a) - rank(first, b)
	})
}

func rank(first []string, folder string) int {
	if at := slices.Index(first, folder); at >= 0 {
		return at
	}
	return len(first)
}

// withSpecs lists the folders of packages that have specs; of all packages, if none is named. A name that leads to no
// specs is refused.
func withSpecs(ctx context.Context, packages []string) (folders []string, err error) {
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	for _, named := range packages {
		list := exec.CommandContext(ctx, "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", named)
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list packages: %w", err)
		}
		paths := strings.Fields(string(out))
		if len(paths) == 0 {
			return nil, fmt.Errorf("%s has no specs", named)
		}
		for _, path := range paths {
			if folder := strings.TrimPrefix(path, "tollkeeper/"); !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return folders, nil
}

// Of the code, what starts goroutines runs under the race detector. It is found by what stands in the
// files, so that new code is not forgotten. The server's specs are mostly one request after another: of them only files in
// which several things happen at once, by goroutines of their own or by these helpers.
var (
	goroutine = regexp.MustCompile(`(?m)(^|\s)go [a-zA-Z_.]+(\(|\{)|\.Go\(`)
	atOnce    = regexp.MustCompile(goroutine.String() + `|atOnce\(|openPost\(`)
)

// unraced has goroutines that are tabs of a browser, and its pages have specs of their own.
const unraced = "server/browser"

// raced returns the folders of what runs under the race detector, and a pattern of files of the server's.
func raced(folders []string) (selected []string, files string, err error) {
	for _, folder := range folders {
		area, _, _ := strings.Cut(folder, "/")
		if folder == unraced || !slices.Contains([]string{"domain", "store", server}, area) {
			continue
		}
		found, err := matching(folder, "*.go", goroutine)
		if err != nil {
			return nil, "", err
		}
		if len(found) > 0 {
			selected = append(selected, folder)
		}
	}
	if len(selected) == 0 {
		return nil, "", errors.New("none of these packages starts goroutines, so the race detector has nothing to find")
	}
	if !slices.Contains(folders, server) {
		return selected, "", nil
	}
	if !slices.Contains(selected, server) {
		return nil, "", errors.New("no file of the server's specs starts goroutines: has the code been moved?")
	}
	names, err := matching(server, "*_test.go", atOnce)
	return selected, "/" + server + "/(" + strings.Join(names, "|") + ")$", err
}

// matching lists the files of a folder with a text, by name.
func matching(folder, files string, text *regexp.Regexp) (names []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, files))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if text.Match(content) {
			names = append(names, filepath.Base(path))
		}
	}
	return names, nil
}

//go:build unix

package cluster

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// oldest is the lowest major version that the migrations and queries work on.
const oldest = 15

func (b Binaries) path(program string) string { return filepath.Join(b.Dir, program) }

// distributionDirs are where packages put binaries that are not in PATH.
var distributionDirs = []string{
	"/usr/lib/postgresql/*/bin",             // Debian, Ubuntu
	"/usr/pgsql-*/bin",                      // the PostgreSQL project's packages for Red Hat
	"/usr/libexec/postgresql*",              // Alpine
	"/usr/local/pgsql/bin",                  // built from source
	"/opt/homebrew/opt/postgresql@*/bin",    // Homebrew
	"/usr/local/opt/postgresql@*/bin",       // Homebrew on Intel
	"/Library/PostgreSQL/*/bin",             // the installer for macOS
	"/run/current-system/sw/bin",            // NixOS
	"/home/linuxbrew/.linuxbrew/opt/*/bin/", // Homebrew on Linux
}

// Find lists the installed PostgreSQL of a usable version, the highest first:
// those in PATH, of the distribution, and those fetched into cache before.
func Find(cache string) []Binaries {
	var found []Binaries
	for _, dir := range candidates(cache) {
		b, ok := inspect(dir)
		if ok && b.Major >= oldest && !slices.ContainsFunc(found, func(f Binaries) bool { return f.Dir == b.Dir }) {
			found = append(found, b)
		}
	}
	slices.SortStableFunc(found, func(a, b Binaries) int { return cmp.Compare(b.Major, a.Major) })
	return found
}

func candidates(cache string) []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range distributionDirs {
		matches, _ := filepath.Glob(pattern) // fails only on a malformed pattern
		dirs = append(dirs, matches...)
	}
	for _, major := range Fetchable() {
		dirs = append(dirs, filepath.Join(cache, fetchedRoot(major), "native", "bin"))
	}
	return dirs
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// inspect looks at the directory where postgres really lies: PATH may hold a
// link to it alone, without initdb beside it.
func inspect(dir string) (b Binaries, ok bool) {
	program, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		return b, false
	}
	b.Dir, err = filepath.Abs(filepath.Dir(program))
	if err != nil {
		return b, false
	}
	if _, err := exec.LookPath(b.path("initdb")); err != nil {
		return b, false
	}
	out, err := exec.Command(b.path("postgres"), "--version").Output()
	if err != nil {
		return b, false
	}
	match := versionLine.FindStringSubmatch(string(out))
	if match == nil {
		return b, false
	}
	b.Version = match[1]
	b.Major, err = strconv.Atoi(match[2])
	return b, err == nil
}

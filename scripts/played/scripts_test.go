package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// script runs a script of the repository with programs of the spec before others, and returns what it prints.
func script(programs, command string) (string, error) {
	bash := exec.Command("bash", "-c", command)
	bash.Dir = "../.."
	bash.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"))
	out, err := bash.CombinedOutput()
	return string(out), err
}

var _ = Describe("A script", func() {
	DescribeTable("fails where what it is asked for selects nothing",
		func(command, says string) {
			out, err := script("", command)
			Expect(err).To(HaveOccurred(), out)
			Expect(out).To(ContainSubstring(says))
		},
		Entry("a part that there is not", "scripts/long --part 1 nonsense", "nonsense is no part"),
		Entry("readers of a package that has none", "scripts/fuzz 1s domain/nothing", "no reader is fuzzed"),
		Entry("versions that are none", "scripts/matrix 15,x", "name versions of PostgreSQL"),
		Entry("a package without specs", "scripts/test ./docs", "./docs has no specs"),
	)

	// The go of these specs makes a suite, and is one, in which the focus selects no spec: it passes unless it must not.
	It("fails where a focus selects no spec", func() {
		programs := GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(programs, "go"), []byte(`#!/bin/bash
			while [[ $# -gt 0 ]]; do
				case $1 in
				-o) cp "$0" "$2"; exit ;;
				*fail-on-empty*) echo 'no specs ran' >&2; exit 1 ;;
				esac
				shift
			done`), 0o700)).To(Succeed())
		for _, command := range []string{"scripts/matrix --without-upgrade 15", "scripts/long --part 1 hostile", "scripts/long --part 1 pages", "scripts/long --part 1 failovers"} {
			out, err := script(programs, command)
			Expect(err).To(HaveOccurred(), "%s\n%s", command, out)
			Expect(out).To(ContainSubstring("no specs ran"), command)
		}
	})

	It("has no focus that may select nothing", func() {
		focused := 0
		for path, text := range texts("scripts", ".ci") {
			if strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".test") { // or a suite that is being run
				continue
			}
			for _, line := range strings.Split(text, "\n") {
				if !strings.Contains(line, "ginkgo.focus") && !strings.Contains(line, "--focus") {
					continue
				}
				focused++
				Expect(line).To(MatchRegexp(`fail-on-empty|\bonce \./`), path)
			}
		}
		Expect(focused).To(BeNumerically(">", 10))
	})
})

// variables are those by which a command changes what specs do.
var variables = regexp.MustCompile(`\bSPEC_[A-Z_]+\b`)

var _ = It("A variable that a script or a document sets is one that specs read", func() {
	read := map[string]bool{}
	for path, text := range texts("server", "domain", "store", "scripts", "gen") {
		if strings.HasSuffix(path, ".go") && filepath.Dir(path) != "scripts/played" || path == "scripts/chromium" {
			for _, name := range variables.FindAllString(text, -1) {
				read[name] = true
			}
		}
	}
	Expect(len(read)).To(BeNumerically(">", 15))
	set := 0
	for path, text := range texts("scripts", ".ci", "docs", "Makefile", "README.md", "CONTRIBUTING.md", "RELIABILITY.md", "BENCHMARKS.md") {
		if strings.HasSuffix(path, ".go") {
			continue
		}
		for _, name := range variables.FindAllString(text, -1) {
			set++
			Expect(read).To(HaveKey(name), path)
		}
	}
	Expect(set).To(BeNumerically(">", 20))
})

// texts are the contents of the files in folders of the repository, by path.
func texts(roots ...string) map[string]string {
	GinkgoHelper()
	all := map[string]string{}
	for _, root := range roots {
		Expect(filepath.WalkDir(filepath.Join("../..", root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			name, _ := filepath.Rel("../..", path)
			all[name] = string(text)
			return err
		})).To(Succeed())
	}
	return all
}

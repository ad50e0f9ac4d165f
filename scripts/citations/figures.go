package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Figures of documents, which are true of a commit. Either that is beside them, or a document of figures is named.
var (
	recorded = regexp.MustCompile("(?m)^```text\\n(\\d{4}-\\d\\d-\\d\\d, .*)$")                                           // by scripts/bench -record
	table    = regexp.MustCompile(`(?m)^\|(.*)\|\n\|[-|: ]+\|\n((?:\|.*\|\n?)*)`)                                         // its header, its rows
	rate     = regexp.MustCompile(`[\d,]{5,}(?:\s+to\s+[\d,]+)?\s+events\s+(?:a|per)\s+second|needs\s+about \d+ [MG]B\b`) // in a sentence
	commit   = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
	named    = regexp.MustCompile(`\bcommits? ([0-9a-f]{7,40})\b(?: to ([0-9a-f]{7,40})\b)?`)
	elsewise = regexp.MustCompile(`\b(?:BENCHMARKS|RELIABILITY)\.md\b`)
)

// isDocument reports whether a text is a document for people, other than the changelog and the rules.
func isDocument(path string) bool {
	path = filepath.ToSlash(path)
	return strings.HasSuffix(path, ".md") && path != "CHANGELOG.md" && !strings.HasPrefix(path, "domain/")
}

// figure is a figure of a document: where it is, and the commits that are named for it.
type figure struct {
	line    int // from 1
	text    string
	commits []string
	refers  bool // to a document of figures
}

func (f figure) fault() string {
	if len(f.commits) > 0 || f.refers {
		return ""
	}
	return fmt.Sprintf("%.40q has figures, and names no commit that they were measured on", f.text)
}

// figures finds the figures of a document.
func figures(text string) (found []figure) {
	for _, at := range recorded.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, figure{line: line(text, at[2]), text: text[at[2]:at[3]], commits: after(text[at[2]:at[3]])})
	}
	for _, at := range table.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, inTable(text[at[2]:at[3]], text[at[4]:at[5]], line(text, at[0]))...)
	}
	for _, at := range rate.FindAllStringIndex(text, -1) {
		paragraph := text[strings.LastIndex(text[:at[0]], "\n\n")+1:]
		paragraph, _, _ = strings.Cut(strings.TrimLeft(paragraph, "\n"), "\n\n")
		found = append(found, figure{line: line(text, at[0]), text: text[at[0]:at[1]], commits: after(paragraph), refers: elsewise.MatchString(paragraph)})
	}
	return found
}

// inTable finds the figures of a table: one with a column of figures has a column of commits; one whose column is about
// a machine names the commit in the header.
func inTable(header, rows string, at int) (found []figure) {
	columns := cells(header)
	if slices.Contains(columns, "figure") {
		column := slices.Index(columns, "commit")
		for i, row := range strings.Split(strings.TrimSpace(rows), "\n") {
			f := figure{line: at + 2 + i, text: row}
			if values := cells(strings.Trim(row, "|")); column >= 0 && column < len(values) {
				f.commits = commit.FindAllString(values[column], -1)
			}
			found = append(found, f)
		}
	}
	for _, column := range columns {
		if strings.Contains(column, "cores") || strings.Contains(column, "processors") {
			found = append(found, figure{line: at, text: column, commits: after(column)})
		}
	}
	return found
}

func cells(row string) (values []string) {
	for _, cell := range strings.Split(row, "|") {
		values = append(values, strings.TrimSpace(cell))
	}
	return values
}

// after returns the commits that a text names as such.
func after(text string) (commits []string) {
	for _, match := range named.FindAllStringSubmatch(text, -1) {
		commits = append(commits, match[1])
		if match[2] != "" {
			commits = append(commits, match[2])
		}
	}
	return commits
}

// missing returns the commits that the history of a repository does not have; none where the history is not whole.
func missing(root string, commits []string) (unknown []string) {
	whole, err := exec.Command("git", "-C", root, "rev-parse", "--is-shallow-repository").Output()
	if err != nil || strings.TrimSpace(string(whole)) != "false" {
		return nil
	}
	for _, one := range commits {
		if exec.Command("git", "-C", root, "cat-file", "-e", one+"^{commit}").Run() != nil {
			unknown = append(unknown, one)
		}
	}
	return unknown
}

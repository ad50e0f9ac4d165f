package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// citation is one place that names a rule.
type citation struct {
	line  int    // of where it begins, from 1
	rule  string // its full name; "" when the form is wrong
	wrong string // what is there instead of a citation
}

// faultIn says what is wrong with a citation, "" when nothing is.
func (c citation) faultIn(rules map[string]bool) string {
	switch {
	case c.wrong != "":
		return `"` + c.wrong + `" is no citation: write "semantics 10.2.7", "price models 5.4" or "gaps A1"`
	case !rules[c.rule]:
		return c.rule + " is cited and is not in domain/rules"
	}
	return ""
}

// Parts of the patterns below. A citation may go on in the next line of a comment.
const (
	gap    = `(?:[ \t]+|[ \t]*\n[ \t]*(?://|--|#|\*)?[ \t]*)`
	joint  = `(?:,|` + gap + `and|` + gap + `to)` + gap
	dotted = `\d+(?:\.\d+)+`
)

var (
	cited    = regexp.MustCompile(`\b(semantics|price` + gap + `models)` + gap + `(\d+(?:\.\d+)*(?:,` + gap + `step` + gap + `\d+)?(?:` + joint + dotted + `)*)`)
	lettered = regexp.MustCompile(`\bgaps` + gap + `([A-J]\d*(?:` + joint + `[A-J]\d+)*)\b`)
	inside   = regexp.MustCompile(`\b(?:rule|section|chapter)` + gap + `(\d+(?:\.\d+)*(?:,` + gap + `step` + gap + `\d+)?)`)
	one      = regexp.MustCompile(`(?:` + dotted + `|\d+|[A-J]\d*)`)
	asStep   = regexp.MustCompile(`,` + gap + `step` + gap)
	other    = regexp.MustCompile(`\bprice-models \d[\d.]*|\bPrice models \d[\d.]*|\bSemantics \d[\d.]*|\b(?:semantics|interface|operations|schemas)\.md\b|\(\d+\.\d+(?:\.\d+)?\)"`)
)

// citations finds all that a text cites. Pages of rules also cite each other by number alone.
func citations(path, text string) (found []citation) {
	add := func(book string, from int, numbers string) {
		for _, rule := range one.FindAllString(asStep.ReplaceAllString(numbers, "."), -1) {
			found = append(found, citation{line: line(text, from), rule: number(book, rule)})
		}
	}
	for _, at := range cited.FindAllStringSubmatchIndex(text, -1) {
		book := semantics
		if text[at[2]] == priceModels[0] {
			book = priceModels
		}
		add(book, at[0], text[at[4]:at[5]])
	}
	for _, at := range lettered.FindAllStringSubmatchIndex(text, -1) {
		add(gaps, at[0], text[at[2]:at[3]])
	}
	if isRule(path) {
		for _, at := range inside.FindAllStringSubmatchIndex(text, -1) {
			add(bookOf(path), at[0], text[at[2]:at[3]])
		}
	}
	for _, at := range other.FindAllStringIndex(text, -1) {
		found = append(found, citation{line: line(text, at[0]), wrong: text[at[0]:at[1]]})
	}
	slices.SortStableFunc(found, func(a, b citation) int { return a.line - b.line })
	return found
}

func isRule(path string) bool { return strings.HasPrefix(filepath.ToSlash(path), "domain/rules/") }

func line(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

// skipped are folders whose texts are not ours or are made from ours.
var skipped = []string{".git", ".data", "bin", "gen", "node_modules", "testdata"}

// eachText calls do with every text of the repository but those of this program, whose specs
// hold citations that are wrong. Paths are relative to root.
func eachText(root string, do func(path, text string)) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(skipped, entry.Name()) || filepath.ToSlash(relative) == "scripts/citations"):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.ContainsRune(content[:min(len(content), 8000)], 0) {
			do(relative, string(content))
		}
		return nil
	})
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Books of rules, by the names they are cited with.
const (
	semantics   = "semantics"
	priceModels = "price models"
	gaps        = "gaps"
)

// bookOf is the book that a page of domain/rules belongs to. Chapters of the semantics and the
// introduction are all the pages that have no book of their own.
func bookOf(path string) string {
	switch filepath.Base(path) {
	case "price-models.md":
		return priceModels
	case "gaps.md":
		return gaps
	}
	return semantics
}

// number is a rule's full name, such as "semantics 10.2.7".
func number(book, rule string) string { return book + " " + rule }

var (
	heading = regexp.MustCompile(`^#{1,3} (\d+(?:\.\d+)*|[A-Z])\.? `)
	item    = regexp.MustCompile(`^(\d+)\. `)
	step    = regexp.MustCompile(`^\| (\d+) \|`)
	row     = regexp.MustCompile(`^\| ([A-Z]\d+) \|`)
)

// readRules collects the numbers of all rules. Findings are numbers that are there twice and
// lists that leave a number out.
func readRules(dir string) (rules map[string]bool, findings []string, err error) {
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, nil, err
	}
	if len(pages) == 0 {
		return nil, nil, fmt.Errorf("no rules in %s", dir)
	}
	rules = map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, nil, err
		}
		for _, fault := range readPage(rules, bookOf(page), string(text)) {
			findings = append(findings, page+":"+fault)
		}
	}
	return rules, findings, nil
}

// readPage adds the numbers of one page.
func readPage(rules map[string]bool, book, text string) (faults []string) {
	section, last := "", 0
	for i, line := range strings.Split(text, "\n") {
		var rule string
		switch {
		case heading.MatchString(line):
			rule, last = heading.FindStringSubmatch(line)[1], 0
			section = rule
		case item.MatchString(line):
			n, _ := strconv.Atoi(item.FindStringSubmatch(line)[1])
			if n != last+1 {
				faults = append(faults, fmt.Sprintf("%d: item %d of %s follows item %d", i+1, n, section, last))
			}
			rule, last = fmt.Sprintf("%s.%d", section, n), n
		case step.MatchString(line):
			rule = section + "." + step.FindStringSubmatch(line)[1]
		case row.MatchString(line):
			rule = row.FindStringSubmatch(line)[1]
		default:
			continue
		}
		if rules[number(book, rule)] {
			faults = append(faults, fmt.Sprintf("%d: %s is there twice", i+1, number(book, rule)))
		}
		rules[number(book, rule)] = true
	}
	return faults
}

package main

import (
	"slices"
	"strconv"
	"strings"
)

// firstShown is the first chapter of what people see. Each of its rules is cited where it is coded, and by a spec: people
// find what is wrong on a page long before a sum of the books does not agree.
const firstShown = 18

// usage tells which rules code and specs cite.
type usage map[string]struct{ code, spec bool }

// add notes a citation of a rule.
func (u usage) add(path, rule string) {
	of := u[rule]
	switch {
	case strings.HasSuffix(path, "_test.go"):
		of.spec = true
	case strings.HasSuffix(path, ".go"), strings.HasSuffix(path, ".sql"), strings.HasSuffix(path, ".templ"):
		of.code = true
	}
	u[rule] = of
}

// lacking are the rules of what people see that code or specs do not cite.
func (u usage) lacking(rules map[string]bool) (findings []string) {
	for rule := range rules {
		numbers, semantic := strings.CutPrefix(rule, semantics+" ")
		parts := strings.Split(numbers, ".")
		chapter, err := strconv.Atoi(parts[0])
		if !semantic || err != nil || chapter < firstShown || len(parts) != 3 {
			continue
		}
		if !u[rule].code {
			findings = append(findings, rule+" is cited by no code")
		}
		if !u[rule].spec {
			findings = append(findings, rule+" is cited by no spec")
		}
	}
	slices.Sort(findings)
	return findings
}

// Command citations checks that each rule which a comment, a spec or a document cites is
// in domain/rules, that code and a spec cite each rule of what people see, and that figures of documents name the commit
// they were measured on. It prints what is wrong, one finding a line, and then exits with 1.
//
//	go run ./scripts/citations [directory of the repository]
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	findings, err := check(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "citations:", err)
		os.Exit(2)
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// check reads the rules of a repository and then every text in it. Findings are in the order
// of paths and lines.
func check(root string) ([]string, error) {
	rules, findings, err := readRules(filepath.Join(root, "domain", "rules"))
	if err != nil {
		return nil, err
	}
	read := 0
	use := usage{}
	err = eachText(root, func(path, text string) {
		found := citations(path, text)
		read += len(found)
		for _, c := range found {
			use.add(path, c.rule)
			if fault := c.faultIn(rules); fault != "" {
				findings = append(findings, fmt.Sprintf("%s:%d: %s", path, c.line, fault))
			}
		}
		if !isDocument(path) {
			return
		}
		for _, f := range figures(text) {
			if fault := f.fault(); fault != "" {
				findings = append(findings, fmt.Sprintf("%s:%d: %s", path, f.line, fault))
			}
			for _, one := range missing(root, f.commits) {
				findings = append(findings, fmt.Sprintf("%s:%d: commit %s is not in this repository", path, f.line, one))
			}
		}
	})
	if err == nil && read == 0 {
		err = errors.New("no text cites a rule")
	}
	return append(findings, use.lacking(rules)...), err
}

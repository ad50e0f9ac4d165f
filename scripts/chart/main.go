// Command chart renders deploy/helm with each option alone and with all together, and examines what it makes: by Kubernetes'
// own schemas and by rules that no schema has. Each option of values.yaml must have a case in cases.yaml, which it must
// change the manifests by. At the end the command must find faults that it plants in a copy of the chart.
//
//	go run ./scripts/chart -helm HELM -validate KUBECTL-VALIDATE
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// versions are the oldest Kubernetes that the chart is for, and the newest whose schemas kubectl-validate has.
var versions = []string{"1.25", "1.30"}

func main() {
	r := renderer{chart: "deploy/helm"}
	flag.StringVar(&r.helm, "helm", "helm", "the program helm")
	flag.StringVar(&r.validate, "validate", "kubectl-validate", "the program kubectl-validate")
	flag.Parse()
	if err := run(r); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func run(r renderer) (err error) {
	if r.work, err = os.MkdirTemp("", "chart-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	cases, err := readCases(filepath.Join("scripts", "chart", "cases.yaml"))
	if err != nil {
		return err
	}
	count, err := check(r, cases, "")
	if err != nil {
		return err
	}
	if err := controls(r, cases); err != nil {
		return err
	}
	fmt.Printf("chart: %d cases of options hold, and all together; %d planted faults were found\n", count, len(plants))
	return nil
}

// check renders and examines the cases of one option, or of all options when it is "", alone and all cases together. It returns
// how many cases there were.
func check(r renderer, cases []optionCase, option string) (int, error) {
	options, err := readOptions(filepath.Join(r.chart, "values.yaml"))
	if err != nil {
		return 0, err
	}
	errs := covers(options, cases)
	together := values{}
	count := 0
	for i, c := range cases {
		if c.Refused == "" && !c.Apart {
			together.merge(c.Beside.nested())
			together.merge(c.values())
		}
		if option == "" || option == c.Option {
			errs = append(errs, c.check(r, fmt.Sprintf("%02d-%s", i, c.Option)))
			count++
		}
	}
	made, err := r.render("together", together)
	if err != nil {
		errs = append(errs, fmt.Errorf("all options together: %w", err))
	} else if err := errors.Join(examine(made), documented(made)); err != nil {
		errs = append(errs, fmt.Errorf("all options together: %w", err))
	}
	for _, version := range versions {
		errs = append(errs, r.validateAll(version))
	}
	return count, errors.Join(errs...)
}

// setting is the name of a variable that the server reads, or refuses.
var setting = regexp.MustCompile(`name: (TOLLKEEPER_\w+)`)

// documented names the settings in manifests that the server would refuse: a spec compares those it knows with this guide.
func documented(made string) error {
	const guide = "docs/configuration.md"
	text, err := os.ReadFile(guide)
	if err != nil {
		return err
	}
	var errs []error
	for _, found := range setting.FindAllStringSubmatch(made, -1) {
		name := found[1]
		if !bytes.Contains(text, []byte("`"+name+"`")) {
			errs = append(errs, fmt.Errorf("%s is not in %s", name, guide))
		}
	}
	return errors.Join(errs...)
}

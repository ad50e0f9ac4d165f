package browser_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// axe is axe-core 4.14.1 as published, under the MPL 2.0 (testdata/axe.LICENSE): it looks for
// what keeps people with disabilities from using a page.
//
//go:embed testdata/axe.min.js
var axe string

// checks looks for what is wrong with the layout.
//
//go:embed checks.js
var checks string

// axeRules are all rules that are on by default, and the size of targets. contrastAlone is the one
// rule whose result depends on the theme, since a theme changes colours and nothing else.
var (
	axeRules      = object{"rules": object{"target-size": object{"enabled": true}}}
	contrastAlone = object{"runOnly": list{"color-contrast"}}
)

type (
	object = map[string]any
	list   = []any
)

// barriers returns what axe finds on the page.
func (t *tab) barriers(options object) []string {
	GinkgoHelper()
	options = cloned(options)
	options["preload"], options["resultTypes"] = false, list{"violations"}
	written, _ := json.Marshal(options)
	run := fmt.Sprintf(`axe.run(document, %s).then((r) => r.violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => v.id + ': ' + n.target + ' ' + n.failureSummary.replaceAll('\n', ' '))))`, written)
	for again := false; ; again = true {
		if !evaluate[bool](t, "'axe' in window") {
			evaluate[string](t, axe+"; axe.version")
		}
		found, err := try[[]string](t, run)
		if errors.Is(err, context.DeadlineExceeded) && !again {
			t.visit(t.path()) // in a page loaded anew the browser answers
			continue
		}
		Expect(err).NotTo(HaveOccurred(), t.path())
		return found
	}
}

func cloned(o object) object {
	copied := object{}
	for name, value := range o {
		copied[name] = value
	}
	return copied
}

// faults returns what is wrong with the page at both widths and in both themes.
func (t *tab) faults() (all []string) {
	GinkgoHelper()
	for _, width := range []int64{wide, narrow} {
		t.look(width, "light")
		all = append(all, at(width, "light", evaluate[[]string](t, checks))...)
		all = append(all, at(width, "light", t.barriers(axeRules))...)
		t.look(width, "dark")
		all = append(all, at(width, "dark", t.barriers(contrastAlone))...)
	}
	t.look(wide, "light")
	return append(all, t.noted()...)
}

// formFaults is faults of a form: of those there are many, made of the same few controls.
func (t *tab) formFaults() (all []string) {
	GinkgoHelper()
	all = at(wide, "light", append(evaluate[[]string](t, checks), t.barriers(axeRules)...))
	t.look(narrow, "dark")
	all = append(all, at(narrow, "dark", append(evaluate[[]string](t, checks), t.barriers(contrastAlone)...))...)
	t.look(wide, "light")
	return append(all, t.noted()...)
}

func at(width int64, theme string, faults []string) (all []string) {
	for _, fault := range faults {
		all = append(all, fmt.Sprintf("%d %s: %s", width, theme, fault))
	}
	return all
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// values are those of a chart.
type values map[string]any

// optionCase is what an option must do; see cases.yaml.
type optionCase struct {
	Option  string
	Value   any
	Beside  values   // by the dotted names of options
	Makes   []string // expressions that the manifests match
	Never   []string // expressions that they do not match
	Apart   bool     // not among all options together: it would take away what others are about
	Refused string   // an expression for the message; "": the chart renders
}

// database is set in every case, since the chart asks for one.
var database = values{"database.url": "postgres://server:" + unseen + "@host/tollkeeper?sslmode=verify-full"}

// freeForm are options that are maps with keys of the user's, or of Kubernetes.
var freeForm = []string{"settings", "podAnnotations", "resources", "podSecurityContext", "securityContext"}

func readCases(name string) (cases []optionCase, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	reader := yaml.NewDecoder(bytes.NewReader(text))
	reader.KnownFields(true)
	if err := reader.Decode(&cases); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return cases, nil
}

// readOptions returns the dotted names of all options in values.yaml.
func readOptions(name string) (options []string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all values
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var walk func(prefix string, of values)
	walk = func(prefix string, of values) {
		for key, value := range of {
			group, isMap := value.(values)
			if isMap && len(group) > 0 && !slices.Contains(freeForm, prefix+key) {
				walk(prefix+key+".", group)
				continue
			}
			options = append(options, prefix+key)
		}
	}
	walk("", all)
	slices.Sort(options)
	return options, nil
}

// covers names options without a case that the chart does not refuse, and cases of no option.
func covers(options []string, cases []optionCase) (errs []error) {
	for _, option := range options {
		if !slices.ContainsFunc(cases, func(c optionCase) bool { return c.Option == option && c.Refused == "" }) {
			errs = append(errs, fmt.Errorf("%s: has no case in cases.yaml", option))
		}
	}
	for _, c := range cases {
		if !slices.Contains(options, c.Option) {
			errs = append(errs, fmt.Errorf("%s: has a case, but is no option of values.yaml", c.Option))
		}
	}
	return errs
}

// nested returns values by their own keys, of values by dotted names.
func (v values) nested() values {
	out := values{}
	for name, value := range v {
		at := out
		keys := strings.Split(name, ".")
		for _, key := range keys[:len(keys)-1] {
			if _, ok := at[key]; !ok {
				at[key] = values{}
			}
			at = at[key].(values)
		}
		at[keys[len(keys)-1]] = value
	}
	return out
}

// merge puts other values over these, as helm does.
func (v values) merge(other values) {
	for key, value := range other {
		under, both := v[key].(values)
		over, ok := value.(values)
		if both && ok {
			under.merge(over)
			continue
		}
		if ok {
			fresh := values{}
			fresh.merge(over)
			value = fresh
		}
		v[key] = value
	}
}

// values returns the option alone.
func (c optionCase) values() values { return values{c.Option: c.Value}.nested() }

// check renders the case with the option and without.
func (c optionCase) check(r renderer, name string) error {
	without := database.nested()
	without.merge(c.Beside.nested())
	before, err := r.render(name+"-without", without)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Option, err)
	}
	with := values{}
	with.merge(without)
	with.merge(c.values())
	made, err := r.render(name, with)
	if c.Refused != "" {
		if err == nil || !regexp.MustCompile(c.Refused).MatchString(err.Error()) {
			return errors.Join(fmt.Errorf("%s: %v must be refused by %q", c.Option, c.Value, c.Refused), err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Option, err)
	}
	var errs []error
	if made == before {
		errs = append(errs, fmt.Errorf("%s: %v changes nothing", c.Option, c.Value))
	}
	for _, expression := range c.Makes {
		if !regexp.MustCompile(expression).MatchString(made) {
			errs = append(errs, fmt.Errorf("%s: %v makes nothing like %q", c.Option, c.Value, expression))
		}
	}
	for _, expression := range c.Never {
		if regexp.MustCompile(expression).MatchString(made) {
			errs = append(errs, fmt.Errorf("%s: %v makes what is like %q", c.Option, c.Value, expression))
		}
	}
	if err := examine(made); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", c.Option, err))
	}
	return errors.Join(errs...)
}

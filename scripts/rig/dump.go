package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Dump collects what an account shows over HTTP: a line of JSON for each object and each member of a list, in the order in
// which they are read. Members of objects are in alphabetical order, so that servers which write them in another one show the same.
type Dump struct {
	Client
	lines []string
}

// Object adds an object.
func (d *Dump) Object(ctx context.Context, path string) error {
	var object any
	if err := d.Get(ctx, path, &object); err != nil {
		return err
	}
	return d.add(object)
}

// List adds every member of a list, of all pages.
func (d *Dump) List(ctx context.Context, path string) error {
	members, err := List[any](ctx, d.Client, path)
	for _, member := range members {
		if err := d.add(member); err != nil {
			return err
		}
	}
	return err
}

func (d *Dump) add(value any) error {
	text, err := json.Marshal(value)
	d.lines = append(d.lines, string(text))
	return err
}

// Ids, prefixes of invoice numbers and links are random, so those of two accounts differ.
var (
	identifier = regexp.MustCompile(`"[a-z_]+_[A-Za-z0-9_-]{20}"`)
	number     = regexp.MustCompile(`\b[A-Z]{6}-(\d{5}|DRAFT)`)
	link       = regexp.MustCompile(`"https?://[^/"]+/(?:i|portal)/[^"]*"`)
)

// String is the same of accounts that show the same: ids are numbered as they appear, and what else is random has one name.
func (d *Dump) String() string {
	text := link.ReplaceAllString(strings.Join(d.lines, "\n"), `"link"`)
	text = number.ReplaceAllString(text, "PREFIX-$1")
	names := map[string]string{}
	return identifier.ReplaceAllStringFunc(text, func(id string) string {
		if names[id] == "" {
			kind := id[1 : len(id)-len(`_`)-20-len(`"`)]
			names[id] = fmt.Sprintf(`"%s_%d"`, kind, len(names))
		}
		return names[id]
	})
}

// around is how much of a line is shown on each side of a difference.
const around = 300

// Difference shows where two texts begin to differ, and calls each by its name. Lines count from 0.
func Difference(name, text, otherName, other string) string {
	x, y := strings.Split(text, "\n"), strings.Split(other, "\n")
	for n := range min(len(x), len(y)) {
		if x[n] == y[n] {
			continue
		}
		at := 0
		for at < min(len(x[n]), len(y[n])) && x[n][at] == y[n][at] {
			at++
		}
		cut := func(line string) string { return line[max(0, at-around):min(len(line), at+around)] }
		width := max(len(name), len(otherName)) + 1
		return fmt.Sprintf("  line %d\n  %-*s %s\n  %-*s %s", n, width, name+":", cut(x[n]), width, otherName+":", cut(y[n]))
	}
	return fmt.Sprintf("  %d lines %s, %d %s", len(x), name, len(y), otherName)
}

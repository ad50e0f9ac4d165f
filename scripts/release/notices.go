package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// license is what the files are called in which modules say what their terms are.
var license = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// notices are the licenses of the modules in the binary, which ask to be passed on with it.
func notices() ([]byte, error) {
	listed, err := output("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", "./server/cmd/tollkeeper")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(listed, "\n")
	slices.Sort(lines)
	var text bytes.Buffer
	for _, line := range slices.Compact(lines) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue
		}
		found, err := licensesIn(fields[2])
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s has no license", fields[0])
		}
		fmt.Fprintf(&text, "==== %s %s\n\n%s\n", fields[0], fields[1], found)
	}
	return text.Bytes(), nil
}

func licensesIn(dir string) (text []byte, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.IsDir() || !license.MatchString(entry.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		text = append(text, content...)
	}
	return text, nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

var numbered = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// agree returns what does not name the version that is to be released, in the repository at root. Each place is
// changed by hand, as docs/releasing.md says.
func agree(root, version string) error {
	if !numbered.MatchString(version) {
		return fmt.Errorf("-version: must be a version such as 1.2.3, without a v; it is %q", version)
	}
	var wrong []error
	differs := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			wrong = append(wrong, err)
		}
		return string(text)
	}
	decode := func(name string, into any) {
		if err := yaml.Unmarshal([]byte(read(name)), into); err != nil {
			differs("%s: %w", name, err)
		}
	}

	var contract struct{ Info struct{ Version string } }
	decode("openapi.yaml", &contract)
	if found := contract.Info.Version; found != version {
		differs("openapi.yaml: info.version must be %s; it is %s", version, found)
	}
	var chart struct {
		Version    string
		AppVersion string `yaml:"appVersion"`
	}
	decode("deploy/helm/Chart.yaml", &chart)
	if chart.Version != version || chart.AppVersion != version {
		differs("deploy/helm/Chart.yaml: version and appVersion must be %s; they are %s and %s", version, chart.Version, chart.AppVersion)
	}
	dated := regexp.MustCompile(`(?m)^## \[` + regexp.QuoteMeta(version) + `\] - \d{4}-\d{2}-\d{2}$`)
	if !dated.MatchString(read("CHANGELOG.md")) {
		differs("CHANGELOG.md: must have a section ## [%s] - and its date", version)
	}
	for _, name := range regexp.MustCompile(`tollkeeper_\d[^_\s]*_`).FindAllString(read("README.md"), -1) {
		if name != "tollkeeper_"+version+"_" {
			differs("README.md: archives must be named tollkeeper_%s_; one is %s", version, name)
			break
		}
	}
	blob, err := output("git", "hash-object", filepath.Join(root, "openapi.yaml"))
	if err != nil {
		wrong = append(wrong, err)
	}
	lines := strings.Split(strings.TrimSpace(read("scripts/released")), "\n")
	if last := lines[len(lines)-1]; last != version+" "+blob {
		differs("scripts/released: the last line must be %q, of the openapi.yaml that is released; it is %q", version+" "+blob, last)
	}
	return errors.Join(wrong...)
}

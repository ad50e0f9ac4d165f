package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// renderer makes manifests of a chart and keeps them in files.
type renderer struct {
	helm, validate string // programs
	chart          string // its folder
	work           string // a folder for values and manifests
}

// made is the folder of the manifests.
func (r renderer) made() string { return filepath.Join(r.work, "made") }

// render returns what the chart makes of values, in a release that is called as the chart.
func (r renderer) render(name string, with values) (string, error) {
	text, err := yaml.Marshal(with)
	if err != nil {
		return "", err
	}
	file := filepath.Join(r.work, "values.yaml")
	if err := errors.Join(os.MkdirAll(r.made(), 0o700), os.WriteFile(file, text, 0o600)); err != nil {
		return "", err
	}
	var said bytes.Buffer
	// Without a cluster, helm as go install builds it takes Kubernetes 1.20 for granted.
	command := exec.Command(r.helm, "template", "tollkeeper", r.chart, "--kube-version", versions[0], "--values", file)
	command.Stderr = &said
	made, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("helm: %w: %s", err, &said)
	}
	return string(made), os.WriteFile(filepath.Join(r.made(), name+".yaml"), made, 0o600)
}

// validateAll compares every manifest that was made with the schemas of a version of Kubernetes. Fields that are in no schema are
// refused too.
func (r renderer) validateAll(version string) error {
	said, failed := exec.Command(r.validate, r.made(), "--version", version, "--output", "json").Output()
	var verdicts map[string][]struct{ Status, Message string }
	if err := json.Unmarshal(said, &verdicts); err != nil {
		return fmt.Errorf("kubectl-validate: %w: %w", err, failed)
	}
	var errs []error
	for _, file := range slices.Sorted(maps.Keys(verdicts)) {
		for _, verdict := range verdicts[file] {
			if verdict.Status != "Success" {
				errs = append(errs, fmt.Errorf("%s, Kubernetes %s: %s", filepath.Base(file), version, verdict.Message))
			}
		}
	}
	if files, err := os.ReadDir(r.made()); err != nil || len(files) != len(verdicts) {
		errs = append(errs, fmt.Errorf("kubectl-validate looked at %d of %d files", len(verdicts), len(files)))
	}
	if failed != nil && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("kubectl-validate: %w", failed))
	}
	return errors.Join(errs...)
}

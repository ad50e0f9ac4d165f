package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// unseen is the password in all values, which only secrets may have.
const unseen = "unseen"

// runningRequests is how long the server lets requests end, in seconds.
const runningRequests = 30

// manifest is what the rules below look at.
type manifest struct {
	Kind       string
	Metadata   struct{ Name string }
	StringData map[string]string `yaml:"stringData"`
	Spec       struct {
		Template struct {
			Spec struct {
				EnableServiceLinks            *bool `yaml:"enableServiceLinks"`
				TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
				Containers                    []struct {
					Env []struct {
						Name, Value string
						ValueFrom   struct {
							SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
						} `yaml:"valueFrom"`
					}
					VolumeMounts []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct{ Name string }
			}
		}
		Ports []struct {
			TargetPort string `yaml:"targetPort"`
		}
	}
}

// examine applies rules that are in no schema.
func examine(made string) error {
	all, errs := []manifest{}, []error{}
	secrets := map[string]map[string]string{}
	reader := yaml.NewDecoder(strings.NewReader(made))
	for {
		var node yaml.Node
		var m manifest
		err := reader.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = node.Decode(&m)
		}
		if err != nil {
			return err
		}
		all = append(all, m)
		if m.Kind == "Secret" {
			secrets[m.Metadata.Name] = m.StringData
			continue
		}
		text, err := yaml.Marshal(&node)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte(unseen)) {
			errs = append(errs, fmt.Errorf("%s: shows a password", m.Kind))
		}
		for _, port := range m.Spec.Ports {
			if port.TargetPort != "http" {
				errs = append(errs, fmt.Errorf("%s: leads to the port %s", m.Kind, port.TargetPort))
			}
		}
	}
	deployments := 0
	for _, m := range all {
		if m.Kind == "Deployment" {
			deployments++
			errs = append(errs, m.examinePod(secrets)...)
		}
	}
	if deployments != 1 {
		errs = append(errs, fmt.Errorf("there are %d deployments", deployments))
	}
	return errors.Join(errs...)
}

// examinePod applies the rules for the servers.
func (m manifest) examinePod(secrets map[string]map[string]string) (errs []error) {
	pod := m.Spec.Template.Spec
	if pod.EnableServiceLinks == nil || *pod.EnableServiceLinks {
		errs = append(errs, errors.New("enableServiceLinks: the server refuses the variables that Kubernetes sets"))
	}
	volumes, unused := map[string]bool{}, map[string]bool{}
	for _, v := range pod.Volumes {
		if volumes[v.Name] {
			errs = append(errs, fmt.Errorf("volumes: %s is there twice", v.Name))
		}
		volumes[v.Name], unused[v.Name] = true, true
	}
	for _, c := range pod.Containers {
		paths := map[string]bool{}
		for _, mount := range c.VolumeMounts {
			if !volumes[mount.Name] || paths[mount.MountPath] {
				errs = append(errs, fmt.Errorf("volumeMounts: %s has no volume, or %s is there twice", mount.Name, mount.MountPath))
			}
			paths[mount.MountPath] = true
		}
		if !paths["/tmp"] {
			errs = append(errs, errors.New("volumeMounts: nothing is at /tmp, and the rest of the file system is read-only"))
		}
		variables := map[string]string{}
		for _, v := range c.Env {
			if _, twice := variables[v.Name]; twice {
				errs = append(errs, fmt.Errorf("env: %s is there twice", v.Name))
			}
			variables[v.Name] = v.Value
			ref := v.ValueFrom.SecretKeyRef
			if own, ok := secrets[ref.Name]; ok && own[ref.Key] == "" {
				errs = append(errs, fmt.Errorf("env: %s is of the key %s, which the chart's secret has not", v.Name, ref.Key))
			}
			if ref.Name == m.Metadata.Name && secrets[ref.Name] == nil {
				errs = append(errs, fmt.Errorf("env: %s is of the chart's secret, which is not made", v.Name))
			}
		}
		delay, err := strconv.Atoi(variables["TOLLKEEPER_SHUTDOWN_DELAY"])
		if err != nil || delay+runningRequests >= pod.TerminationGracePeriodSeconds {
			errs = append(errs, fmt.Errorf("terminationGracePeriodSeconds: %d is too short for a delay of %q", pod.TerminationGracePeriodSeconds, variables["TOLLKEEPER_SHUTDOWN_DELAY"]))
		}
		if !strings.HasSuffix(variables["TOLLKEEPER_ADMIN_ADDR"], ":9090") {
			errs = append(errs, errors.New("TOLLKEEPER_ADMIN_ADDR: is not at the port 9090, which no service has"))
		}
	}
	return errs
}

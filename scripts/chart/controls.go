package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// plant is a fault in a copy of the chart that check must find.
type plant struct {
	option         string // whose cases find it; "none": the cases of all together, and rules that look at no manifest
	file, old, new string
	found          string // in what check says
}

var plants = []plant{
	{"none", "values.yaml", "replicas: 2", "replicas: 2\nreplicaz: 2", "replicaz: has no case"},
	{"none", "values.yaml", "serviceAccountName:", "serviceAccount:", "serviceAccountName: has a case, but is no option"},
	{"serviceAccountName", "templates/deployment.yaml", "serviceAccountName: {{ . }}", "{{- /* lost */}}", "serviceAccountName: billing changes nothing"},
	{"none", "templates/deployment.yaml", "enableServiceLinks: false", "enableServiceLink: false", "unknown field"},
	{"none", "templates/deployment.yaml", "name: TOLLKEEPER_MAIL_FROM", "name: TOLLKEEPER_MAIL_SENDER", "TOLLKEEPER_MAIL_SENDER is not in docs/configuration.md"},
	{"none", "templates/service.yaml", "port: {{ .Values.service.port }}", "port: many", "together.yaml, Kubernetes 1.25"},
	{"shutdownDelaySeconds", "templates/deployment.yaml", "{{ add $delay 45 }}", "45", "is too short for a delay of \"60\""},
	{"tls.existingSecret", "templates/_helpers.tpl", "- {name: tls, secret: {secretName: {{ . }}}}", "", "tls has no volume"},
	{"none", "templates/_helpers.tpl", "mountPath: /tmp}", "mountPath: /temp}", "nothing is at /tmp"},
	{"database.replicaUrl", "templates/_helpers.tpl", "replicaUrl: {{ . | quote }}", "replica: {{ . | quote }}", "the key replicaUrl, which the chart's secret has not"},
	{"settings", "templates/_helpers.tpl", `"TOLLKEEPER_SMTP_URL" "mail.smtpUrl`, `"TOLLKEEPER_MAIL_URL" "mail.smtpUrl`, "must be refused"},
	{"none", "templates/deployment.yaml", "value: {{ $delay | quote }}", "value: {{ $.Values.database.url }}", "shows a password"},
}

// controls plants each fault, and returns an error for each that is not found.
func controls(r renderer, cases []optionCase) error {
	var errs []error
	for i, p := range plants {
		planted := r
		planted.work = filepath.Join(r.work, fmt.Sprint("plant", i))
		planted.chart = filepath.Join(planted.work, "chart")
		if err := os.CopyFS(planted.chart, os.DirFS(r.chart)); err != nil {
			return err
		}
		name := filepath.Join(planted.chart, p.file)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), p.old) {
			errs = append(errs, fmt.Errorf("%s has no %q in whose place a fault could be planted", p.file, p.old))
			continue
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), p.old, p.new, 1)), 0o600); err != nil {
			return err
		}
		if _, err := check(planted, cases, p.option); err == nil || !strings.Contains(err.Error(), p.found) {
			errs = append(errs, fmt.Errorf("%q in place of %q in %s must be found by %q", p.new, p.old, p.file, p.found), err)
		}
	}
	return errors.Join(errs...)
}

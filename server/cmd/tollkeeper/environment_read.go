package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// readEnvironment names the variable that is wrong, if one is, and those that are no settings: a
// misspelt one would be silently without effect.
func readEnvironment() (environment, error) {
	set := env.ToMap(os.Environ())
	if err := refuseUnknown(set); err != nil {
		return environment{}, err
	}
	if err := readSecrets(set); err != nil {
		return environment{}, err
	}
	environ, err := env.ParseAsWithOptions[environment](env.Options{Environment: set})
	var wrong env.ParseError
	if errors.As(err, &wrong) {
		field, _ := reflect.TypeFor[environment]().FieldByName(wrong.Name)
		return environ, fmt.Errorf("%s: must be %s", field.Tag.Get("env"), formOf(field))
	}
	if err != nil {
		return environ, err
	}
	if err := checkRanges(environ, set); err != nil {
		return environ, err
	}
	return environ, environ.check()
}

// formOf is what the text of a number, a time or a truth value must be.
func formOf(field reflect.StructField) string {
	if field.Type.Kind() == reflect.Bool {
		return "true or false"
	}
	if field.Type == reflect.TypeFor[time.Duration]() {
		return "a time such as 90s or 5m, from " + field.Tag.Get("range")
	}
	return "a whole number from " + field.Tag.Get("range")
}

// ofDeployments are variables that only files beside the server read, such as deploy/compose.yaml. Where they are in a file
// of variables, a container gets them too.
var ofDeployments = []string{"TOLLKEEPER_IMAGE"}

// settingNames are the variables that are read.
func settingNames() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[environment]()) {
		names = append(names, field.Tag.Get("env"))
	}
	return names
}

// refuseUnknown names the variables of this product that are no settings.
func refuseUnknown(set map[string]string) error {
	known := settingNames()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(set)) {
		secret, isFile := strings.CutSuffix(name, fileSuffix)
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) || slices.Contains(ofDeployments, name) || isFile && slices.Contains(secretNames(), secret) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s: is not a setting; settings are %s", name, strings.Join(known, ", ")))
	}
	return errors.Join(errs...)
}

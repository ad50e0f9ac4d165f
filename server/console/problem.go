package console

import (
	"errors"
	"net/http"
	"strings"

	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// problemText says why the API refused a request, in its own words.
func problemText(err error) string {
	var f *failure
	if !errors.As(err, &f) || f.Status >= 500 {
		return "It could not be computed."
	}
	text := asSentence(f.Problem.Detail)
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// refusal makes an answer of the API out of what a read of the domain refused.
func refusal(err error) error {
	var told *fault.Fault
	if !errors.As(err, &told) {
		return err
	}
	f := &failure{Status: http.StatusBadRequest, Problem: gen.Problem{Detail: told.Error()}}
	if fault.Is(err, fault.KindMissing) {
		f.Status = http.StatusNotFound
	}
	return f
}

// violationsOf are what the API found wrong with a request, each as "place: text".
func violationsOf(err error) []string {
	var f *failure
	if errors.As(err, &f) && len(f.Problem.ValidationErrors) > 0 {
		return f.Problem.ValidationErrors
	}
	return nil
}

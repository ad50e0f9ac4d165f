package console

import (
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// kind of the button that sends the form: what takes something away looks like it.
func (f form) kind() string {
	for _, word := range []string{"delete", "void", "revoke", "cancel", "archive", "deprecate", "revert", "deactivate"} {
		if strings.HasPrefix(f.Operation.ID, word) {
			return "danger-primary"
		}
	}
	return "primary"
}

// open reports whether a folded part has something to show.
func (f field) open() bool {
	for _, list := range [][]field{f.Fields, f.More} {
		for _, member := range list {
			if _, filled := member.encode(); filled || member.Problem != "" || member.open() {
				return true
			}
		}
	}
	return false
}

// mapRows is how many pairs are shown: those there are, and two empty ones.
func (f field) mapRows() int { return len(f.Key) + 2 }

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// answers are the choices of a truth value. One that may be left out has a third.
func (f field) answers() []option {
	both := []option{{"true", "Yes"}, {"false", "No"}}
	if f.Required {
		return both
	}
	return append([]option{{"", "As it is by default"}}, both...)
}

func (f field) has(value string) bool { return slices.Contains(f.Values, value) }

// attributes of the control: what describes it, and what it may hold.
func (f field) attributes() templ.Attributes {
	a := templ.Attributes{}
	var described []string
	if f.Hint != "" {
		described = append(described, "h-"+f.Name)
	}
	if f.Problem != "" {
		described = append(described, "p-"+f.Name)
		a["aria-invalid"] = "true"
	}
	if len(described) > 0 {
		a["aria-describedby"] = strings.Join(described, " ")
	}
	if f.Required && !f.Null && !strings.Contains(f.Name, "[") {
		a["required"] = true
	}
	if f.MaxLength > 0 && f.Kind != fieldLines {
		a["maxlength"] = decimal(int(f.MaxLength))
	}
	if f.List != "" {
		a["list"] = f.List
	}
	return a
}

// prosePart is a piece of a description.
type prosePart struct {
	Text string
	Code bool
}

// proseParts splits a description at its backticks.
func proseParts(text string) (parts []prosePart) {
	for i, part := range strings.Split(strings.TrimSpace(text), "`") {
		if part != "" {
			parts = append(parts, prosePart{part, i%2 == 1})
		}
	}
	return parts
}

// problemAttributes say that a field is wrong, and where it says why.
func problemAttributes(field, problem string) templ.Attributes {
	if problem == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": "p-" + field}
}

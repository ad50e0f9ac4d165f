package console

import (
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/server/console/form"
)

// kind of the button that sends the form: what takes something away looks like it.
func (f operationForm) kind() string {
	for _, word := range []string{"delete", "void", "revoke", "cancel", "archive", "deprecate", "revert", "deactivate"} {
		if strings.HasPrefix(f.Operation.ID, word) {
			return "danger-primary"
		}
	}
	return "primary"
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// attributesOf are the attributes of a control: what describes it, and what it may hold.
func attributesOf(f form.Field) templ.Attributes {
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
	if f.MaxLength > 0 && f.Kind != form.KindLines {
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

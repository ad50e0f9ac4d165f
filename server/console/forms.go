package console

import (
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// formGroup is the forms of one kind of resource.
type formGroup struct {
	Tag   string
	Forms []operation
}

// formsPage lists the forms of all operations that the person may do. Each operation of the
// contract that changes something is here, by its tag.
func formsPage(v *visit) (templ.Component, error) {
	var groups []formGroup
	for _, op := range v.pages.operations {
		if !op.writes() || !v.may(op.ID) {
			continue
		}
		tag := "Other"
		if len(op.Tags) > 0 {
			tag = op.Tags[0]
		}
		i := slices.IndexFunc(groups, func(g formGroup) bool { return g.Tag == tag })
		if i < 0 {
			groups, i = append(groups, formGroup{Tag: tag}), len(groups)
		}
		groups[i].Forms = append(groups[i].Forms, op)
	}
	slices.SortFunc(groups, func(a, b formGroup) int { return strings.Compare(a.Tag, b.Tag) })
	for _, g := range groups {
		slices.SortFunc(g.Forms, func(a, b operation) int { return strings.Compare(a.Summary, b.Summary) })
	}
	return formsList(v, groups), nil
}

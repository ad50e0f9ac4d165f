package console

import (
	"strings"

	"tollkeeper/server/console/form"
)

// refuse shows what the API found wrong beside the fields.
func (f *operationForm) refuse(err error) {
	f.Failed = problemText(err)
	for _, text := range violationsOf(err) {
		place, reason, found := strings.Cut(text, ": ")
		if !found {
			f.Problems = append(f.Problems, violation{Text: asSentence(text)})
			continue
		}
		at := f.fieldAt(place)
		if at == nil {
			f.Problems = append(f.Problems, violation{Text: asSentence(text)})
			continue
		}
		at.Problem = asSentence(reason)
		f.Problems = append(f.Problems, violation{at.Name, at.Label, asSentence(reason)})
	}
}

// fieldAt returns the field at a place of the body, or the nearest around it.
func (f *operationForm) fieldAt(place string) (best *form.Field) {
	place, _, _ = strings.Cut(place, ", ")
	var look func(list []form.Field)
	look = func(list []form.Field) {
		for i := range list {
			name := strings.TrimPrefix(list[i].Name, "param.")
			inside := place == name || strings.HasPrefix(place, name+".") || strings.HasPrefix(place, name+"[")
			if name != "" && inside && (best == nil || len(name) >= len(strings.TrimPrefix(best.Name, "param."))) {
				best = &list[i]
			}
			look(list[i].Fields)
			look(list[i].More)
		}
	}
	look(f.Params)
	look(f.Options)
	if f.Body != nil {
		look(f.Body.Fields)
		look(f.Body.More)
		if best == nil && f.Body.Kind == form.KindUnion && place == f.Body.Chooser {
			best = f.Body
		}
	}
	return best
}

package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Differences lists the places at which an answer is not what the example says.
func Differences(answer, example any) []string { return differ(nil, "", answer, example) }

func differ(found []string, place string, answer, example any) []string {
	switch e := example.(type) {
	case map[string]any:
		a, ok := answer.(map[string]any)
		if !ok {
			break
		}
		both := maps.Clone(a)
		maps.Copy(both, e)
		for _, name := range sorted(both) {
			at := place + "." + name
			inAnswer, answered := a[name]
			inExample, told := e[name]
			switch {
			case !answered:
				found = append(found, at+": only the example has it")
			case !told:
				found = append(found, at+": the example does not have it")
			default:
				found = differ(found, at, inAnswer, inExample)
			}
		}
		return found
	case []any:
		a, ok := answer.([]any)
		if !ok {
			break
		}
		if len(a) != len(e) {
			return append(found, fmt.Sprintf("%s: %d entries, the example has %d", place, len(a), len(e)))
		}
		for i := range e {
			found = differ(found, fmt.Sprintf("%s[%d]", place, i), a[i], e[i])
		}
		return found
	}
	if written(answer) != written(example) {
		found = append(found, fmt.Sprintf("%s: %s, the example says %s", place, written(answer), written(example)))
	}
	return slices.Clip(found)
}

func written(value any) string {
	text, _ := json.Marshal(value) // was JSON
	return string(text)
}

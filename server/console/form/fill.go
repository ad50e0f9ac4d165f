package form

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Fill gives a form the values of what it changes, as the API shows them. Members that the
// request does not have are left out.
func Fill(values url.Values, name string, s *openapi3.Schema, value any) {
	if value == nil {
		return
	}
	sh := Flatten(s)
	switch v := value.(type) {
	case map[string]any:
		fillObject(values, name, sh, v)
	case []any:
		if sh.Items == nil {
			return
		}
		var lines []string
		for i, entry := range v {
			switch entry.(type) {
			case map[string]any:
				Fill(values, name+"["+strconv.Itoa(i)+"]", sh.Items.Value, entry)
			case nil, []any:
			default:
				lines = append(lines, fmt.Sprint(entry))
			}
		}
		switch {
		case len(Flatten(sh.Items.Value).Enum) > 0:
			values[name] = lines
		case len(lines) > 0:
			values.Set(name, strings.Join(lines, "\n"))
		}
	default:
		values.Set(name, fmt.Sprint(v))
	}
}

func fillObject(values url.Values, name string, s Shape, object map[string]any) {
	switch {
	case s.Union != nil && s.Union.Discriminator != nil:
		chosen := fmt.Sprint(object[s.Union.Discriminator.PropertyName])
		values.Set(join(name, s.Union.Discriminator.PropertyName), chosen)
		if schema := VariantOf(s.Union, chosen); schema != nil {
			fillObject(values, name, Flatten(schema), object)
		}
	case len(s.Properties) > 0:
		for member, p := range s.Properties {
			Fill(values, join(name, member), p.Schema, object[member])
		}
	case s.AdditionalProperties.Schema != nil:
		for _, key := range slices.Sorted(maps.Keys(object)) {
			values.Add(name+".key", key)
			values.Add(name+".value", fmt.Sprint(object[key]))
		}
	default:
		if text, err := json.Marshal(object); err == nil {
			values.Set(name, string(text))
		}
	}
}

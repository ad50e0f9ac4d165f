package console

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// fill gives a form the values of what it changes, as the API shows them. Members that the
// request does not have are left out.
func fill(values url.Values, name string, s *openapi3.Schema, value any) {
	if value == nil {
		return
	}
	sh := flatten(s)
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
				fill(values, name+"["+strconv.Itoa(i)+"]", sh.Items.Value, entry)
			case nil, []any:
			default:
				lines = append(lines, fmt.Sprint(entry))
			}
		}
		switch {
		case len(flatten(sh.Items.Value).Enum) > 0:
			values[name] = lines
		case len(lines) > 0:
			values.Set(name, strings.Join(lines, "\n"))
		}
	default:
		values.Set(name, fmt.Sprint(v))
	}
}

func fillObject(values url.Values, name string, s shape, object map[string]any) {
	switch {
	case s.Union != nil && s.Union.Discriminator != nil:
		chosen := fmt.Sprint(object[s.Union.Discriminator.PropertyName])
		values.Set(join(name, s.Union.Discriminator.PropertyName), chosen)
		if schema := variantOf(s.Union, chosen); schema != nil {
			fillObject(values, name, flatten(schema), object)
		}
	case len(s.Properties) > 0:
		for member, p := range s.Properties {
			fill(values, join(name, member), p.Schema, object[member])
		}
	case s.AdditionalProperties.Schema != nil:
		for _, e := range termsOf(object).Entries {
			values.Add(name+".key", e.Name)
			values.Add(name+".value", fmt.Sprint(object[e.Name]))
		}
	default:
		if text, err := json.Marshal(object); err == nil {
			values.Set(name, string(text))
		}
	}
}

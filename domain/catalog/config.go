package catalog

import (
	"bytes"
	"encoding/json"

	"tollkeeper/domain/money"
)

// plainNumbers writes the numbers of an accepted configuration without exponents
// and trailing zeros (semantics 0.3.2).
func plainNumbers(config json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(config))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic("catalog: a configuration that was accepted is no JSON")
	}
	plain, err := json.Marshal(plainly(value))
	if err != nil {
		panic("catalog: a configuration that was accepted is no JSON")
	}
	return plain
}

func plainly(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = plainly(v[key])
		}
	case []any:
		for i := range v {
			v[i] = plainly(v[i])
		}
	case json.Number:
		if number, err := money.ParseNumber(v.String()); err == nil {
			return json.Number(number.String())
		}
	}
	return value
}

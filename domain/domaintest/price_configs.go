package domaintest

import (
	_ "embed" // for price_configs.json
	"encoding/json"
	"maps"
	"slices"
)

// A file of its own, so that programs of other languages read it too (scripts/sdk).
//
//go:embed price_configs.json
var priceConfigs []byte

// PriceConfigs has a configuration of every price model by model_type, with every field that the model knows.
var PriceConfigs = func() (configs map[string]json.RawMessage) {
	if err := json.Unmarshal(priceConfigs, &configs); err != nil {
		panic(err) // the file is part of the program
	}
	return configs
}()

// PriceModels are the models of PriceConfigs in order.
func PriceModels() []string { return slices.Sorted(maps.Keys(PriceConfigs)) }

package contract_test

import (
	"testing"

	"tollkeeper/server/contract"
)

// The places of a body are looked up in texts that are no JSON, too.
func FuzzPositions(f *testing.F) {
	for _, seed := range []string{`{"a":[{"b":1}]}`, `[{"a":`, `{"a":{"a":[]},"a":1}`, `{"\ud800":1}`, "\"\xff\"", `[[[[`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		wanted := []string{"", "a", "a[0].b}"}
		if found := contract.Positions(body, wanted); len(found) > len(wanted) {
			t.Fatalf("%q has %v", body, found)
		}
	})
}

package store_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{
		`null`, `{}`, `{"a":"1","b":null}`, `{"":"x"}`, `{"é":"<&>\u2028"}`, `{"a":""}`,
		`{"` + strings.Repeat("k", 101) + `":"x"}`, `{"k":"` + strings.Repeat("é", 501) + `"}`,
	} {
		f.Add(`{"b":"2"}`, seed)
	}
	f.Fuzz(func(t *testing.T, before, change string) {
		var have map[string]string
		var wanted map[string]*string
		if json.Unmarshal([]byte(before), &have) != nil || json.Unmarshal([]byte(change), &wanted) != nil {
			return
		}
		merged, err := store.Metadata(have).Merge(wanted)
		if err != nil {
			if !fault.Is(err, fault.KindInvalid) {
				t.Fatal(err)
			}
			return
		}
		for key, value := range wanted {
			if got, kept := merged[key]; kept != (value != nil) || kept && got != *value {
				t.Fatalf("%s after %s is %v", change, before, merged)
			}
		}
		column, err := merged.Value()
		if err != nil {
			t.Fatal(err)
		}
		var scanned store.Metadata
		if err := scanned.Scan(column); err != nil || !maps.Equal(scanned, merged) {
			t.Fatalf("%v reads back from %s as %v, %v", merged, column, scanned, err)
		}
	})
}

func FuzzReadCursor(f *testing.F) {
	const list = "items.created_at"
	encoded := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text + "." + list)) }
	for _, seed := range []string{
		store.Cursor(list, time.Unix(1746878400, 123456000), 7), store.Cursor("plans.created_at", time.Unix(1746878400, 0), 7), "", "nope", encoded("1.2.3"), encoded("+1.2"), encoded("1. 2"), encoded("-1.-2"),
		encoded("9223372036854775807.1"), encoded("-9223372036854775808.1"), encoded("99999999999999999999.1"), encoded("0x10.1"), encoded("1_0.1"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, seq, ok := store.ReadCursor(list, text)
		if !ok {
			return
		}
		if store.Cursor(list, at, seq) != text || !utf8.ValidString(text) {
			t.Fatalf("%q reads back as %q", text, store.Cursor(list, at, seq))
		}
		if _, err := at.MarshalText(); err != nil { // then the database may not know it either
			t.Fatalf("%q stands for %v", text, at)
		}
	})
}

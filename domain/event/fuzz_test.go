package event_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"tollkeeper/domain/event"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store/fault"
)

// Whatever a client sends is refused by a fault, or each of its events that pass can
// be stored, and sent again would be the same event.
func FuzzDecode(f *testing.F) {
	members := map[string]string{
		"idempotency_key": `"k1"`, "event_name": `"call"`, "external_customer_id": `"acme"`, "timestamp": `"2025-05-10T12:00:00Z"`, "properties": `{"n": 1.50, "s": "a\\b"}`,
	}
	for name, values := range mutations {
		for _, value := range values {
			parts := []string{`"` + name + `":` + value}
			for other, usual := range members {
				if other != name {
					parts = append(parts, `"`+other+`":`+usual)
				}
			}
			f.Add([]byte(`{"events":[{` + strings.Join(parts, ",") + `}]}`))
		}
	}
	for _, seed := range []string{
		`{"events":[{"idempotency_key":"k","event_name":"e","customer_id":"c","timestamp":"0001-01-01T00:00:00Z"}]}`,
		``, `{}`, `[]`, `{"events":null}`, `{"events":[]}{}`, `{"events":[],"events":[]}`, `{"debug":{"a":[1]},"events":[null]}`, `{"events":[{}`,
		`{"\u0065vents":[{"properties":{"a":1,"\u0061":2}}]}`, "{\"events\":[{\"event_name\":\"\xff\"}]}", `{"events":[{"properties":{"\ud800":1}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := event.Decode(strings.NewReader(string(body)))
		if err != nil {
			if !fault.Is(err, fault.KindInvalid) || events != nil {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		if !json.Valid(body) || !utf8.Valid(body) {
			t.Fatalf("%q is no JSON in UTF-8", body)
		}
		for _, e := range events {
			if event.Refused(e) {
				continue
			}
			storable(t, e)
			text := written(e)
			again, err := event.Decode(strings.NewReader(`{"events":[` + text + `]}`))
			if err != nil || len(again) != 1 || event.Refused(again[0]) || !sameEvent(e, again[0]) {
				t.Fatalf("%+v reads back from %s as %+v, %v", e, text, again, err)
			}
		}
	})
}

func sameEvent(a, b event.Event) bool {
	return a.Key == b.Key && a.Name == b.Name && a.Subject == b.Subject && a.Timestamp.Equal(b.Timestamp) && a.Properties == b.Properties
}

// storable fails the test unless the database can hold the event.
func storable(t *testing.T, e event.Event) {
	var properties map[string]json.RawMessage
	if err := json.Unmarshal([]byte(e.Properties), &properties); err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	if e.Timestamp.IsZero() {
		t.Fatalf("%+v has no timestamp", e)
	}
	texts := []string{e.Key, e.Name, e.Subject}
	for name, raw := range properties {
		texts = append(texts, name)
		var text string
		switch raw[0] {
		case '"':
			if err := json.Unmarshal(raw, &text); err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
			texts = append(texts, text)
		case 't', 'f':
		default:
			if _, err := money.ParseNumber(string(raw)); err != nil {
				t.Fatalf("%+v: %s %v", e, raw, err)
			}
		}
	}
	for _, text := range texts {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Fatalf("%+v has the text %q", e, text)
		}
	}
}

// written is an event as a client would send it.
func written(e event.Event) string {
	member := "customer_id"
	if strings.HasPrefix(e.Subject, "e:") {
		member = "external_customer_id"
	}
	quoted := func(text string) string {
		quote, _ := json.Marshal(text)
		return string(quote)
	}
	return fmt.Sprintf(`{"idempotency_key":%s,"event_name":%s,%q:%s,"timestamp":%q,"properties":%s}`,
		quoted(e.Key), quoted(e.Name), member, quoted(e.Subject[2:]), period.FormatInstant(e.Timestamp), e.Properties)
}

package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"

	"tollkeeper/store/fault"
)

// Bounds of what a client may keep on a record (gaps A3).
const (
	metadataKeys        = 50
	metadataKeyLength   = 100 // characters
	metadataValueLength = 500 // characters
)

// Metadata is what a client keeps on a record: text by key, never null.
type Metadata map[string]string

// Merge returns m with a change applied: a text sets a key, nil removes it.
// A nil change clears the whole map. Too much of it is an invalid request.
func (m Metadata) Merge(change map[string]*string) (Metadata, error) {
	merged := Metadata{}
	if change == nil {
		return merged, nil
	}
	maps.Copy(merged, m)
	for key, value := range change {
		switch {
		case key == "" || utf8.RuneCountInString(key) > metadataKeyLength:
			return nil, fault.Bad("metadata", "a key must have 1 to %d characters", metadataKeyLength)
		case value == nil:
			delete(merged, key)
		case utf8.RuneCountInString(*value) > metadataValueLength:
			return nil, fault.Bad("metadata."+key, "must have at most %d characters", metadataValueLength)
		default:
			merged[key] = *value
		}
	}
	if len(merged) > metadataKeys {
		return nil, fault.Bad("metadata", "must have at most %d keys", metadataKeys)
	}
	return merged, nil
}

// GormDataType names the column type to GORM.
func (Metadata) GormDataType() string { return "jsonb" }

// Value writes the column.
func (m Metadata) Value() (driver.Value, error) {
	if m == nil {
		return "{}", nil
	}
	text, err := json.Marshal(map[string]string(m))
	return string(text), err
}

// Scan reads the column.
func (m *Metadata) Scan(src any) error {
	var text []byte
	switch v := src.(type) {
	case []byte:
		text = v
	case string:
		text = []byte(v)
	default:
		return fmt.Errorf("metadata: cannot read a %T", src)
	}
	*m = Metadata{}
	return json.Unmarshal(text, (*map[string]string)(m))
}

package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// unionOf writes the variant of a union that has the members of all parts, which are
// structs of the contract. The variants of a union share what they do not differ in,
// so that is mapped once.
func unionOf[Union any, Pointer interface {
	*Union
	json.Unmarshaler
}](parts ...any) (union Union) {
	members := make([][]byte, len(parts))
	for i, part := range parts {
		text, err := json.Marshal(part)
		if err != nil {
			panic(fmt.Sprintf("wire: %T cannot be written: %v", part, err))
		}
		members[i] = text[1 : len(text)-1]
	}
	text := fmt.Appendf(nil, "{%s}", bytes.Join(members, []byte(",")))
	if err := Pointer(&union).UnmarshalJSON(text); err != nil {
		panic(fmt.Sprintf("wire: %T cannot be written: %v", union, err))
	}
	return union
}

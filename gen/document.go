package gen

import _ "embed"

// Document is openapi.yaml, byte for byte.
//
//go:embed openapi.yaml
var Document []byte

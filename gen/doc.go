// Package gen is what openapi.yaml says, in Go: the types on the wire, the
// interface the server implements, and the document itself.
//
// Everything here but this file, document.go and the YAML of the generator is generated and never
// edited. Change openapi.yaml, or overlay.yaml for what concerns Go alone, and
// run scripts/generate.
package gen

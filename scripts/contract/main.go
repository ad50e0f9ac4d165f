// Contract checks openapi.yaml for what its users' tools need and a valid document may
// lack: forms that strict readers refuse, bounds of requests, statuses, texts and examples.
//
//	go run ./scripts/contract [openapi.yaml]
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	file := "openapi.yaml"
	if len(os.Args) > 1 {
		file = os.Args[1]
	}
	text, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	document, found, err := check(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, f := range found {
		fmt.Fprintf(os.Stderr, "%s: %s\n", file, f)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
	fmt.Println(figures(document))
}

// check returns the document and what is wrong with it, in the order of the places.
func check(text []byte) (*openapi3.T, []string, error) {
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, nil, fmt.Errorf("read the contract: %w", err)
	}
	if len(operations(document)) == 0 {
		return nil, nil, errors.New("the contract has no operation")
	}
	found := slices.Concat(brackets(text), nullables(document), bounds(document), statuses(document), texts(document), patterns(document),
		examples(document))
	slices.Sort(found)
	return document, found, nil
}

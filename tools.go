//go:build tools

// Package tollkeeper keeps the versions of the programs that build this module
// beside those of its libraries, in go.mod.
package tollkeeper

import (
	_ "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
	_ "github.com/onsi/ginkgo/v2/ginkgo"
)

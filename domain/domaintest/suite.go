package domaintest

import (
	"flag"
	"strconv"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	_ "pgregory.net/rapid" // it defines the flag rapid.checks
)

// RunSuite runs the specs of a package. Each property is checked with that many generated cases.
// They are few, because a case takes a dozen transactions.
func RunSuite(t *testing.T, name string, cases int) {
	if err := flag.Set("rapid.checks", strconv.Itoa(cases)); err != nil {
		t.Fatal(err)
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, name)
}

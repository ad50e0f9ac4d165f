// Package crash_test kills servers and databases while clients are at work, and
// counts afterwards: no event that was answered is lost, none counts twice, buckets say
// what events say, and no period is invoiced twice or missed.
package crash_test

import (
	"os"
	"strconv"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestCrash(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "crash")
}

// kills is how often the default run kills; SPEC_KILLS asks for another number. Variables
// of specs do not begin as the server's settings do: the server refuses those it does not know.
func kills() int {
	n, err := strconv.Atoi(os.Getenv("SPEC_KILLS"))
	if err != nil {
		return 8
	}
	return n
}

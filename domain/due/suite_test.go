package due_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestDue(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "due")
}

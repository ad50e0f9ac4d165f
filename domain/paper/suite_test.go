package paper_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPaper(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "paper")
}

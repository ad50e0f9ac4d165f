package letterhead_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestLetterhead(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Letterhead")
}

package storetest_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestStoretest(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Databases for specs")
}

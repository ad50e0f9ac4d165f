package main

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestBillTrace(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/bill-trace")
}

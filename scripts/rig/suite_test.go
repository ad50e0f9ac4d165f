package rig

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestRig(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/rig")
}

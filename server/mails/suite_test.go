package mails_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestMails(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "mails")
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == jq {
		if err := runJQ(os.Args[1:], os.Stdin, os.Stdout); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, "jq:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if filepath.Base(os.Args[0]) == itself {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestTollkeeper(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "The command line")
}

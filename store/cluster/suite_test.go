//go:build unix

package cluster_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/cluster"
)

// victim, when set, makes this program the victim of a spec: it starts a
// throwaway cluster there and waits to be killed.
const victim = "SPEC_VICTIM"

func TestCluster(t *testing.T) {
	if dir := os.Getenv(victim); dir != "" {
		if _, err := cluster.Start(context.Background(), cluster.Options{Dir: dir, Throwaway: true}); err != nil {
			t.Fatal(err)
		}
		fmt.Println("ready")
		select {}
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Private PostgreSQL")
}

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"tollkeeper/scripts/rig"
)

const key = "tk_test_upgrade00000000000000000000000000000"

// begin starts a server and waits until it is ready.
func begin(ctx context.Context, binary, database string) (*rig.Server, error) {
	addr, err := rig.FreeAddr()
	if err != nil {
		return nil, err
	}
	s := &rig.Server{Binary: binary, Addr: addr, Database: database, Env: []string{"TOLLKEEPER_API_KEY=" + key}, Log: os.Stderr}
	return s, s.StartReady(ctx, time.Minute)
}

// verify looks through the books.
func verify(ctx context.Context, binary, database string) error {
	out, err := rig.CommandLine{Binary: binary, Database: database}.Run(ctx, "verify")
	if err == nil && !strings.HasSuffix(string(out), ": 0 findings\n") {
		err = fmt.Errorf("verify: findings: %s", out)
	}
	return err
}

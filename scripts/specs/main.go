// Command specs runs the specs of all packages beside each other, and says how far it is.
//
//	go run ./scripts/specs                     every spec once: make test
//	go run ./scripts/specs -race               what has goroutines, under the race detector: make race
//	go run ./scripts/specs ./domain/credit     named packages
//	go run ./scripts/specs ./server -- -focus=coupon   what follows -- is for ginkgo
//
// No suite has a time limit, because a busy machine is slow. A suite in which no spec ends for five
// minutes names the spec that runs and prints its goroutines; after fifteen minutes it is killed, and fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// logs is where the output of each suite is kept until the next run.
const logs = ".data/specs"

func main() {
	race := flag.Bool("race", false, "run what has goroutines, under the race detector")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	packages, options := flag.Args(), []string(nil)
	if at := slices.Index(packages, "--"); at >= 0 {
		packages, options = packages[:at], packages[at+1:]
	}
	if err := run(ctx, *race, packages, options); err != nil {
		fmt.Fprintln(os.Stderr, "specs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, race bool, packages, options []string) error {
	began := time.Now()
	lanes, err := plan(ctx, race, packages)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "specs-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := os.RemoveAll(logs); err != nil {
		return err
	}
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return err
	}
	r := &runner{dir: work, race: race, options: options, quiet: quiet}
	if err := r.prepare(ctx); err != nil {
		return err
	}
	all := r.all(ctx, lanes)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	failed := summarize(os.Stdout, all, time.Since(began))
	if whole := !race && len(packages) == 0 && len(options) == 0; whole && !failed {
		if err := checkContract(os.Stdout, r.exercised()); err != nil {
			return err
		}
	}
	if failed {
		return fmt.Errorf("some failed; %s has the whole output of each package", logs)
	}
	return nil
}

// prepare builds ginkgo, at the version of go.mod, and all packages, so that suites that are built
// beside each other find them compiled.
func (r *runner) prepare(ctx context.Context) error {
	r.ginkgo = filepath.Join(r.dir, "ginkgo")
	for _, args := range [][]string{
		{"build", "-o", r.ginkgo, "github.com/onsi/ginkgo/v2/ginkgo"},
		{"build", "./..."},
	} {
		build := exec.CommandContext(ctx, "go", args...)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("go %v: %w", args, err)
		}
	}
	return os.Mkdir(r.exercised(), 0o755)
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ratedLine is a benchmark of domain/rating, how often it is run, and what one line
// may take once its configuration is read.
type ratedLine struct {
	benchmark, shown string
	times            int
	microseconds     float64 // of a processor, the collection of garbage included
	allocations      int     // 0: as many as it likes
}

var ratedLines = []ratedLine{
	{"BenchmarkUnit", "unit", 5_000_000, 1, 4},
	{"BenchmarkTiered", "tiered, 3 tiers", 2_000_000, 3, 10},
	{"BenchmarkMatrix", "matrix, 100 cells", 30_000, 60, 0},
}

// rating measures what the rating of a line takes. It counts a process's time on the
// processors, so others that run beside it hardly change the result.
func (r *report) rating(ctx context.Context, dir string) error {
	binary := filepath.Join(dir, "rating.test")
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "./domain/rating")
	compile.Stderr = os.Stderr
	if err := compile.Run(); err != nil {
		return err
	}
	for _, line := range ratedLines {
		took, allocations, err := line.measure(ctx, binary)
		if err != nil {
			return fmt.Errorf("%s: %w", line.benchmark, err)
		}
		r.add(figure{what: "rating a line: " + line.shown, value: took, unit: "us", most: line.microseconds, note: fmt.Sprint(allocations, " allocations")})
		if line.allocations > 0 && allocations > line.allocations {
			r.fail("rating a line of %s takes %d allocations, wanted %d", line.shown, allocations, line.allocations)
		}
	}
	return nil
}

// measure returns microseconds and allocations of one line.
func (l ratedLine) measure(ctx context.Context, binary string) (took float64, allocations int, err error) {
	run := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench=^"+l.benchmark+"$", fmt.Sprintf("-test.benchtime=%dx", l.times))
	out, err := run.Output()
	if err != nil {
		return 0, 0, err
	}
	used := run.ProcessState.UserTime() + run.ProcessState.SystemTime()
	// BenchmarkUnit-2  5000000  134.6 ns/op  224 B/op  2 allocs/op
	_, counted, _ := strings.Cut(string(out), " B/op")
	fields := strings.Fields(counted)
	if len(fields) == 0 {
		return 0, 0, fmt.Errorf("no result in %q", out)
	}
	allocations, err = strconv.Atoi(fields[0])
	return float64(used.Nanoseconds()) / float64(l.times) / 1e3, allocations, err
}

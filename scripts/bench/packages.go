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

// benchmark is one of a package, how often it is run, and what one run of it may take.
type benchmark struct {
	folder, name, shown string
	times               int
	microseconds        float64 // of a processor, the collection of garbage included
	allocations         int     // 0: as many as it likes
}

var benchmarks = []benchmark{
	{"domain/rating", "BenchmarkUnit", "rating a line: unit", 5_000_000, 1, 4},
	{"domain/rating", "BenchmarkTiered", "rating a line: tiered, 3 tiers", 2_000_000, 3, 10},
	{"domain/rating", "BenchmarkMatrix", "rating a line: matrix, 100 cells", 30_000, 60, 0},
	{"domain/paper", "BenchmarkRender", "drawing a PDF of 2000 lines", 5, 500_000, 0},
}

// benchmarks measures those of packages. It counts a process's time on the processors, so
// others that run beside it hardly change the result.
func (r *report) benchmarks(ctx context.Context, dir string) error {
	for _, b := range benchmarks {
		binary := filepath.Join(dir, filepath.Base(b.folder)+".test")
		compile := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "./"+b.folder)
		compile.Stderr = os.Stderr
		if err := compile.Run(); err != nil {
			return err
		}
		took, allocations, err := b.measure(ctx, binary)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		r.add(figure{what: b.shown, value: took, unit: "us", most: b.microseconds, note: fmt.Sprint(allocations, " allocations")})
		if b.allocations > 0 && allocations > b.allocations {
			r.fail("%s takes %d allocations, wanted %d", b.shown, allocations, b.allocations)
		}
	}
	return nil
}

// measure returns microseconds and allocations of one run.
func (b benchmark) measure(ctx context.Context, binary string) (took float64, allocations int, err error) {
	run := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench=^"+b.name+"$", fmt.Sprintf("-test.benchtime=%dx", b.times))
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
	return float64(used.Nanoseconds()) / float64(b.times) / 1e3, allocations, err
}

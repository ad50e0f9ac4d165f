package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// report shows each figure as it is measured, beside what is wanted of it, and remembers
// what was missed.
type report struct {
	out    io.Writer
	missed []error
}

func newReport(out io.Writer, about string) *report {
	_, _ = fmt.Fprintf(out, "\n%s, load before %s, %s\n\n%66s processor, us each\n%-34s %14s %10s %8s %7s %7s %6s\n", cpuModel(), loadAverage(), about, "",
		"", "measured", "wanted", "server", "db", "bench", "load")
	return &report{out: out}
}

// figure is something measured.
type figure struct {
	what        string
	value       float64
	unit        string  // "": nothing was measured but processor time
	least, most float64 // what is wanted; 0: nothing
	work        spent   // with it
	units       int     // events or readings that were worked on; 0: not counted
	note        string
}

func (r *report) add(f figure) {
	wanted := ""
	switch {
	case f.least > 0:
		wanted = ">= " + show(f.least)
	case f.most > 0:
		wanted = "<= " + show(f.most)
	}
	work := ""
	if f.units > 0 {
		work = f.work.each(f.units)
	}
	measured := ""
	if f.unit != "" {
		measured = show(f.value) + " " + f.unit
	}
	load, _, _ := strings.Cut(loadAverage(), " ")
	_, _ = fmt.Fprintf(r.out, "%-34s %14s %10s %24s %6s  %s\n", f.what, measured, wanted, work, load, f.note)
	if f.least > 0 && f.value < f.least || f.most > 0 && f.value > f.most {
		r.missed = append(r.missed, fmt.Errorf("%s: %s %s, wanted %s", f.what, show(f.value), f.unit, wanted))
	}
}

// fail notes what is wrong at any speed.
func (r *report) fail(reason string, args ...any) {
	err := fmt.Errorf(reason, args...)
	_, _ = fmt.Fprintln(r.out, "WRONG:", err)
	r.missed = append(r.missed, err)
}

// show has three digits that tell something.
func show(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// verdict fails when something was missed.
func (r *report) verdict() error { return errors.Join(r.missed...) }

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// quantile is in milliseconds.
func quantile(took []time.Duration, percent int) float64 {
	sorted := slices.Sorted(slices.Values(took))
	return milliseconds(sorted[min(len(sorted)*percent/100, len(sorted)-1)])
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

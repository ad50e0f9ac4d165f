package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Targets of the ratios and of the server's memory.
const (
	wantBatches = 0.80
	wantSingles = 0.30
	wantMemory  = 150 << 10 // kilobytes
)

// How much of each is measured in a round.
const (
	copied      = 50_000
	batchSize   = 100
	batchEvents = 50_000
	singles     = 10_000
)

type report struct {
	present           int
	cpu, load, note   string
	watch             watch
	copies            []float64 // events per second, one for each round
	batches, single   []float64
	cpuCopies         spent // of all rounds
	cpuBatches        spent
	cpuSingle         spent
	latencies         []time.Duration // of single events
	memory            int             // kilobytes
	cumulative, daily time.Duration   // of GET costs
	preview           time.Duration
	huge              huge
}

// round measures each way once.
func (r *report) round(ctx context.Context, t *tables, p *process) error {
	rows := t.rows(t.source.take(copied, time.Now()))
	before := r.watch.now()
	took, err := t.copy(ctx, rows)
	if err != nil {
		return err
	}
	r.cpuCopies = r.cpuCopies.add(r.watch.now().sub(before))
	r.copies = append(r.copies, copied/took.Seconds())

	requests := p.requests(bodies(t.source.take(batchEvents, time.Now()), batchSize))
	before = r.watch.now()
	took, _, err = load(p.addr, 16, requests)
	if err != nil {
		return err
	}
	r.cpuBatches = r.cpuBatches.add(r.watch.now().sub(before))
	r.batches = append(r.batches, batchEvents/took.Seconds())

	requests = p.requests(bodies(t.source.take(singles, time.Now()), 1))
	before = r.watch.now()
	took, each, err := load(p.addr, 64, requests)
	if err != nil {
		return err
	}
	r.cpuSingle = r.cpuSingle.add(r.watch.now().sub(before))
	r.single = append(r.single, singles/took.Seconds())
	r.latencies = append(r.latencies, each...)
	return nil
}

// ratio is the middle one of the rounds' ratios.
func (r *report) ratio(rates []float64) float64 {
	ratios := make([]float64, len(rates))
	for i := range rates {
		ratios[i] = rates[i] / r.copies[i]
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func (r *report) print(w io.Writer) {
	slices.Sort(r.latencies)
	_, _ = fmt.Fprintf(w, `
%s, load before %s, %d events present, %d rounds

                                               processor, us per event
                          events/s  of COPY  wanted  server    db bench
COPY, 1 connection       %9.0f                   %s
16 clients x 100 events  %9.0f %8.2f    %.2f   %s
64 clients x 1 event     %9.0f %8.2f    %.2f   %s   p50 %s, p99 %s
`, r.cpu, r.load, r.present, len(r.copies),
		median(r.copies), r.cpuCopies.each(copied*len(r.copies)),
		median(r.batches), r.ratio(r.batches), wantBatches, r.cpuBatches.each(batchEvents*len(r.copies)),
		median(r.single), r.ratio(r.single), wantSingles, r.cpuSingle.each(singles*len(r.copies)), r.quantile(50), r.quantile(99))
	_, _ = fmt.Fprintf(w, "server memory at most    %6d MB           %d\n", r.memory>>10, wantMemory>>10)
	if r.cumulative > 0 {
		_, _ = fmt.Fprintf(w, "GET costs, a month, 5 prices, 100000 events: cumulative %s, periodic %s\n",
			r.cumulative.Round(time.Millisecond), r.daily.Round(time.Millisecond))
	}
	_, _ = fmt.Fprintf(w, "evaluate_preview_events, 100 prices, 500 events: %s, wanted %s\n", r.preview.Round(time.Millisecond), wantPreview)
	if r.note != "" {
		_, _ = fmt.Fprintln(w, r.note)
	}
	r.huge.print(w)
}

func (r *report) quantile(percent int) time.Duration {
	return r.latencies[min(len(r.latencies)*percent/100, len(r.latencies)-1)].Round(100 * time.Microsecond)
}

// verdict fails when a target is missed.
func (r *report) verdict() error {
	var missed []error
	if r.ratio(r.batches) < wantBatches {
		missed = append(missed, errors.New("batches are too slow"))
	}
	if r.ratio(r.single) < wantSingles {
		missed = append(missed, errors.New("single events are too slow"))
	}
	if r.memory > wantMemory {
		missed = append(missed, errors.New("the server takes too much memory"))
	}
	if r.preview > wantPreview {
		missed = append(missed, errors.New("previews are too slow"))
	}
	return errors.Join(append(missed, r.huge.verdict())...)
}

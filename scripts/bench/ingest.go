package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// wantMemory bounds the server's memory under this load, in megabytes.
const wantMemory = 150

// mostBehind is by how many seconds buckets may follow the events.
const mostBehind = 2

// way is one in which events come in, and what is wanted of it.
type way struct {
	clients, size int     // events of a request
	events        int     // of a round
	most          float64 // processor time over that of the floor; 0: any
	mostLatency   float64 // p99 in milliseconds; 0: any
}

// Ways that are taken while buckets are kept, and while none are.
var (
	withBuckets = []way{
		{clients: 16, size: 100, events: 100_000, most: 2.5},
		{clients: 4, size: 1000, events: 100_000, most: 2.3},
		{clients: 64, size: 1, events: 30_000, most: 3.0, mostLatency: 15},
	}
	withoutBuckets = []way{
		{clients: 16, size: 100, events: 100_000},
		{clients: 64, size: 1, events: 30_000},
	}
)

// copied is how many rows COPY takes in a round.
const copied = 50_000

// taken is what became of a way.
type taken struct {
	rates     []float64 // events per second, of each round
	latencies []time.Duration
	works     []spent       // of each round
	behind    time.Duration // at most
}

// ingestion measures ways in turns with their floors.
func (r *report) ingestion(ctx context.Context, u *usual, ways []way, rounds int) error {
	t, p := u.tables, u.server
	bare, err := u.bare(ctx)
	if err != nil {
		return err
	}
	defer bare.stop()
	var copies taken
	results, received := make([]taken, len(ways)), make([]taken, len(ways))
	for round := range rounds {
		if err := copies.copy(ctx, t, p); err != nil {
			return err
		}
		for i, w := range ways {
			if err := received[i].receive(w, t, bare); err != nil {
				return err
			}
			if err := results[i].take(ctx, w, t, p); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
	}
	r.add(figure{what: "COPY, 1 connection", value: median(copies.rates) / 1e3, unit: "k/s", work: sum(copies.works), units: copied * rounds})
	for i, w := range ways {
		r.add(figure{what: fmt.Sprintf("%d clients x %d, HTTP alone", w.clients, w.size), work: sum(received[i].works), units: w.events * rounds})
		r.ingested(w, &results[i], w.overFloor(&results[i], &received[i], &copies), &copies, p.buckets)
	}
	return nil
}

func (r *report) ingested(w way, result *taken, overFloor []float64, copies *taken, buckets bool) {
	what := fmt.Sprintf("%d clients x %d", w.clients, w.size)
	if !buckets {
		what += ", no buckets"
	}
	r.add(figure{
		what: what, value: median(overFloor), unit: "of floor", most: w.most, work: sum(result.works), units: w.events * len(result.rates),
		note: fmt.Sprintf("%.2f to %.2f; %.1f k/s, %.2f of COPY, p50 %.1f ms, p99 %.1f ms", slices.Min(overFloor), slices.Max(overFloor),
			median(result.rates)/1e3, result.ratio(copies), quantile(result.latencies, 50), quantile(result.latencies, 99)),
	})
	if w.mostLatency > 0 {
		r.add(figure{what: what + ", p99", value: quantile(result.latencies, 99), unit: "ms", most: w.mostLatency})
	}
	if buckets {
		r.add(figure{what: what + ", buckets behind", value: result.behind.Seconds(), unit: "s", most: mostBehind})
	}
}

// copy takes one round of COPY.
func (k *taken) copy(ctx context.Context, t *tables, p *process) error {
	if err := t.settle(ctx, p); err != nil {
		return err
	}
	rows, w := t.rows(t.source.take(copied, time.Now())), p.watch()
	before := w.now()
	took, err := t.copy(ctx, rows)
	if err != nil {
		return err
	}
	k.works = append(k.works, w.now().sub(before))
	k.rates = append(k.rates, copied/took.Seconds())
	return nil
}

// take takes one round of a way. The work is that until all is in buckets.
func (k *taken) take(ctx context.Context, w way, t *tables, p *process) error {
	if err := t.settle(ctx, p); err != nil {
		return err
	}
	requests, used := p.requests(bodies(t.source.take(w.events, time.Now()), w.size)), p.watch()
	behind, err := t.watchBuckets(ctx, p)
	if err != nil {
		return err
	}
	before := used.now()
	took, each, err := load(p.Addr, w.clients, requests)
	if err == nil {
		err = t.settle(ctx, p)
	}
	k.works = append(k.works, used.now().sub(before))
	k.behind = max(k.behind, behind())
	k.rates = append(k.rates, float64(w.events)/took.Seconds())
	k.latencies = append(k.latencies, each...)
	return err
}

// ratio is the middle one of the rounds' ratios.
func (k *taken) ratio(to *taken) float64 {
	ratios := make([]float64, len(k.rates))
	for i := range k.rates {
		ratios[i] = k.rates[i] / to.rates[i]
	}
	return median(ratios)
}

package main

import (
	"context"
	"fmt"
	"time"
)

// prober is a customer that only freshness sends events for.
const prober = "prober"

// What freshness is measured with, and what is wanted of it.
const (
	probes         = 300
	background     = 5000 // events per second
	backgroundSize = 100  // of a request
	mostStale      = 100  // milliseconds, p99
	leastPace      = 4.9  // of the background in thousands per second, or it was none
)

// freshness measures how long after the answer to an event costs show it, while others
// come in.
func (r *report) freshness(ctx context.Context, t *tables, p *process) error {
	if err := t.settle(ctx, p); err != nil {
		return err
	}
	enough := make(chan struct{})
	ended := make(chan error, 1)
	used := p.watch()
	before, began := used.now(), time.Now()
	var sent []time.Duration
	go func() {
		_, each, err := load(p.addr, 8, p.paced(t, enough))
		sent = each
		ended <- err
	}()
	took := make([]time.Duration, probes)
	for n := range took {
		var err error
		if took[n], err = p.probe(ctx, n+1); err != nil {
			return err
		}
	}
	close(enough)
	if err := <-ended; err != nil {
		return err
	}
	events := len(sent) * backgroundSize
	pace := float64(events) / time.Since(began).Seconds()
	r.add(figure{what: "background of the next line", value: pace / 1e3, unit: "k/s", least: leastPace})
	r.add(figure{
		what: "from 200 OK to costs, p99", value: quantile(took, 99), unit: "ms", most: mostStale, work: used.now().sub(before), units: events,
		note: fmt.Sprintf("p50 %.1f ms, %d events probed", quantile(took, 50), probes),
	})
	return nil
}

// paced are requests that come at the pace of the background until there were enough.
func (p *process) paced(t *tables, enough <-chan struct{}) <-chan []byte {
	paced := make(chan []byte, 1000) // those that the server keeps waiting are not forgotten
	go func() {
		defer close(paced)
		ticker := time.NewTicker(time.Second * backgroundSize / background)
		defer ticker.Stop()
		for {
			select {
			case <-enough:
				return
			case now := <-ticker.C:
				paced <- p.request("/v1/ingest", bodies(t.source.take(backgroundSize, now), backgroundSize)[0])
			}
		}
	}()
	return paced
}

// probe sends the prober's nth event and asks for costs until they have it. It returns
// how long after the answer to the event the answer was there that did.
func (p *process) probe(ctx context.Context, nth int) (time.Duration, error) {
	now := time.Now()
	sent := bodies([]row{{key: fmt.Sprintf("probe_%d_%d", now.UnixNano(), nth), alias: prober, at: now}}, 1)[0]
	if _, err := p.ask(ctx, "POST", "/v1/ingest", sent); err != nil {
		return 0, err
	}
	answered := time.Now()
	for {
		text, err := p.costs(ctx, prober, monthOf(now))
		if err != nil {
			return 0, err
		}
		counted, _, err := lastDay(text)
		if err != nil || counted == fmt.Sprint(nth) {
			return time.Since(answered), err
		}
	}
}

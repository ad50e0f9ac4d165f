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
	mostStale      = 50   // milliseconds, p99
	leastPace      = 4.9  // of the background in thousands per second, or it was none
)

// freshness measures how long after the answer to an event costs show it.
func (r *report) freshness(ctx context.Context, t *tables, p *process) error {
	month := monthOf(time.Now())
	return r.follow(ctx, t, p, effect{what: "costs", alias: prober, probes: probes, most: mostStale, shown: func(nth int) (bool, error) {
		text, err := p.costs(ctx, prober, month)
		if err != nil {
			return false, err
		}
		counted, _, err := lastDay(text)
		return counted == fmt.Sprint(nth), err
	}})
}

// effect is what each event of a customer has, and when it is to be there.
type effect struct {
	what   string
	alias  string
	probes int                         // events, one after another
	most   float64                     // milliseconds after the answer to the event, p99
	shown  func(nth int) (bool, error) // whether that of the nth event is there
}

// follow measures how long after the answer to an event its effect is there, while others
// come in.
func (r *report) follow(ctx context.Context, t *tables, p *process, e effect) error {
	if err := t.settle(ctx, p); err != nil {
		return err
	}
	enough := make(chan struct{})
	ended := make(chan error, 1)
	used := p.watch()
	before, began := used.now(), time.Now()
	var sent []time.Duration
	go func() {
		_, each, err := load(p.Addr, 8, p.paced(t, enough))
		sent = each
		ended <- err
	}()
	took := make([]time.Duration, e.probes)
	for n := range took {
		var err error
		if took[n], err = p.probe(ctx, e, n+1); err != nil {
			return err
		}
	}
	close(enough)
	if err := <-ended; err != nil {
		return err
	}
	others := len(sent) * backgroundSize
	pace := float64(others) / time.Since(began).Seconds()
	r.add(figure{what: "background of the next line", value: pace / 1e3, unit: "k/s", least: leastPace})
	r.add(figure{
		what: "from 200 OK to " + e.what + ", p99", value: quantile(took, 99), unit: "ms", most: e.most, work: used.now().sub(before), units: others,
		note: fmt.Sprintf("p50 %.1f ms, %d events probed", quantile(took, 50), e.probes),
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

// probe sends the nth event and waits for its effect. It returns how long after the answer
// to the event that was there.
func (p *process) probe(ctx context.Context, e effect, nth int) (time.Duration, error) {
	now := time.Now()
	sent := bodies([]row{{key: fmt.Sprintf("probe_%d_%d", now.UnixNano(), nth), alias: e.alias, at: now}}, 1)[0]
	if err := p.Post(ctx, "/v1/ingest", []byte(sent), nil); err != nil {
		return 0, err
	}
	for answered := time.Now(); ; {
		if is, err := e.shown(nth); is || err != nil {
			return time.Since(answered), err
		}
	}
}

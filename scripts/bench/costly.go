package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// What an account may feel while another one, or a stranger, sends requests that cost as much as they can.
const (
	costlyAtOnce  = 8
	costlyFor     = 20 * time.Second
	costlyTimes   = 3   // times its p99 at rest, or
	costlyLatency = 100 // milliseconds, whichever is more
	costlyMemory  = 400 // megabytes above those at rest
)

// costly is one kind of request.
type costly struct {
	name string
	send func(ctx context.Context, client, n int) error // refusals are no failure
}

// runCostly measures costly requests alone.
func runCostly(ctx context.Context, o options) error {
	return onStage(ctx, "bench-costly-", o.binary, func(s *stage) error {
		worst, innocent, closeBoth, err := s.openTwo(ctx)
		if err != nil {
			return err
		}
		defer closeBoth()
		r := newReport(o.out, fmt.Sprintf("%d at once for %s", costlyAtOnce, o.each))
		kinds, err := s.costlyKinds(ctx, worst)
		if err != nil {
			return err
		}
		for _, kind := range kinds {
			if err := r.costly(ctx, s, innocent, worst, kind, o.each); err != nil {
				return fmt.Errorf("%s: %w", kind(nil).name, err)
			}
		}
		return r.verdict()
	})
}

// costly measures what an innocent account feels of one kind of request, on a server of its own: what the kind
// before left behind does not count.
func (r *report) costly(ctx context.Context, s *stage, innocent, worst *tables, kind func(*process) costly, each time.Duration) error {
	p, err := s.serve(ctx, innocent.key, true, "TOLLKEEPER_TRUSTED_PROXIES=127.0.0.1/32")
	if err != nil {
		return err
	}
	defer p.stop()
	customer, err := p.Create(ctx, "/v1/customers", object{"name": "Innocent", "email": "c@example.com"})
	if err != nil {
		return err
	}
	c := kind(p.as(worst))
	rest, err := p.during(each/4, customer, 0)
	if err != nil {
		return err
	}
	calm := p.memory()
	sending, leave := context.WithCancel(ctx)
	var clients sync.WaitGroup
	sent, failed := make([]int, costlyAtOnce), make([]error, costlyAtOnce)
	for k := range costlyAtOnce {
		clients.Go(func() {
			for sending.Err() == nil && failed[k] == nil {
				if err := c.send(sending, k, sent[k]); err != nil && sending.Err() == nil {
					failed[k] = err
				}
				sent[k]++
			}
		})
	}
	most := make(chan float64)
	go func() { most <- p.mostMemory(sending) }()
	beside, err := p.during(each, customer, 1)
	leave()
	above := <-most - calm
	clients.Wait()
	if err := errors.Join(append(failed, err)...); err != nil {
		return err
	}
	all := 0
	for _, n := range sent {
		all += n
	}
	if all < costlyAtOnce {
		r.fail("only %d requests of %s were sent", all, c.name)
	}
	wanted := max(costlyTimes*quantile(rest, 99), costlyLatency)
	r.add(figure{what: "p99 beside " + c.name, value: quantile(beside, 99), unit: "ms", most: wanted,
		note: fmt.Sprintf("at rest %s ms; %d requests beside %d", show(quantile(rest, 99)), len(beside), all)})
	r.add(figure{what: "memory, " + c.name, value: above, unit: "MB", most: costlyMemory, note: fmt.Sprintf("above %.0f at rest", calm)})
	return nil
}

// during sends requests of an account that does nothing unusual for a time.
func (p *process) during(each time.Duration, customer string, round int) (all []time.Duration, err error) {
	for began := time.Now(); time.Since(began) < each; round += 2 {
		took, err := p.ordinary(customer, round)
		if err != nil {
			return nil, err
		}
		all = append(all, took...)
	}
	return all, nil
}

// memory is what the server holds, in megabytes.
func (p *process) memory() float64 {
	var kilobytes float64
	_, _ = fmt.Sscan(field(fmt.Sprintf("/proc/%d/status", p.Pid()), "VmRSS"), &kilobytes)
	return kilobytes / 1024
}

// mostMemory is the most that the server holds until the context ends.
func (p *process) mostMemory(ctx context.Context) (most float64) {
	for ctx.Err() == nil {
		most = max(most, p.memory())
		time.Sleep(50 * time.Millisecond)
	}
	return most
}

// refused reports whether an answer is one of those that refuse what costs too much, or a wrong password.
func refused(status int) bool {
	return slices.Contains([]int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusServiceUnavailable,
	}, status)
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
)

// What costs of a month are read with, and what is wanted of them.
const (
	smallOnes     = 5
	readings      = 1_000 // of each, with those by which connections to the database meet the query for the first time
	mostMedian    = 8     // milliseconds
	mostSlow      = 25    // milliseconds, p99
	mostForSize   = 2     // the big customer's median, as a multiple of a small one's
	leastOfEvents = 500
)

// costsKept is what costs of the big customer were when they were read from buckets.
type costsKept struct {
	body   []byte
	median float64 // milliseconds
}

// costsOfMonth reads the month of the big customer and of small ones, in turns.
func (r *report) costsOfMonth(ctx context.Context, p *process, month time.Time) (kept costsKept, err error) {
	used := p.watch()
	var big, small []time.Duration
	var ofBig, ofSmall spent
	read := func(alias string, took *[]time.Duration, work *spent) error {
		before, began := used.now(), time.Now()
		kept.body, err = p.costs(ctx, alias, month)
		*took = append(*took, time.Since(began))
		*work = work.add(used.now().sub(before))
		return err
	}
	for n := range readings {
		if err := read(alias(1+n%smallOnes), &small, &ofSmall); err != nil {
			return kept, err
		}
		if err := read(alias(0), &big, &ofBig); err != nil {
			return kept, err
		}
	}
	kept.median = quantile(big, 50)
	for _, of := range []struct {
		whose string
		took  []time.Duration
		work  spent
	}{{"big", big, ofBig}, {"small", small, ofSmall}} {
		what := "costs of a month, " + of.whose + " customer"
		r.add(figure{what: what, value: quantile(of.took, 50), unit: "ms", most: mostMedian, work: of.work, units: readings,
			note: fmt.Sprintf("%d prices, an answer of %d kB", len(tenPrices), len(kept.body)>>10)})
		r.add(figure{what: what + ", p99", value: quantile(of.took, 99), unit: "ms", most: mostSlow})
	}
	r.add(figure{what: "of a big as of a small customer", value: kept.median / quantile(small, 50), unit: "times", most: mostForSize})
	return kept, nil
}

// costsFromEvents reads the big customer's month once from events, by a server that keeps
// no buckets. Where that meets the deadline of a statement, it would have taken longer.
func (r *report) costsFromEvents(ctx context.Context, p *process, month time.Time, kept costsKept) error {
	used, began := p.watch(), time.Now()
	before := used.now()
	body, err := p.costs(ctx, alias(0), month)
	ended := err != nil && strings.Contains(err.Error(), "took longer than")
	if err != nil && !ended {
		return err
	}
	took := milliseconds(time.Since(began))
	note := fmt.Sprintf("%.1f s from events", took/1e3)
	if ended {
		note += ", then ended at the deadline, so not compared"
	}
	r.add(figure{
		what: "buckets against events", value: took / kept.median, unit: "times", least: leastOfEvents, work: used.now().sub(before), units: 1,
		note: note,
	})
	if ended {
		return nil
	}
	if !bytes.Equal(body, kept.body) {
		r.fail("costs from events are not those from buckets:\n%s\n%s", body, kept.body)
	}
	return nil
}

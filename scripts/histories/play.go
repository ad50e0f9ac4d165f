package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"
)

// options of a run.
type options struct {
	out                             io.Writer
	seed                            uint64
	count, steps, workers, failures int
	whole, quick, pairs, wide       bool
	state, dumps                    string
	months                          int // that are lived through at each pace; 0: a year
}

// play plays the histories and returns how many differ.
func (o options) play(ctx context.Context, s *stage) (found int, err error) {
	began := time.Now()
	var mu sync.Mutex
	t := newCounts()
	kept, err := openProgress(o.state, o.wide)
	if err != nil {
		return 0, err
	}
	defer kept.close()
	seeds := make(chan uint64)
	var wg sync.WaitGroup
	var first error
	for range o.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for seed := range seeds {
				steps, r, err := o.history(ctx, s, seed)
				var m *mismatch
				var short []step
				if errors.As(err, &m) && !o.whole {
					short, err = o.shrink(ctx, s, steps, err)
				}
				mu.Lock()
				one := t.add(seed, steps, r, errors.As(err, &m))
				one.Wide = o.wide
				if err == nil || one.Differs { // what was interrupted is played again
					if kept := kept.add(one); kept != nil && first == nil {
						first = kept
					}
				}
				switch {
				case errors.As(err, &m):
					found++
					if short == nil {
						short = steps
					}
					o.report(seed, short, err)
				case err != nil && first == nil:
					first = fmt.Errorf("seed %d: %w", seed, err)
				}
				mu.Unlock()
			}
		}()
	}
	for k := range o.count {
		mu.Lock()
		enough := first != nil || found >= o.failures
		mu.Unlock()
		if enough || ctx.Err() != nil {
			break
		}
		seed := o.seed + uint64(k)
		if one, done := kept.done[seed]; done {
			t.merge(one)
			continue
		}
		seeds <- seed
	}
	close(seeds)
	wg.Wait()
	t.print(o.out, time.Since(began))
	printPairs(o.out, t.pairs, o.pairs)
	if first == nil {
		first = ctx.Err()
	}
	return found, first
}

func (o options) report(seed uint64, steps []step, err error) {
	_, _ = fmt.Fprintf(o.out, "seed %d differs after these %d steps:\n", seed, len(steps))
	for n, s := range steps {
		_, _ = fmt.Fprintf(o.out, "  %2d. %s\n", n+1, s)
	}
	_, _ = fmt.Fprintf(o.out, "  => %v\n\n", err)
}

// history plays one on a new account and returns the steps that were done.
func (o options) history(ctx context.Context, s *stage, seed uint64) ([]step, *run, error) {
	c, err := s.account(ctx)
	if err != nil {
		return nil, nil, err
	}
	r := newRun(c)
	r.quick = o.quick
	g := newGenerator(seed, r)
	if g.wide = o.wide; g.wide {
		all := uint64(len(occasions))
		g.occasion, g.turn = &occasions[seed%all], seed/all
	}
	var played []step
	queue := g.opening()
	for n := 0; n < o.steps; {
		var next step
		if len(queue) > 0 {
			next, queue = queue[0], queue[1:]
		} else {
			next = g.next(n)
		}
		done, err := r.do(ctx, next)
		if n == o.steps-1 && err == nil {
			r.known.full = true
			err = r.check(ctx)
		}
		if done || err != nil {
			played = append(played, next)
			n++
		} else if n++; n > 10*o.steps {
			break
		}
		if err != nil {
			return played, r, err
		}
	}
	return played, r, o.keep(ctx, seed, r)
}

// keep writes what the account of a history shows at its end, where that is asked for.
func (o options) keep(ctx context.Context, seed uint64, r *run) error {
	if o.dumps == "" {
		return nil
	}
	text, err := r.dump(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.dumps, fmt.Sprint(seed)), []byte(text), 0o600)
}

// do does a step and compares.
func (r *run) do(ctx context.Context, s step) (bool, error) {
	for _, c := range r.w.customers {
		r.w.settle(c)
	}
	features := r.w.features(s)
	r.w.before = r.w.now
	r.w.recount()
	done, err := r.apply(ctx, s)
	if err != nil || !done {
		return done, err
	}
	if s.Do != "clock" && r.acts() { // before the next step, so that all is done in the same order each time
		if err := r.settled(ctx); err != nil {
			return true, err
		}
		for _, c := range r.w.customers {
			r.w.settle(c)
		}
	}
	if r.pairs[s.kind()] == nil {
		r.pairs[s.kind()] = map[string]int{}
	}
	for _, f := range features {
		r.pairs[s.kind()][f]++
	}
	r.touch(s)
	r.known.full = !r.quick
	if r.quick && quiet[s.Do] && !(used[s.Do] && r.hasThreshold()) {
		return true, nil
	}
	return true, r.check(ctx)
}

// used steps are usage, which a threshold may invoice at once: what that charges is compared before its
// subscription changes.
var used = map[string]bool{"ingest": true, "amend": true, "deprecate": true, "close backfill": true, "revert backfill": true}

func (r *run) hasThreshold() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(r.w.subs)), func(s *subscription) bool { return s.threshold != nil })
}

// acts reports whether the background acts soon after a change: top-ups and allocations add credits, which
// pay for what is open, and a subscription that has used its threshold is invoiced.
func (r *run) acts() bool {
	for _, s := range r.w.subs {
		if s.grantsCredits() || s.threshold != nil {
			return true
		}
	}
	for _, c := range r.w.customers {
		for _, l := range c.ledgers {
			if l.topUp != nil {
				return true
			}
		}
	}
	return false
}

// quiet steps issue no document of a subscription, so that a quick run need not compare after them.
var quiet = map[string]bool{"customer": true, "plan": true, "ingest": true, "deprecate": true, "amend": true, "credit": true, "decrement": true, "mark paid": true,
	"void credits": true, "move expiry": true, "move balance": true, "invoice": true, "issue invoice": true, "settle invoice": true,
	"version": true, "propose": true, "cancel change": true, "backfill": true, "close backfill": true, "revert backfill": true}

// replay plays given steps on a new account until the server and the model differ.
func replay(ctx context.Context, s *stage, steps []step) (int, error) {
	c, err := s.account(ctx)
	if err != nil {
		return 0, err
	}
	r := newRun(c)
	for n, one := range steps {
		if _, err := r.do(ctx, one); err != nil {
			return n + 1, err
		}
	}
	return len(steps), nil
}

// shrink leaves out steps, and events of steps, as long as something still differs.
func (o options) shrink(ctx context.Context, s *stage, steps []step, why error) ([]step, error) {
	deadline := time.Now().Add(60 * time.Second)
	var m *mismatch
	try := func(shorter []step) bool {
		if time.Now().After(deadline) {
			return false
		}
		n, err := replay(ctx, s, shorter)
		if !errors.As(err, &m) {
			return false
		}
		steps, why = shorter[:n], err
		return true
	}
	for size := max(1, len(steps)/4); size >= 1; {
		again := false
		for at := len(steps) - 1 - size; at >= 1; at-- {
			if at+size > len(steps) {
				continue
			}
			again = try(append(append([]step(nil), steps[:at]...), steps[at+size:]...)) || again
		}
		if size == 1 && !again {
			break
		}
		size = max(1, size/2)
		if time.Now().After(deadline) {
			break
		}
	}
	for at := len(steps) - 1; at >= 0; at-- {
		for k := len(steps[at].Events) - 1; k >= 0 && at < len(steps) && len(steps[at].Events) > 1; k-- {
			one := steps[at]
			one.Events = append(append([]eventSpec(nil), one.Events[:k]...), one.Events[k+1:]...)
			try(append(append(append([]step(nil), steps[:at]...), one), steps[at+1:]...))
		}
		for k := len(steps[at].Prices) - 1; k >= 0 && at < len(steps) && len(steps[at].Prices) > 1; k-- {
			one := steps[at]
			one.Prices = append(append([]priceSpec(nil), one.Prices[:k]...), one.Prices[k+1:]...)
			try(append(append(append([]step(nil), steps[:at]...), one), steps[at+1:]...))
		}
	}
	return steps, why
}

// item counts what was done.
type counts struct {
	histories, steps int
	kinds            map[string]int
	refused          map[string]int
	why              map[string]string
	pairs            map[string]map[string]int
	undecided        map[string]int // comparisons that the model left out, by reason
}

func newCounts() *counts {
	return &counts{kinds: map[string]int{}, refused: map[string]int{}, why: map[string]string{}, pairs: map[string]map[string]int{}, undecided: map[string]int{}}
}

func (t *counts) add(seed uint64, steps []step, r *run, differs bool) played {
	one := played{Generation: generation, Seed: seed, Steps: len(steps), Differs: differs, Pairs: map[string]map[string]int{}}
	for _, s := range steps {
		t.kinds[s.kind()]++
	}
	if r == nil {
		return one
	}
	one.Pairs, one.Undecided = r.pairs, r.known.undecided
	t.merge(one)
	for kind, n := range r.refused {
		t.refused[kind] += n
		t.why[kind] = r.why[kind]
	}
	return one
}

// merge adds what is known of a history.
func (t *counts) merge(one played) {
	t.histories++
	t.steps += one.Steps
	for reason, n := range one.Undecided {
		t.undecided[reason] += n
	}
	for kind, of := range one.Pairs {
		if t.pairs[kind] == nil {
			t.pairs[kind] = map[string]int{}
		}
		for feature, n := range of {
			t.pairs[kind][feature] += n
		}
	}
}

func (t *counts) print(out io.Writer, took time.Duration) {
	_, _ = fmt.Fprintf(out, "%d histories with %d steps in %.0f s\n", t.histories, t.steps, took.Seconds())
	kinds := map[string]bool{}
	for kind := range t.kinds {
		kinds[kind] = true
	}
	for kind := range t.refused {
		kinds[kind] = true
	}
	var all []string
	for kind := range kinds {
		all = append(all, kind)
	}
	sort.Strings(all)
	for _, kind := range all {
		_, _ = fmt.Fprintf(out, "  %-40s %6d done, %6d refused %.150s\n", kind, t.kinds[kind], t.refused[kind], t.why[kind])
	}
	for _, reason := range slices.Sorted(maps.Keys(t.undecided)) {
		_, _ = fmt.Fprintf(out, "  left out %6d comparisons: %s\n", t.undecided[reason], reason)
	}
}

package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"tollkeeper/scripts/rig"
)

// paces by which a clock goes through the same year: at once, by days, and by seven hours.
var paces = []time.Duration{366 * 24 * time.Hour, 24 * time.Hour, 7 * time.Hour}

// pace lives through a year of one history at each pace, and compares what the accounts look
// like afterwards, byte by byte. All that happens is planned before the clock moves. It returns the
// SHA-256 of these bytes, which two versions of the server can be compared by.
func (o options) pace(ctx context.Context, s *stage, seed uint64) (digest string, err error) {
	plan, err := o.planned(ctx, s, seed)
	if err != nil {
		return "", err
	}
	var first string
	for n, by := range paces {
		c, err := s.account(ctx)
		if err != nil {
			return "", err
		}
		r := newRun(c)
		for _, one := range plan {
			if _, err := r.apply(ctx, one); err != nil {
				return "", err
			}
			if err := r.learn(ctx); err != nil {
				return "", err
			}
		}
		for end := r.w.now.AddDate(0, cmp.Or(o.months, 12), 0); r.w.now.Before(end); {
			to := r.w.now.Add(by)
			if to.After(end) {
				to = end
			}
			if err := r.clock(ctx, step{At: to.Format(time.RFC3339)}); err != nil {
				return "", err
			}
		}
		text, err := r.dump(ctx)
		if err != nil {
			return "", err
		}
		if n == 0 {
			first = text
		} else if text != first {
			return "", differ("seed %d: the year in steps of %s ends otherwise than in one jump:\n%s", seed, by, rig.Difference("in one jump", first, "in steps", text))
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(first))), nil
}

// planned are steps that are all done before the clock moves: what they mean lies ahead.
func (o options) planned(ctx context.Context, s *stage, seed uint64) ([]step, error) {
	c, err := s.account(ctx)
	if err != nil {
		return nil, err
	}
	r := newRun(c)
	g := newGenerator(seed, r)
	g.wide = o.wide
	var plan []step
	queue := g.opening()
	for tries := 0; len(plan) < o.steps && tries < 20*o.steps; tries++ {
		var next step
		if len(queue) > 0 {
			next, queue = queue[0], queue[1:]
		} else {
			next = g.next(len(plan))
		}
		switch next.Do {
		case "clock":
			if len(plan) > 0 {
				continue
			}
		case "ingest": // all through the year
			for k := range next.Events {
				next.Events[k].At = r.w.now.Add(time.Duration(g.IntN(365*24*3600)) * time.Second).Format(time.RFC3339)
			}
		case "deprecate", "amend", "backfill", "close backfill", "revert backfill":
			continue
		}
		done, err := r.apply(ctx, next)
		if err != nil {
			return nil, err
		}
		if done {
			plan = append(plan, next)
			if err := r.learn(ctx); err != nil {
				return nil, err
			}
		}
	}
	return plan, nil
}

// learn reads identifiers that later steps need, and compares nothing.
func (r *run) learn(ctx context.Context) error {
	var m *mismatch
	for _, name := range r.w.order {
		if err := r.intervals(ctx, r.w.subs[name]); err != nil && !errors.As(err, &m) {
			return err
		}
	}
	return r.read(ctx)
}

// dump is all that the account shows over HTTP, in a form in which accounts that show the same are equal.
func (r *run) dump(ctx context.Context) (string, error) {
	shown := rig.Dump{Client: r.c.Client}
	for _, c := range r.customers() {
		of := "/v1/customers/" + c.id
		if err := shown.Object(ctx, of); err != nil {
			return "", err
		}
		for _, path := range []string{"/balance_transactions", "/credits?include_all_blocks=true&currency=USD", "/credits?include_all_blocks=true", "/credits/ledger?currency=USD", "/credits/ledger"} {
			if err := shown.List(ctx, of+path); err != nil {
				return "", err
			}
		}
	}
	for _, name := range r.w.order {
		for _, path := range []string{"", "/costs", "/usage"} {
			if err := shown.Object(ctx, "/v1/subscriptions/"+r.w.subs[name].id+path); err != nil {
				return "", err
			}
		}
	}
	for _, path := range []string{"/v1/invoices?status[]=draft&status[]=issued&status[]=paid&status[]=void", "/v1/credit_notes"} {
		if err := shown.List(ctx, path); err != nil {
			return "", err
		}
	}
	return shown.String(), nil
}

// playPaces does so for all seeds, and returns how many differ.
func (o options) playPaces(ctx context.Context, s *stage) (found int, err error) {
	var wrong []string
	for k := range o.count {
		seed := o.seed + uint64(k)
		digest, err := o.pace(ctx, s, seed)
		var m *mismatch
		switch {
		case errors.As(err, &m):
			wrong = append(wrong, m.what)
			_, _ = fmt.Fprintln(o.out, m.what)
		case err != nil:
			return len(wrong), fmt.Errorf("seed %d: %w", seed, err)
		default:
			_, _ = fmt.Fprintf(o.out, "seed %d: a year ends in the same bytes at each pace, sha256 %s\n", seed, digest)
		}
	}
	return len(slices.Compact(wrong)), nil
}

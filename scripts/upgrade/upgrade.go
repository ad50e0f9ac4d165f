package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"tollkeeper/store/cluster"
)

// errFound reports a request that failed or books that differ.
var errFound = errors.New("the upgrade is noticed")

// clients send requests side by side.
const clients = 4

// pause is between the steps of a client: the books that are compared stay small.
const pause = 30 * time.Millisecond

type config struct {
	from     string
	major    int
	together time.Duration // both serve
	plant    string
}

func (c config) upgrade(ctx context.Context) (err error) {
	if c.from == "" {
		if c.from, err = beforeNewestMigration(ctx); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "tku-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	before, err := program(ctx, filepath.Join(dir, "before"), c.from, "")
	if err != nil {
		return err
	}
	after, err := program(ctx, filepath.Join(dir, "after"), "", c.plant)
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // for the user that stands in for root
		return err
	}
	cache, err := filepath.Abs(".data/fetched")
	if err != nil {
		return err
	}
	db, err := cluster.Start(ctx, cluster.Options{Dir: filepath.Join(dir, "data"), Cache: cache, Major: c.major, Log: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Stop()) }()
	return c.compare(ctx, db, before, after)
}

// compare upgrades one database under load, has the new binary alone do the same on another,
// and compares the books.
func (c config) compare(ctx context.Context, db *cluster.Cluster, before, after string) error {
	for _, name := range []string{"upgraded", "control"} {
		if err := db.CreateDatabase(ctx, name); err != nil {
			return err
		}
	}
	steps, upgraded, err := c.underLoad(ctx, before, after, db.URL("upgraded"))
	if err != nil {
		return err
	}
	alone, err := begin(ctx, after, db.URL("control"))
	if err != nil {
		return err
	}
	defer func() { _ = alone.end() }()
	control := &load{}
	control.targets.Store(&[]*server{alone})
	plan := control.catalog(ctx)
	var all sync.WaitGroup
	for client, n := range steps {
		all.Go(func() {
			for k := range n {
				control.step(ctx, client, k, plan)
			}
		})
	}
	all.Wait()
	books := control.books(ctx, steps)
	if err := errors.Join(control.noted(), verify(ctx, after, db.URL("control")), verify(ctx, after, db.URL("upgraded"))); err != nil {
		return err
	}
	if books != upgraded {
		return fmt.Errorf("%w: the books differ: %s", errFound, difference(upgraded, books))
	}
	fmt.Printf("the books are equal: %d bytes\n", len(books))
	return nil
}

// underLoad returns how many steps each client did, and the books after the upgrade.
func (c config) underLoad(ctx context.Context, before, after, database string) (steps []int, books string, err error) {
	old, err := begin(ctx, before, database)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = old.end() }()
	l := &load{}
	l.targets.Store(&[]*server{old})
	plan := l.catalog(ctx)
	var done atomic.Bool
	var all sync.WaitGroup
	steps = make([]int, clients)
	for client := range clients {
		all.Go(func() {
			for !done.Load() {
				l.step(ctx, client, steps[client], plan)
				steps[client]++
				time.Sleep(pause)
			}
		})
	}
	time.Sleep(c.together / 5)
	began := time.Now()
	next, err := begin(ctx, after, database)
	if err != nil {
		done.Store(true)
		all.Wait()
		return nil, "", errors.Join(l.noted(), err)
	}
	defer func() { _ = next.end() }()
	fmt.Printf("the new server was ready after %.1f s\n", time.Since(began).Seconds())
	l.targets.Store(&[]*server{old, next})
	time.Sleep(c.together)
	l.targets.Store(&[]*server{next})
	time.Sleep(c.together / 5)
	if err := old.process.Process.Signal(os.Interrupt); err != nil {
		return nil, "", err
	}
	time.Sleep(c.together / 5)
	done.Store(true)
	all.Wait()
	books = l.books(ctx, steps)
	fmt.Printf("%d requests, %d failed\n", l.sent.Load(), len(l.failures))
	return steps, books, l.noted()
}

// books are those after the month has ended.
func (l *load) books(ctx context.Context, steps []int) string {
	l.ask(ctx, "POST", "/test_clock/advance", "", object{"now": "2025-04-20T00:00:00Z"})
	var customers []string
	for client, n := range steps {
		for k := 0; k < n; k += 10 {
			customers = append(customers, fmt.Sprintf("client-%d-%d", client, k/10))
		}
	}
	return l.canonical(ctx, customers)
}

// noted are the requests that failed.
func (l *load) noted() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failures) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d requests failed, the first: %s", errFound, len(l.failures), l.sent.Load(), l.failures[0])
}

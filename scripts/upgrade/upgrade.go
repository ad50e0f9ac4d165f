package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"tollkeeper/scripts/rig"
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
	majors   []int
	owners   []string
	together time.Duration // both serve
	plant    string
}

func (c config) upgrade(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "tku-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	before, err := c.old(ctx, filepath.Join(dir, "before"))
	if err != nil {
		return err
	}
	if changes, err := migrates(ctx, c.from); err != nil {
		return err
	} else if !changes && c.plant == "" {
		c.plant = expand
	}
	fmt.Printf("the old version is %s, planted: %s\n", c.from, cmp.Or(c.plant, "nothing"))
	after, err := program(ctx, filepath.Join(dir, "after"), "", c.plant)
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // for the user that stands in for root
		return err
	}
	for _, major := range c.majors {
		if err := c.upgradeOn(ctx, major, dir, before, after); err != nil {
			return err
		}
	}
	return nil
}

// upgradeOn upgrades a database of each owner on a version of PostgreSQL.
func (c config) upgradeOn(ctx context.Context, major int, dir, before, after string) error {
	cache, err := filepath.Abs(".data/fetched")
	if err != nil {
		return err
	}
	db, err := cluster.Start(ctx, cluster.Options{Dir: filepath.Join(dir, fmt.Sprint("data-", major)), Cache: cache, Major: major, Log: os.Stderr})
	if err != nil {
		return err
	}
	for _, owner := range c.owners {
		began := time.Now()
		fmt.Printf("PostgreSQL %d, the owner has %s\n", major, owner)
		if err := c.compare(ctx, db, owner, before, after); err != nil {
			return errors.Join(err, db.Stop())
		}
		fmt.Printf("it took %.0f s\n", time.Since(began).Seconds())
	}
	return db.Stop()
}

// old is the binary that is replaced. It notes the commit.
func (c *config) old(ctx context.Context, dir string) (binary string, err error) {
	if c.from != "" {
		return program(ctx, dir, c.from, "")
	}
	binary, c.from, err = older(ctx, dir)
	return binary, err
}

// compare upgrades one database under load, has the new binary alone do the same on another,
// and compares the books.
func (c config) compare(ctx context.Context, db *cluster.Cluster, owner, before, after string) error {
	upgradedURL, err := newDatabase(ctx, db, "upgraded", owner, before)
	if err != nil {
		return err
	}
	controlURL, err := newDatabase(ctx, db, "control", owner, after)
	if err != nil {
		return err
	}
	steps, upgraded, err := c.underLoad(ctx, before, after, upgradedURL)
	if err != nil {
		return err
	}
	alone, err := begin(ctx, after, controlURL)
	if err != nil {
		return err
	}
	defer func() { _ = alone.Stop() }()
	control := &load{}
	control.asks(alone)
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
	if err := errors.Join(control.noted(), verify(ctx, after, controlURL), verify(ctx, after, upgradedURL)); err != nil {
		return err
	}
	if books != upgraded {
		return fmt.Errorf("%w: the books differ:\n%s", errFound, rig.Difference("upgraded", upgraded, "alone", books))
	}
	fmt.Printf("the books are equal: %d bytes\n", len(books))
	return goesBack(ctx, before, upgradedURL, books, steps)
}

// goesBack starts the old binary again on the database that the new one migrated, and compares
// what it shows.
func goesBack(ctx context.Context, before, database, books string, steps []int) error {
	old, err := begin(ctx, before, database)
	if err != nil {
		return fmt.Errorf("%w: the old binary does not start again: %w", errFound, err)
	}
	defer func() { _ = old.Stop() }()
	l := &load{}
	l.asks(old)
	shown := l.canonical(ctx, customers(steps))
	if err := l.noted(); err != nil {
		return err
	}
	if shown != books {
		return fmt.Errorf("%w: the old binary shows other books:\n%s", errFound, rig.Difference("the new binary", books, "the old one", shown))
	}
	fmt.Println("the old version goes back on the database and shows the same")
	return nil
}

// underLoad returns how many steps each client did, and the books after the upgrade.
func (c config) underLoad(ctx context.Context, before, after, database string) (steps []int, books string, err error) {
	old, err := begin(ctx, before, database)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = old.Stop() }()
	l := &load{}
	l.asks(old)
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
	defer func() { _ = next.Stop() }()
	fmt.Printf("the new server was ready after %.1f s\n", time.Since(began).Seconds())
	l.asks(old, next)
	time.Sleep(c.together)
	l.asks(next)
	time.Sleep(c.together / 5)
	if err := old.Signal(os.Interrupt); err != nil {
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
	return l.canonical(ctx, customers(steps))
}

// customers are those that clients made in so many steps.
func customers(steps []int) (all []string) {
	for client, n := range steps {
		for k := 0; k < n; k += 10 {
			all = append(all, fmt.Sprintf("client-%d-%d", client, k/10))
		}
	}
	return all
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

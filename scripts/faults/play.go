package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tollkeeper/scripts/rig"
)

// Histories of a seed: as many at once, each of so many steps.
const (
	historiesAtOnce = 2
	stepsOfHistory  = 25
)

// recovery is how long after a fault no server may be ready.
const recovery = time.Minute

// last is the load of the seed that was played last, for the controls.
var last *load

// play plays a seed, and returns what came of it and what is wrong.
func (o options) play(ctx context.Context, m *machine, seed uint64) (one played, findings []string, err error) {
	one = played{Seed: seed, Faults: map[string]int{}}
	front := (&patient{m.servers}).serve()
	defer front.Close()
	if err := m.allReady(recovery); err != nil {
		return one, nil, err
	}
	undisturbed := filepath.Join(m.dir, fmt.Sprint("undisturbed-", seed))
	if err := m.histories(ctx, seed, m.servers[0].server.URL(), undisturbed); err != nil {
		return one, nil, fmt.Errorf("without faults: %w", err)
	}
	l, err := m.begin(ctx, seed, front.URL)
	defer l.closer()
	if err != nil {
		return one, nil, err
	}
	last = l
	ended, stop := context.WithCancel(ctx)
	defer stop()
	rounds := make(chan error, 1)
	var wrong []string
	go func() { // histories, again and again until the last fault
		for round := 0; ; round++ {
			dir := filepath.Join(m.dir, fmt.Sprintf("disturbed-%d-%d", seed, round))
			err := m.histories(ctx, seed, front.URL, dir)
			if err != nil {
				rounds <- fmt.Errorf("with faults: %w", err)
				return
			}
			one.Histories += historiesAtOnce
			wrong = append(wrong, o.compare(undisturbed, dir)...)
			if ended.Err() != nil {
				rounds <- nil
				return
			}
		}
	}()
	random := rand.New(rand.NewPCG(seed, 7))
	for one.count() < o.faults && err == nil {
		select {
		case err = <-rounds:
			rounds <- err
		default:
			err = o.disturb(ctx, m, random, &one)
		}
	}
	stop()
	if failed := <-rounds; err == nil {
		err = failed
	}
	err = errors.Join(err, l.sendHome(), m.allReady(recovery))
	if err != nil {
		return one, wrong, err
	}
	for began := time.Now(); len(l.told.unheard()) > 0 && time.Since(began) < 2*time.Minute; {
		time.Sleep(100 * time.Millisecond)
	}
	one.Events, one.Weeks, one.Webhooks = len(l.told.events), l.told.weekly, len(l.told.customers)
	checked, err := l.check(ctx)
	return one, slices.Concat(wrong, one.idle(), checked), err
}

// disturb has one fault occur, and waits until some server is ready again.
func (o options) disturb(ctx context.Context, m *machine, random *rand.Rand, one *played) error {
	if err := sleep(ctx, time.Duration(random.IntN(600))*time.Millisecond); err != nil {
		return err
	}
	kind := kinds[random.IntN(len(kinds))]
	if kind.name == "disks filled" && !m.disk {
		return nil
	}
	if err := kind.occur(ctx, m, random); err != nil {
		return fmt.Errorf("%s: %w", kind.name, err)
	}
	one.Faults[kind.name]++
	began := time.Now()
	for !m.anyReady() {
		if time.Since(began) > recovery {
			return fmt.Errorf("%s: no server is ready after %s", kind.name, recovery)
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	one.Slowest = max(one.Slowest, time.Since(began).Milliseconds())
	return nil
}

// check returns what is wrong once all is over.
func (l *load) check(ctx context.Context) (findings []string, err error) {
	for _, id := range l.told.unheard() {
		findings = append(findings, "a webhook is lost: of customer "+id)
	}
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) { // parked work is tried again by itself
		broken, err := l.broken(ctx)
		if err != nil {
			return findings, err
		}
		if len(broken) == 0 || time.Since(began) > 90*time.Second {
			findings = append(findings, broken...)
			break
		}
	}
	if out, err := l.m.command().Run(ctx, "verify"); err != nil {
		findings = append(findings, fmt.Sprintf("%s\n%s", err, short(string(out))))
	}
	return findings, nil
}

// histories plays the histories of a seed on accounts of their own.
func (m *machine) histories(ctx context.Context, seed uint64, url, dumps string) error {
	if err := os.Mkdir(dumps, 0o700); err != nil {
		return err
	}
	var keys []string
	for n := range historiesAtOnce {
		var key string
		err := m.eventually(func() error { // a fault may hit the command; then another account is made
			made, err := m.command().CreateTestAccount(ctx, fmt.Sprintf("History %d of %d", n, seed))
			if err != nil {
				return err
			}
			key = made.Key
			return rig.Execute(ctx, m.url, "UPDATE accounts SET number_prefix = 'ABCDEF', future_bound_seconds = 400 * 86400 WHERE id = $1", made.ID)
		})
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	first := seed * historiesAtOnce
	command := exec.CommandContext(ctx, filepath.Join(m.dir, "histories"), "-server", url, "-keys", strings.Join(keys, ","), "-dump", dumps, "-whole",
		"-quick", "-seed", fmt.Sprint(first), "-count", fmt.Sprint(historiesAtOnce), "-steps", fmt.Sprint(stepsOfHistory), "-workers", "1")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("histories: %w\n%s", err, out)
	}
	return nil
}

// compare returns where what accounts show after faults is not what they show without. It keeps both.
func (o options) compare(undisturbed, disturbed string) (differences []string) {
	files, err := os.ReadDir(undisturbed)
	if err != nil || len(files) != historiesAtOnce {
		return []string{fmt.Sprintf("%d accounts are shown without faults: %v", len(files), err)}
	}
	for _, file := range files {
		expected, err := os.ReadFile(filepath.Join(undisturbed, file.Name()))
		shown, failed := os.ReadFile(filepath.Join(disturbed, file.Name()))
		if err = errors.Join(err, failed); err != nil {
			differences = append(differences, err.Error())
		}
		if string(shown) != string(expected) {
			if err := o.keep(filepath.Base(disturbed)+"-"+file.Name(), expected, shown); err != nil {
				differences = append(differences, err.Error())
			}
			differences = append(differences, fmt.Sprintf("history %s ends otherwise:\n%s", file.Name(), rig.Difference("without faults", string(expected), "with faults", string(shown))))
		}
	}
	return differences
}

// keep writes what an account shows without faults and with them, where a directory is given for it.
func (o options) keep(name string, expected, shown []byte) error {
	if o.differing == "" {
		return nil
	}
	if err := os.MkdirAll(o.differing, 0o700); err != nil {
		return err
	}
	path := filepath.Join(o.differing, name)
	return errors.Join(os.WriteFile(path+".expected", expected, 0o600), os.WriteFile(path+".shown", shown, 0o600))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"tollkeeper/scripts/rig"
)

// mostVerifying is the processor time, in seconds, in which a million events are verified.
const mostVerifying = 60

// runVerify measures verification alone.
func runVerify(ctx context.Context, o options) error {
	dir, err := scratch("bench-verify-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := setUp(ctx, dir, o.binary)
	if err != nil {
		return err
	}
	defer s.tearDown()
	t, err := s.open(ctx, "Bench")
	if err != nil {
		return err
	}
	defer t.close()
	if _, err = s.fixture(ctx, dir, t, o.present); err != nil {
		return err
	}
	p, err := s.serve(ctx, t.key, true)
	if err != nil {
		return err
	}
	err = t.settle(ctx, p)
	p.stop()
	if err != nil {
		return err
	}
	r := newReport(o.out, fmt.Sprintf("%d events present", o.present))
	if err := r.verifying(ctx, s, t, o.present); err != nil {
		return err
	}
	return r.verdict()
}

// damages are planted together, each with words of the finding that tells of it.
var damages = []struct{ name, finding, statement string }{
	{"the buckets of a customer doubled", "does not hold what its events come to",
		"UPDATE usage_buckets SET totals = ARRAY(SELECT 2 * t FROM unnest(totals) AS t) WHERE ours AND subject = 'e:customer-0'"},
	{"an hour of buckets deleted", "does not hold what its events come to",
		"DELETE FROM usage_buckets WHERE ours AND hour = (SELECT max(hour) FROM usage_buckets WHERE ours)"},
	{"the number of events of an hour", "events in that hour",
		"UPDATE usage_volumes SET events = events + 1 WHERE ours AND hour = (SELECT min(hour) FROM usage_volumes WHERE ours)"},
	{"a key deleted", "the event has no key", "DELETE FROM event_keys WHERE ours AND idempotency_key = md5('4')"},
	{"an event deleted", "the key leads to no event", "DELETE FROM events WHERE ours AND idempotency_key = md5('5')"},
	{"an event stored twice", "the event is stored more than once", "INSERT INTO events SELECT * FROM events WHERE ours AND idempotency_key = md5('6')"},
	{"a key that is there twice", "the key is there more than once", `SELECT open_key_part(0);
		INSERT INTO event_keys SELECT (SELECT max(part) FROM event_key_parts), account_id, idempotency_key, seq FROM event_keys WHERE ours AND idempotency_key = md5('7')`},
}

// verifying measures the processor time of tollkeeper verify and of its database, before and after damage is
// planted, all of which must be found.
func (r *report) verifying(ctx context.Context, s *stage, t *tables, present int) error {
	said, took, err := s.verify(ctx)
	if err != nil {
		return fmt.Errorf("before any damage: %w\n%s", err, said)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	r.add(figure{what: "verify, in processor time", value: took.Seconds(), unit: "s", most: mostVerifying * max(1, float64(present)/usualPresent), note: lines[len(lines)-1]})
	for _, d := range damages {
		statement := strings.ReplaceAll(d.statement, "ours", "account_id = '"+t.account+"'")
		if _, err := t.conn.Exec(ctx, "BEGIN; SET LOCAL session_replication_role = replica; "+statement+"; COMMIT"); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	said, took, err = s.verify(ctx)
	if err == nil {
		r.fail("verify finds nothing where all is damaged")
	}
	found := 0
	for _, d := range damages {
		if strings.Contains(said, d.finding) {
			found++
		} else {
			r.fail("verify does not find %s", d.name)
		}
	}
	r.add(figure{what: "verify of damage, in processor time", value: took.Seconds(), unit: "s", most: mostVerifying * max(1, float64(present)/usualPresent),
		note: fmt.Sprintf("%d of %d damages found", found, len(damages))})
	return nil
}

// verify runs the command, and returns what it says and the processor time of it and of the database.
func (s *stage) verify(ctx context.Context) (said string, took time.Duration, err error) {
	of := watch{postmaster: s.postmaster}
	before := of.now()
	command := rig.CommandLine{Binary: s.binary, Database: s.url}.Command(ctx, "verify")
	command.Stderr = os.Stderr
	out, err := command.Output()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		return "", 0, err
	}
	used := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	for began := time.Now(); time.Since(began) < 2*time.Second; time.Sleep(sampled) { // its connections end
		took = max(took, of.now().sub(before).database)
	}
	return string(out), used + took, err
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// samplesOfSoak is how often the servers and the database are looked at, after the first time.
const samplesOfSoak = 12

// soak plays the load without faults for a time, and prints what grows meanwhile. Clients change with each
// sample, to accounts of their own. So accounts and data do grow, and what depends on the load does not.
func (o options) soak(ctx context.Context, m *machine) error {
	front := (&patient{m.servers}).serve()
	defer front.Close()
	playing, stop := context.WithCancel(ctx)
	defer stop()
	histories := make(chan error, 1)
	played := 0
	go func() { histories <- m.historiesUntil(playing, o.seed, front.URL, &played) }()
	var samples []sample
	events := 0
	for k := range samplesOfSoak + 1 {
		s, err := m.sample(ctx)
		if err != nil {
			return err
		}
		samples = append(samples, s)
		_, _ = fmt.Fprintf(o.out, "%s: %s\n", (time.Duration(k) * o.soaking / samplesOfSoak).Round(time.Second), s)
		if k == samplesOfSoak {
			break
		}
		l, err := m.begin(ctx, o.seed+uint64(k), front.URL)
		if err == nil {
			err = sleep(ctx, o.soaking/samplesOfSoak)
		}
		if home := l.sendHome(); err == nil {
			err = home
		}
		l.closer()
		if err != nil {
			return fmt.Errorf("seed %d: %w", o.seed+uint64(k), err)
		}
		events += len(l.told.events)
		select {
		case err := <-histories:
			return fmt.Errorf("a history: %w", err)
		default:
		}
	}
	stop()
	if err := <-histories; err != nil {
		return fmt.Errorf("a history: %w", err)
	}
	_, _ = fmt.Fprintf(o.out, "%d events answered, %d histories played\n", events, played)
	if events == 0 {
		return errors.New("no event was answered, so there was no load")
	}
	if out, err := m.command().Run(ctx, "verify"); err != nil {
		return fmt.Errorf("%w\n%s", err, short(string(out)))
	}
	return o.judge(samples)
}

// historiesUntil plays histories, each round with other seeds, until ctx ends.
func (m *machine) historiesUntil(ctx context.Context, seed uint64, url string, played *int) error {
	for ; ctx.Err() == nil; seed++ {
		began := time.Now()
		err := m.histories(ctx, seed, url, filepath.Join(m.dir, fmt.Sprint("soak-", seed)))
		if err != nil && ctx.Err() == nil { // else it was ended
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		if err == nil {
			*played += historiesAtOnce
		}
		_ = sleep(ctx, time.Since(began)*time.Duration(max(1, m.o.rest)-1)) // ctx is asked next
	}
	return nil
}

// sample is how the servers and the database are.
type sample struct {
	memory      float64 // bytes of the server that has most
	goroutines  float64 // of the server that has most
	files       float64 // likewise
	connections float64 // to the database, of all servers
	dead        float64 // rows that no transaction sees, as a part of all
	worst       string  // the table with the most of them
	size        float64 // bytes of the database
}

func (s sample) String() string {
	return fmt.Sprintf("%.0f MB, %.0f goroutines, %.0f files, %.0f connections, %.1f %% dead rows (most in %s), %.0f MB of data",
		s.memory/1e6, s.goroutines, s.files, s.connections, 100*s.dead, s.worst, s.size/1e6)
}

// sample looks at all servers and at the database.
func (m *machine) sample(ctx context.Context) (s sample, err error) {
	for _, p := range m.servers {
		if err := s.server(p.server.Addr); err != nil {
			return s, err
		}
	}
	conn, err := pgx.Connect(ctx, m.url)
	if err != nil {
		return s, err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())::float8,
		(SELECT coalesce(sum(n_dead_tup) / nullif(sum(n_live_tup + n_dead_tup), 0), 0) FROM pg_stat_user_tables)::float8,
		(SELECT relname FROM pg_stat_user_tables ORDER BY n_dead_tup DESC LIMIT 1), pg_database_size(current_database())::float8`).
		Scan(&s.connections, &s.dead, &s.worst, &s.size)
	return s, err
}

// server adds what a server shows of itself.
func (s *sample) server(addr string) error {
	response, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value, _ := strconv.ParseFloat(text, 64)
		switch name {
		case "process_resident_memory_bytes":
			s.memory = max(s.memory, value)
		case "go_goroutines":
			s.goroutines = max(s.goroutines, value)
		case "process_open_fds":
			s.files = max(s.files, value)
		}
	}
	return lines.Err()
}

// bounds are what a figure may be in the last third of a soak: so many times what it was in the second, and
// some more. Memory takes more, since a server keeps a filter of the keys of all events.
var bounds = []struct {
	name        string
	of          func(s sample) float64
	times, more float64
}{
	{"memory", func(s sample) float64 { return s.memory }, 1.25, 50e6},
	{"goroutines", func(s sample) float64 { return s.goroutines }, 1.2, 20},
	{"files", func(s sample) float64 { return s.files }, 1.2, 20},
	{"connections", func(s sample) float64 { return s.connections }, 1.2, 5},
	{"dead rows", func(s sample) float64 { return s.dead }, 1.2, 0.1},
}

// judge compares the last third of the samples with the second one.
func (o options) judge(samples []sample) (err error) {
	third := len(samples) / 3
	mean := func(some []sample, of func(s sample) float64) (sum float64) {
		for _, s := range some {
			sum += of(s) / float64(len(some))
		}
		return sum
	}
	for _, b := range bounds {
		before, after := mean(samples[third:2*third], b.of), mean(samples[2*third:], b.of)
		_, _ = fmt.Fprintf(o.out, "%s: %.4g in the second third, %.4g in the last one\n", b.name, before, after)
		if after > b.times*before+b.more {
			err = errors.Join(err, fmt.Errorf("%s grew from %.4g to %.4g", b.name, before, after))
		}
	}
	return err
}

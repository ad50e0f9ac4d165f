package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// sample is how one server and the database stand.
type sample struct {
	memory      float64 // bytes of the server
	goroutines  float64
	files       float64
	connections float64 // to the database, of all servers
	dead        float64 // rows that no transaction sees, as a part of all
}

// soak plays the load without faults for a time, and prints what grows meanwhile. Each round is a
// seed of its own, so accounts and data do grow.
func (o options) soak(ctx context.Context, m *machine, wanted time.Duration) error {
	front := (&patient{m.servers}).serve()
	defer front.Close()
	var samples []sample
	took := func() error {
		s, err := m.sample(ctx)
		if err == nil {
			samples = append(samples, s)
			_, _ = fmt.Fprintf(o.out, "after %d rounds: %s\n", len(samples)-1, s)
		}
		return err
	}
	if err := took(); err != nil {
		return err
	}
	for began, seed := time.Now(), o.seed; time.Since(began) < wanted; seed++ {
		l, err := m.begin(ctx, seed, front.URL)
		if err != nil {
			return err
		}
		err = m.histories(ctx, seed, front.URL, filepath.Join(m.dir, fmt.Sprint("soak-", seed)))
		if home := l.sendHome(); err == nil {
			err = home
		}
		l.closer()
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		if err := took(); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintf(o.out, "the second round and the last:\n  %s\n  %s\n", samples[min(2, len(samples)-1)], samples[len(samples)-1])
	return nil
}

func (s sample) String() string {
	return fmt.Sprintf("%.0f MB, %.0f goroutines, %.0f files, %.0f connections, %.1f %% dead rows", s.memory/1e6, s.goroutines, s.files, s.connections, 100*s.dead)
}

// sample looks at the first server and at the database.
func (m *machine) sample(ctx context.Context) (s sample, err error) {
	response, err := http.Get("http://" + m.servers[0].addr + "/metrics")
	if err != nil {
		return s, err
	}
	defer func() { _ = response.Body.Close() }()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		value, _ := strconv.ParseFloat(text, 64)
		switch name {
		case "process_resident_memory_bytes":
			s.memory = value
		case "go_goroutines":
			s.goroutines = value
		case "process_open_fds":
			s.files = value
		}
	}
	conn, err := pgx.Connect(ctx, m.url)
	if err != nil {
		return s, err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())::float8,
		(SELECT coalesce(sum(n_dead_tup) / nullif(sum(n_live_tup + n_dead_tup), 0), 0) FROM pg_stat_user_tables)::float8`).Scan(&s.connections, &s.dead)
	return s, err
}

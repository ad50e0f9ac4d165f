package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"html"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/user"
	"tollkeeper/scripts/rig"
	"tollkeeper/store"
)

// What is wanted of each page of the console, however many records there are.
const (
	mostForPage    = 100.0    // milliseconds of 95 in 100 answers
	mostPageSize   = 50 << 10 // bytes, compressed
	pageMonths     = 10       // invoices of each customer
	eachPage       = 40       // requests
	pagePassphrase = "seven herons cross the brook"
)

// runConsole measures the pages of the console where there are very many customers, invoices and events.
func runConsole(ctx context.Context, o options) error {
	return onStage(ctx, "bench-console-", o.binary, func(s *stage) error {
		first := monthOf(time.Now()).AddDate(0, -pageMonths, 0)
		b, err := s.openBilling(ctx, line{month: first, workers: 2})
		if err != nil {
			return err
		}
		defer func() { b.server.stop() }()
		if err := b.crowd(ctx, o.billed, o.present); err != nil {
			return err
		}
		if err := b.settle(ctx, b.server); err != nil {
			return err
		}
		if _, err := b.conn.Exec(ctx, "VACUUM (ANALYZE)"); err != nil {
			return err
		}
		cookie, err := signIn(ctx, b.url, b.account)
		if err != nil {
			return err
		}
		var invoices int
		if err := b.conn.QueryRow(ctx, "SELECT count(*) FROM invoices WHERE account_id = $1", b.account).Scan(&invoices); err != nil {
			return err
		}
		r := newReport(o.out, fmt.Sprintf("%d customers, %d invoices, %d events", o.billed, invoices, o.present))
		if err := r.pages(ctx, b.server, cookie); err != nil {
			return err
		}
		return r.verdict()
	})
}

// crowd bills one customer for ten months, copies it with all that it has, and gives events of the last
// month to all.
func (b *billed) crowd(ctx context.Context, times, present int) error {
	now := b.month.AddDate(0, pageMonths, 0)
	st, err := store.Open(ctx, b.url)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	use := func(from, until time.Time, events, customers int) error {
		if err := event.EnsurePartitions(ctx, st); err != nil {
			return err
		}
		_, err := b.conn.Exec(ctx, `
			INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
			SELECT $1, md5($2::timestamptz::text || n::text), 'request', CASE WHEN $5::int = 1 THEN 'e:' || $7 ELSE 'e:customer-' || n % $5::int END,
				$2::timestamptz + n * ($3::timestamptz - $2::timestamptz) / ($4::int + 1),
				format('{"tokens":%s,"seconds":%s.25,"region":"%s","seat_id":"seat"}', n % 997, n % 7, ($6::text[])[1 + n % 4])::jsonb, clock_timestamp(), event_number() + n
			FROM generate_series(0, $4::int - 1) AS n`, b.account, from, until, events, customers, regions, b.seed)
		return err
	}
	for month := b.month; month.Before(now); month = month.AddDate(0, 1, 0) {
		if _, err := b.conn.Exec(ctx, "SELECT ensure_event_partition($1)", month); err != nil {
			return err
		}
		if err := use(month, month.AddDate(0, 1, 0), eachUses, 1); err != nil {
			return err
		}
	}
	if err := b.advance(ctx, now.Add(13*time.Hour)); err != nil {
		return err
	}
	began := time.Now()
	tx, err := b.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil { // the copies refer to each other all around
		return err
	}
	for _, table := range []string{"customers", "subscriptions", "plan_intervals", "price_intervals", "invoices", "invoice_lines"} {
		if err := b.copyRows(ctx, tx, table, times, "true"); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	const part = 250_000
	for at := 0; at < present; at += part {
		from := now.AddDate(0, -1, 0).Add(time.Duration(at) * time.Microsecond)
		if err := use(from, now, min(part, present-at), times); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%d customers copied in %.0f s\n", times, time.Since(began).Seconds())
	return nil
}

// signIn makes an owner of an account, and returns the cookie of their session.
func signIn(ctx context.Context, url, account string) (cookie string, err error) {
	st, err := store.Open(ctx, url)
	if err != nil {
		return "", err
	}
	defer func() { _ = st.Close() }()
	var invitation string
	err = st.Update(store.WithAccount(ctx, account), func(tx *store.Tx) (err error) {
		_, invitation, err = user.Invite(tx, "owner@bench.example", user.RoleOwner)
		return err
	})
	if err != nil {
		return "", err
	}
	session, err := user.JoinAsNew(ctx, st, invitation, user.New{Name: "Owner", Password: pagePassphrase}, user.Request{})
	return "tollkeeper_session=" + session, err
}

var (
	pageLinks = regexp.MustCompile(`href="(/console[^"#]*)`)
	idOfPath  = regexp.MustCompile(`/[a-z]+_[A-Za-z0-9]{16,}`)
	oneOfMany = regexp.MustCompile(`/(mail-templates|settings)/[a-z_]+`) // pages that differ in a name alone
)

// kindOfPage is the address of a page without ids and values.
func kindOfPage(address string) string {
	path, query, _ := strings.Cut(address, "?")
	kind := oneOfMany.ReplaceAllString(idOfPath.ReplaceAllString(path, "/:id"), "/$1/:name")
	var names []string
	for member := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(member, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	if query != "" {
		kind += "?" + strings.Join(names, "&")
	}
	return kind
}

// pages measures one page of each kind that links lead to, but for forms and files.
func (r *report) pages(ctx context.Context, p *process, cookie string) error {
	found := map[string]string{}
	for todo := []string{"/console"}; len(todo) > 0; todo = todo[1:] {
		kind := kindOfPage(todo[0])
		if found[kind] != "" || strings.HasPrefix(kind, "/console/assets/") || strings.HasPrefix(kind, "/console/do/") {
			continue
		}
		found[kind] = todo[0]
		text, _, err := p.page(ctx, todo[0], cookie)
		if err != nil {
			return err
		}
		for _, link := range pageLinks.FindAllSubmatch(text, -1) {
			todo = append(todo, html.UnescapeString(string(link[1])))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		var took []time.Duration
		var size int
		for range eachPage {
			text, each, err := p.page(ctx, found[kind], cookie)
			if err != nil {
				return err
			}
			took = append(took, each)
			size = compressed(text)
		}
		r.add(figure{what: "page " + cmp.Or(strings.TrimPrefix(kind, "/console"), "/"), value: quantile(took, 95), unit: "ms", most: mostForPage, note: fmt.Sprintf("%.1f KB compressed", float64(size)/1024)})
		if size > mostPageSize {
			r.fail("%s has %d bytes, compressed", kind, size)
		}
	}
	return nil
}

// page asks for a page, and returns how long its answer took.
func (p *process) page(ctx context.Context, address, cookie string) (text []byte, took time.Duration, err error) {
	began := time.Now()
	answer, err := rig.Client{URL: p.Client.URL}.Send(ctx, rig.Request{Method: http.MethodGet, Path: address, Header: http.Header{"Cookie": {cookie}}})
	took = time.Since(began)
	if err == nil && answer.Status != http.StatusOK {
		err = fmt.Errorf("%s: %d", address, answer.Status)
	}
	return answer.Body, took, err
}

func compressed(text []byte) int {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(text) // a buffer takes all
	_ = zip.Close()
	return packed.Len()
}

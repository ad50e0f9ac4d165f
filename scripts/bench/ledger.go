package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// wantLedger is how many times the database's work for two bare inserts an entry of a
// ledger may take.
const wantLedger = 4

// entering is what became of entries, in all rounds.
type entering struct {
	ratios []float64 // of the database's work to that of bare inserts
	rates  []float64 // entries per second
	work   spent
}

// ledgers measures entries by hand: of one customer, whose ledger all wait for, and of a
// thousand, in turns with two prepared inserts, into copies of the tables of blocks and
// entries with all their indexes, in one transaction. The ratio is the middle one of the
// rounds'.
func (r *report) ledgers(ctx context.Context, s *stage, t *tables, p *process) error {
	const customers, entries, writers, rounds = 1000, 4000, 8, 5
	paths := make([]string, customers)
	for k := range paths {
		customer, err := p.Create(ctx, "/v1/customers", object{"name": "Prepaid", "email": "p@example.com"})
		if err != nil {
			return err
		}
		paths[k] = "/v1/customers/" + customer + "/credits/ledger_entry"
		if _, err := p.Create(ctx, paths[k], object{"entry_type": "increment", "amount": 1_000_000}); err != nil {
			return err
		}
	}
	var hot, spread entering
	for range rounds {
		bare, err := s.bareInserts(ctx, t, p, entries, writers)
		if err == nil {
			err = hot.enter(p, paths[:1], entries, writers, bare)
		}
		if err == nil {
			err = spread.enter(p, paths, entries, writers, bare)
		}
		if err != nil {
			return err
		}
	}
	r.entered(1, hot, entries*rounds)
	r.entered(customers, spread, entries*rounds)
	return nil
}

func (r *report) entered(customers int, e entering, entries int) {
	r.add(figure{
		what: fmt.Sprintf("ledger entries of %d customers, db", customers), value: median(e.ratios), unit: "x", most: wantLedger,
		work: e.work, units: entries, note: fmt.Sprintf("%.0f/s; two bare inserts: 1", median(e.rates)),
	})
}

// enter takes one round of entries, which the customers at the paths have in turns.
func (e *entering) enter(p *process, paths []string, entries, writers int, bare time.Duration) error {
	queue := make(chan []byte, entries)
	for k := range entries {
		queue <- p.request(paths[k%len(paths)], `{"entry_type":"decrement","amount":1}`)
	}
	close(queue)
	used := p.watch()
	before := used.now()
	all, _, err := load(p.Addr, writers, queue)
	if err != nil {
		return err
	}
	work := used.now().sub(before)
	e.ratios = append(e.ratios, float64(work.database)/float64(bare))
	e.rates = append(e.rates, float64(entries)/all.Seconds())
	e.work = e.work.add(work)
	return nil
}

// bareInserts makes so many pairs of rows from so many connections, and returns what that
// took of the database's processor time.
func (s *stage) bareInserts(ctx context.Context, t *tables, p *process, pairs, writers int) (time.Duration, error) {
	_, err := t.conn.Exec(ctx, "CREATE TABLE bare_blocks (LIKE credit_blocks INCLUDING ALL); CREATE TABLE bare_entries (LIKE ledger_entries INCLUDING ALL)")
	if err != nil {
		return 0, err
	}
	used := p.watch()
	before := used.now()
	var all sync.WaitGroup
	failed := make([]error, writers)
	for w := range writers {
		all.Go(func() { failed[w] = s.bareWriter(ctx, t.account, w, pairs/writers) })
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return 0, err
		}
	}
	work := used.now().sub(before).database
	_, err = t.conn.Exec(ctx, "DROP TABLE bare_blocks, bare_entries")
	return work, err
}

func (s *stage) bareWriter(ctx context.Context, account string, writer, pairs int) error {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for k := range pairs {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { // statements are prepared once
			id := fmt.Sprintf("%03d-%017d", writer, k)
			_, err := tx.Exec(ctx, `INSERT INTO bare_blocks (account_id, id, seq, created_at, customer_id, currency, source, status, initial_balance, balance, effective_at)
				OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, now(), $2, 'credits', 'manual', 'active', 1000000, 1000000, now())`, account, "block_"+id, k)
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `INSERT INTO bare_entries (account_id, id, seq, created_at, customer_id, currency, sequence, kind, status, amount, starting_balance, ending_balance, block_id)
				OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, now(), $2, 'credits', 1, 'decrement', 'committed', 1, 1000000, 999999, $4)`, account, "entry_"+id, k, "block_"+id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

// oldestApart is the age, in seconds, of the oldest event that is in no bucket; 0 when all
// are in some.
const oldestApart = `
	SELECT coalesce((SELECT extract(epoch FROM clock_timestamp() - ingested_at) FROM events
		WHERE account_id = $1 AND seq >= (SELECT mark FROM usage_progress WHERE account_id = $1) ORDER BY seq LIMIT 1), 0)::float8`

// sampled is how often the buckets are looked at.
const sampled = 50 * time.Millisecond

// watchBuckets looks at how far the buckets are behind the events until the function that
// it returns is called, which tells how far they were at most.
func (t *tables) watchBuckets(ctx context.Context, p *process) (stop func() time.Duration, err error) {
	if !p.buckets {
		return func() time.Duration { return 0 }, nil
	}
	conn, err := pgx.Connect(ctx, t.conn.Config().ConnString())
	if err != nil {
		return nil, err
	}
	done, result := make(chan struct{}), make(chan time.Duration)
	go func() {
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		var most float64
		for {
			var seconds float64
			if err := conn.QueryRow(ctx, oldestApart, t.account).Scan(&seconds); err != nil {
				fmt.Fprintln(os.Stderr, "look at the buckets:", err)
			}
			most = max(most, seconds)
			select {
			case <-done:
				result <- time.Duration(most * float64(time.Second))
				return
			case <-time.After(sampled):
			}
		}
	}()
	return func() time.Duration { close(done); return <-result }, nil
}

// unsettled tells what is left to do for the aggregator: events in no bucket, series that
// are new, hours to be rebuilt, six-hour buckets that are over.
const unsettled = `
	WITH p AS (SELECT coalesce(mark, -1) AS mark, six_hourly_to
		FROM (SELECT) AS one LEFT JOIN usage_progress ON account_id = $1)
	SELECT mark < 0 OR EXISTS (SELECT FROM events AS e WHERE e.account_id = $1 AND e.seq >= p.mark)
		OR EXISTS (SELECT FROM usage_series AS s WHERE s.account_id = $1 AND s.mark < p.mark)
		OR EXISTS (SELECT FROM usage_gaps AS g WHERE g.account_id = $1)
		OR EXISTS (SELECT FROM usage_volumes AS v WHERE v.account_id = $1 AND v.hour >= coalesce(p.six_hourly_to, '-infinity')
			AND date_bin('6 hours', v.hour, '2000-01-01 00:00+00') + interval '6 hours' <= coalesce((SELECT clock_now FROM accounts WHERE id = $1), now())),
		(SELECT min(failure) FROM usage_series AS s WHERE s.account_id = $1 AND failed_at IS NOT NULL)
	FROM p`

// settle waits until all events are in the buckets that the server keeps, if it keeps any.
func (t *tables) settle(ctx context.Context, p *process) error {
	began, told := time.Now(), time.Now()
	for p.buckets {
		var more bool
		var failure *string
		err := t.conn.QueryRow(ctx, unsettled, t.account).Scan(&more, &failure)
		switch {
		case err != nil:
			return fmt.Errorf("wait for the buckets: %w", err)
		case failure != nil:
			return fmt.Errorf("buckets are not kept: %s", *failure)
		case !more:
			return nil
		}
		if time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "waiting for buckets for %.0f s\n", time.Since(began).Seconds())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sampled):
		}
	}
	return nil
}

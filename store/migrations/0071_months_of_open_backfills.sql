-- +goose Up

-- event_month_needed tells whether an account still needs the events of a month: since
-- it is young by the account's clock, its own are not all in buckets, buckets have to be
-- made of them anew, or a backfill is at work there, be it one that has no events yet: where
-- a month was dropped it could not be closed.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_month_needed(name text, start_at timestamptz, end_at timestamptz, keep_months integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    needed boolean;
BEGIN
    EXECUTE format($f$
        SELECT EXISTS (SELECT FROM backfills AS b WHERE b.status IN ('pending', 'pending_revert') AND b.timeframe_start < $2 AND b.timeframe_end > $1)
        OR EXISTS (
            SELECT FROM accounts AS a CROSS JOIN LATERAL (SELECT max(seq) AS newest FROM %I AS e WHERE e.account_id = a.id) AS e
            WHERE newest IS NOT NULL
            AND (coalesce(a.clock_now, clock_timestamp()) < $2 + $3 * interval '1 month'
                OR NOT EXISTS (SELECT FROM usage_progress AS p WHERE p.account_id = a.id AND p.mark > newest)
                OR EXISTS (SELECT FROM usage_series AS s WHERE s.account_id = a.id AND s.mark <= newest AND s.failed_at IS NULL)
                OR EXISTS (SELECT FROM usage_gaps AS g WHERE g.account_id = a.id AND g.start_at < $2 AND g.end_at > $1)))$f$, name)
        INTO needed USING start_at, end_at, keep_months;
    RETURN needed;
END
$$;
-- +goose StatementEnd

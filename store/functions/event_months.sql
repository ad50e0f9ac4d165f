-- The partitions of events by month: made ahead of time, dropped if the operator wants it.

-- ensure_event_partition makes the partition for the month of an instant. It is made beside
-- the parent first and is attached then, which stops no reading and no writing. The server's
-- role reaches partitions through the parent only, where row-level security applies. It asks
-- for the lock only when the partition is missing, so every recording can ask for the months
-- it needs.
CREATE OR REPLACE FUNCTION ensure_event_partition(at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
    name text := 'events_' || to_char(month, 'YYYY_MM');
BEGIN
    IF to_regclass(name) IS NOT NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(name, 0));
    -- not to_regclass again, which would remember what it did not find
    IF NOT EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = 'public'::regnamespace) THEN
        EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL)', name);
        EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
            month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION ensure_event_partition(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ensure_event_partition(timestamptz) TO tollkeeper_app;

-- event_month_needed tells whether an account still needs the events of a month: the month is
-- young by the account's clock, the account's events are not all in buckets, buckets have to
-- be made of them again, or a backfill is at work there. That may be a backfill without
-- events: it could not be closed where a month was dropped.
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
REVOKE EXECUTE ON FUNCTION event_month_needed(text, timestamptz, timestamptz, integer) FROM PUBLIC;

-- drop_event_month drops the oldest month that ended so many months ago and is not needed, and
-- returns its beginning; null if there is none. Keys stay. It waits for no lock longer than a
-- second, since other statements wait behind it; then there is none, and the next time may
-- find one.
CREATE OR REPLACE FUNCTION drop_event_month(keep_months integer) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
    month record;
    whose text[];
BEGIN
    FOR month IN SELECT * FROM event_months WHERE end_at + keep_months * interval '1 month' <= clock_timestamp() ORDER BY start_at LOOP
        CONTINUE WHEN event_month_needed(month.name, month.start_at, month.end_at, keep_months);
        LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE;
        LOCK TABLE dropped_event_months IN ACCESS EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(month.name) IS NULL -- another server was first
            OR event_month_needed(month.name, month.start_at, month.end_at, keep_months);
        EXECUTE format('SELECT coalesce(array_agg(id), ''{}'') FROM accounts AS a WHERE EXISTS (SELECT FROM %I AS e WHERE e.account_id = a.id)', month.name)
            INTO whose;
        EXECUTE format('DROP TABLE %I', month.name);
        INSERT INTO dropped_event_months AS m (start_at, end_at, accounts) VALUES (month.start_at, month.end_at, whose)
            ON CONFLICT (start_at) DO UPDATE SET accounts = CASE WHEN m.accounts IS NOT NULL THEN m.accounts || excluded.accounts END;
        RETURN month.start_at;
    END LOOP;
    RETURN NULL;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION drop_event_month(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_event_month(integer) TO tollkeeper_app;

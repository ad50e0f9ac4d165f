-- What becomes of the tables of events as time goes by: months are made ahead of time,
-- old ones dropped if the operator wishes, and their size can be told.

-- +goose Up

-- Months of which events were dropped. What they counted is in the buckets alone, so
-- history is not changed there any more. Who is about to do so reads this table, and
-- holds it until the end of the transaction.
CREATE TABLE dropped_event_months (
    start_at   timestamptz PRIMARY KEY,
    end_at     timestamptz NOT NULL,
    dropped_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON dropped_event_months TO tollkeeper_app;

CREATE VIEW event_months AS
    SELECT relname AS name, start AT TIME ZONE 'UTC' AS start_at, (start + interval '1 month') AT TIME ZONE 'UTC' AS end_at
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid,
        to_timestamp(substr(relname, 8), 'YYYY_MM') AS named, date_trunc('month', named::timestamp) AS start
    WHERE inhparent = 'events'::regclass;

-- event_month_needed tells whether an account still needs the events of a month: since
-- it is young by the account's clock, they are not all in buckets, buckets have to be
-- made of them anew, or a backfill is at work on them.
-- +goose StatementBegin
CREATE FUNCTION event_month_needed(name text, start_at timestamptz, end_at timestamptz, keep_months integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    newest bigint;
    needed boolean;
BEGIN
    EXECUTE format('SELECT coalesce(max(seq), 0) FROM %I', name) INTO newest;
    EXECUTE format($f$
        SELECT EXISTS (
            SELECT FROM accounts AS a
            WHERE (coalesce(a.clock_now, clock_timestamp()) < $2 + $3 * interval '1 month'
                OR NOT EXISTS (SELECT FROM usage_progress AS p WHERE p.account_id = a.id AND p.mark > $4)
                OR EXISTS (SELECT FROM usage_series AS s WHERE s.account_id = a.id AND s.mark <= $4 AND s.failed_at IS NULL)
                OR EXISTS (SELECT FROM usage_gaps AS g WHERE g.account_id = a.id AND g.start_at < $2 AND g.end_at > $1)
                OR EXISTS (SELECT FROM backfills AS b WHERE b.account_id = a.id AND b.status IN ('pending', 'pending_revert')
                    AND b.timeframe_start < $2 AND b.timeframe_end > $1))
            AND EXISTS (SELECT FROM %I AS e WHERE e.account_id = a.id))$f$, name)
        INTO needed USING start_at, end_at, keep_months, newest;
    RETURN needed;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION event_month_needed(text, timestamptz, timestamptz, integer) FROM PUBLIC;

-- drop_event_month drops the oldest month that ended so many months ago and is not
-- needed, and returns its beginning; null if there is none. Keys stay. It waits for
-- no lock longer than a second, since what comes after waits with it; then there is
-- none, and the next time may find one.
-- +goose StatementBegin
CREATE FUNCTION drop_event_month(keep_months integer) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
    month record;
BEGIN
    FOR month IN SELECT * FROM event_months WHERE end_at + keep_months * interval '1 month' <= clock_timestamp() ORDER BY start_at LOOP
        CONTINUE WHEN event_month_needed(month.name, month.start_at, month.end_at, keep_months);
        LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE;
        LOCK TABLE dropped_event_months IN ACCESS EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(month.name) IS NULL -- another server was first
            OR event_month_needed(month.name, month.start_at, month.end_at, keep_months);
        EXECUTE format('DROP TABLE %I', month.name);
        INSERT INTO dropped_event_months (start_at, end_at) VALUES (month.start_at, month.end_at) ON CONFLICT DO NOTHING;
        RETURN month.start_at;
    END LOOP;
    RETURN NULL;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION drop_event_month(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_event_month(integer) TO tollkeeper_app;

-- event_storage tells what the tables take on disk, in bytes, and how many events there
-- are: those of large months as the database last estimated them.
-- +goose StatementBegin
CREATE FUNCTION event_storage(OUT events bigint, OUT months bigint, OUT table_bytes bigint, OUT index_bytes bigint,
    OUT key_bytes bigint, OUT bucket_bytes bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    month record;
    counted bigint;
BEGIN
    SELECT count(*), coalesce(sum(pg_table_size(name::regclass)), 0), coalesce(sum(pg_indexes_size(name::regclass)), 0)
        INTO months, table_bytes, index_bytes FROM event_months;
    events := 0;
    FOR month IN SELECT name, reltuples::bigint AS estimate FROM event_months JOIN pg_class ON oid = name::regclass LOOP
        IF month.estimate < 0 OR pg_relation_size(month.name::regclass) < 64 << 20 THEN
            EXECUTE format('SELECT count(*) FROM %I', month.name) INTO counted;
        ELSE
            counted := month.estimate;
        END IF;
        events := events + counted;
    END LOOP;
    SELECT coalesce(sum(pg_total_relation_size(format('event_keys_%s', part)::regclass)), 0) INTO key_bytes FROM event_key_parts;
    bucket_bytes := pg_total_relation_size('usage_buckets') + pg_total_relation_size('usage_values') + pg_total_relation_size('usage_volumes');
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION event_storage() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION event_storage() TO tollkeeper_app;

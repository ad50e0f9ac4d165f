-- +goose Up

-- Whose events were dropped with a month: of others none were, and theirs may come yet, where
-- a clock stands that is set by hand. Null, of months that were dropped before: everybody's.
ALTER TABLE dropped_event_months ADD accounts text[];

-- drop_event_month drops the oldest month that ended so many months ago and is not
-- needed, and returns its beginning; null if there is none. Keys stay. It waits for
-- no lock longer than a second, since what comes after waits with it; then there is
-- none, and the next time may find one.
-- +goose StatementBegin
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
-- +goose StatementEnd

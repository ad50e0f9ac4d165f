-- Recording events is one call, and that call one transaction: between a client
-- and the disk there is one round trip, however many events travel together.

-- +goose Up

-- ensure_event_partition asks for the lock only when the partition is missing, so
-- every recording can ask for the months it needs.
-- +goose StatementBegin
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
-- +goose StatementEnd

-- record_events stores the events whose keys are new and tells which were known.
-- It stores nothing if one of them is older than oldest or newer than newest, or
-- if one of the customers does not exist: the caller leaves those out and asks
-- again. Keys are inserted in their order, so that two calls cannot deadlock;
-- seq keeps the order of the arrays, which are shorter than 2^20.
-- +goose StatementBegin
CREATE FUNCTION record_events(account text, customer_ids text[],
    keys text[], names text[], subjects text[], timestamps timestamptz[], properties text[],
    OUT oldest timestamptz, OUT newest timestamptz, OUT existing_ids text[], OUT stored boolean, OUT known_keys text[])
LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := begin_account(account);
    first timestamptz;
    last timestamptz;
    number bigint;
    new_keys text[];
    all_new boolean; -- nearly always: then no event is looked up among the new keys
BEGIN
    SELECT now - grace_period_seconds * interval '1 second', now + future_bound_seconds * interval '1 second'
        INTO oldest, newest FROM accounts WHERE id = account;
    existing_ids := ARRAY(SELECT id FROM customers WHERE account_id = account AND id = ANY (customer_ids) AND deleted_at IS NULL);
    SELECT min(at), max(at) INTO first, last FROM unnest(timestamps) AS at;
    stored := customer_ids <@ existing_ids AND (keys = '{}' OR first >= oldest AND last <= newest);
    IF NOT stored THEN
        RETURN;
    END IF;

    PERFORM ensure_event_partition(month AT TIME ZONE 'UTC')
        FROM generate_series(date_trunc('month', first AT TIME ZONE 'UTC'), last AT TIME ZONE 'UTC', '1 month') AS month;
    number := nextval('event_groups') << 20;
    WITH claimed AS (
        INSERT INTO event_keys (account_id, idempotency_key)
        SELECT account, key FROM unnest(keys) AS key ORDER BY key COLLATE "C"
        ON CONFLICT DO NOTHING
        RETURNING idempotency_key
    )
    SELECT coalesce(array_agg(idempotency_key), '{}') INTO new_keys FROM claimed;
    all_new := cardinality(new_keys) = cardinality(keys);
    INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
    SELECT account, key, name, subject, at, text::jsonb, now, number + place
    FROM unnest(keys, names, subjects, timestamps, properties) WITH ORDINALITY AS sent (key, name, subject, at, text, place)
    WHERE all_new OR key IN (SELECT unnest(new_keys));
    IF NOT all_new THEN
        known_keys := ARRAY(SELECT key FROM unnest(keys) AS key WHERE key NOT IN (SELECT unnest(new_keys)));
    END IF;
END
$$;
-- +goose StatementEnd

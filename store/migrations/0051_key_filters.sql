-- A part of the keys that was closed takes no more, so a filter in the memory of a server can
-- tell of nearly every new key that it is not there, at two bytes for each that is. Only the
-- rest is looked up there, and parts can be small, so that little of their indexes is touched.

-- +goose Up

-- seal is given to a part when it is closed. A filter goes by the seal: if the database forgot that
-- the part was closed, as a standby that takes over may, and closes it later, it has another one.
-- Parts are closed in their order, so who knows the seal of one knows all parts before it.
ALTER TABLE event_key_parts ADD seal text COLLATE "C" UNIQUE;
UPDATE event_key_parts SET seal = gen_random_uuid()::text WHERE part < (SELECT max(part) FROM event_key_parts);

-- Filters are made once, by one server, for all. They are bits that nothing can compress.
CREATE TABLE event_key_filters (
    seal text COLLATE "C" PRIMARY KEY,
    bits bytea NOT NULL
);
ALTER TABLE event_key_filters ALTER bits SET STORAGE EXTERNAL;
GRANT SELECT, INSERT ON event_key_filters TO tollkeeper_app;

-- open_key_part is what it was, and seals the part that it closes.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION open_key_part(full_at bigint) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    last integer := (SELECT max(part) FROM event_key_parts);
    name text;
BEGIN
    IF last IS NOT NULL AND pg_table_size(format('event_keys_%s', last)::regclass) < full_at THEN
        RETURN last;
    END IF;
    LOCK TABLE event_key_parts IN ACCESS EXCLUSIVE MODE;
    IF last IS DISTINCT FROM (SELECT max(part) FROM event_key_parts) THEN
        RETURN (SELECT max(part) FROM event_key_parts); -- another server was first
    END IF;
    last := coalesce(last, 0) + 1;
    name := format('event_keys_%s', last);
    EXECUTE format('CREATE TABLE %I (LIKE event_keys INCLUDING ALL)', name);
    EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (account_id, idempotency_key)', name);
    EXECUTE format('ALTER TABLE event_keys ATTACH PARTITION %I FOR VALUES IN (%s)', name, last);
    UPDATE event_key_parts SET seal = gen_random_uuid()::text WHERE part = last - 1;
    INSERT INTO event_key_parts VALUES (last);
    RETURN last;
END
$$;
-- +goose StatementEnd

-- count_keys tells how many keys a part has, and on how many pages of its table they lie.
-- +goose StatementBegin
CREATE FUNCTION count_keys(part integer, OUT keys bigint, OUT pages bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    name text := format('event_keys_%s', part);
BEGIN
    EXECUTE format('SELECT count(*) FROM %I', name) INTO keys;
    pages := pg_relation_size(name::regclass) / current_setting('block_size')::bigint;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION count_keys(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_keys(integer) TO tollkeeper_app;

-- digest_keys returns digests, of eight bytes, of the keys of all accounts that lie on some pages
-- of a part: what a filter is made of tells nobody a key. The row of a key can move when the key
-- is freed, so all pages are to be read in one snapshot.
-- +goose StatementBegin
CREATE FUNCTION digest_keys(part integer, first_page bigint, last_page bigint) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    digests bytea;
BEGIN
    EXECUTE format($q$
        SELECT coalesce(string_agg(substr(sha256(convert_to(account_id || ' ' || idempotency_key, 'UTF8')), 1, 8), ''), '')
        FROM %I WHERE ctid >= '(%s,0)' AND ctid < '(%s,0)'$q$, format('event_keys_%s', part), first_page, last_page + 1)
        INTO digests;
    RETURN digests;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION digest_keys(integer, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION digest_keys(integer, bigint, bigint) TO tollkeeper_app;

-- record_events is what it was, but the caller has filters of all parts up to the one with the
-- seal that it names, if there is such a part. In those only the keys are looked up that it is
-- in doubt about, each in one part; in the parts between that and the last all keys are.
DROP FUNCTION record_events(text, text, text[], text[], text[], text[], timestamptz[], text[]);
-- +goose StatementBegin
CREATE FUNCTION record_events(account text, backfill text, customer_ids text[],
    keys text[], names text[], subjects text[], timestamps timestamptz[], properties text[],
    filtered_seal text, doubted_parts integer[], doubted_keys text[],
    OUT taking boolean, OUT oldest timestamptz, OUT newest timestamptz, OUT existing_ids text[], OUT stored boolean, OUT known_keys text[])
LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := begin_account(account);
    first timestamptz;
    last timestamptz;
    number bigint;
    last_part integer;
    filtered integer; -- the part that the filters end with
    earlier_keys text[] := '{}';
    new_keys text[];
    all_new boolean; -- nearly always: then no event is looked up among the new keys
BEGIN
    SELECT now - grace_period_seconds * interval '1 second', now + future_bound_seconds * interval '1 second'
        INTO oldest, newest FROM accounts WHERE id = account;
    taking := true;
    IF backfill IS NOT NULL THEN
        oldest := '0001-01-01T00:00:00Z';
        PERFORM FROM backfills
            WHERE account_id = account AND id = backfill AND status = 'pending' AND NOT closed AND close_time > now
            FOR NO KEY UPDATE;
        taking := FOUND;
    END IF;
    existing_ids := ARRAY(SELECT id FROM customers WHERE account_id = account AND id = ANY (customer_ids) AND deleted_at IS NULL);
    SELECT min(at), max(at) INTO first, last FROM unnest(timestamps) AS at;
    stored := taking AND customer_ids <@ existing_ids AND (keys = '{}' OR first >= oldest AND last <= newest);
    IF NOT stored THEN
        RETURN;
    END IF;

    PERFORM ensure_event_partition(month AT TIME ZONE 'UTC')
        FROM generate_series(date_trunc('month', first AT TIME ZONE 'UTC'), last AT TIME ZONE 'UTC', '1 month') AS month;
    LOCK TABLE event_key_parts IN ACCESS SHARE MODE; -- by itself: the next statement sees what came before the lock
    last_part := (SELECT max(part) FROM event_key_parts);
    filtered := coalesce((SELECT part FROM event_key_parts WHERE seal = filtered_seal), 0);
    IF filtered < last_part - 1 THEN
        earlier_keys := ARRAY(SELECT idempotency_key FROM event_keys
            WHERE part > filtered AND part < last_part AND account_id = account AND idempotency_key = ANY (keys));
    END IF;
    IF doubted_keys <> '{}' THEN
        earlier_keys := earlier_keys || ARRAY(SELECT idempotency_key FROM unnest(doubted_parts, doubted_keys) AS doubted (in_part, key)
            JOIN event_keys ON part = in_part AND account_id = account AND idempotency_key = key);
    END IF;
    number := pg_current_xact_id()::text::bigint << 20;
    WITH claimed AS (
        INSERT INTO event_keys (part, account_id, idempotency_key, seq)
        SELECT last_part, account, key, number + place
        FROM unnest(keys) WITH ORDINALITY AS sent (key, place)
        WHERE key NOT IN (SELECT unnest(earlier_keys))
        ORDER BY key COLLATE "C"
        ON CONFLICT DO NOTHING
        RETURNING idempotency_key
    )
    SELECT coalesce(array_agg(idempotency_key), '{}') INTO new_keys FROM claimed;
    all_new := cardinality(new_keys) = cardinality(keys);
    IF NOT all_new AND EXISTS (SELECT FROM backfills WHERE account_id = account AND status = 'reverted') THEN
        new_keys := new_keys || take_freed_keys(account, keys, number);
    END IF;
    INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq, backfill_id)
    SELECT account, key, name, subject, at, text::jsonb, now, number + place, backfill
    FROM unnest(keys, names, subjects, timestamps, properties) WITH ORDINALITY AS sent (key, name, subject, at, text, place)
    WHERE all_new OR key IN (SELECT unnest(new_keys));
    IF NOT all_new THEN
        known_keys := ARRAY(SELECT key FROM unnest(keys) AS key WHERE key NOT IN (SELECT unnest(new_keys)));
    END IF;
    IF backfill IS NOT NULL THEN
        UPDATE backfills SET events_ingested = events_ingested + cardinality(new_keys) WHERE account_id = account AND id = backfill;
    END IF;
END
$$;
-- +goose StatementEnd

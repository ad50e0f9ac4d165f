-- Backfills: events that are sent together, count together from one instant on, and
-- can be taken back together.

-- +goose Up

ALTER TABLE accounts ADD backfill_length_seconds integer NOT NULL DEFAULT 2678400 CHECK (backfill_length_seconds >= 0);

-- Ranges of text are how the constraint below tells one customer from all.
CREATE TYPE text_range AS RANGE (subtype = text, collation = "C");

CREATE TABLE backfills (
    account_id         text COLLATE "C" NOT NULL REFERENCES accounts,
    id                 text COLLATE "C" NOT NULL,
    seq                bigint GENERATED ALWAYS AS IDENTITY,
    created_at         timestamptz NOT NULL,
    customer_id        text COLLATE "C",        -- null: all customers
    timeframe_start    timestamptz NOT NULL,
    timeframe_end      timestamptz NOT NULL,    -- exclusive
    replaces           boolean NOT NULL,
    deprecation_filter text,                    -- null: all events of the timeframe are replaced
    close_time         timestamptz NOT NULL,    -- when it closes by itself or, once closed, when it did
    closed             boolean NOT NULL,
    status             text NOT NULL CHECK (status IN ('pending', 'reflected', 'pending_revert', 'reverted')),
    events_ingested    bigint NOT NULL CHECK (events_ingested >= 0),
    reverted_at        timestamptz,             -- when that was asked for
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id),
    CHECK (timeframe_start < timeframe_end),
    CHECK (replaces OR deprecation_filter IS NULL),
    CHECK (closed OR status IN ('pending', 'reverted')),
    CHECK ((reverted_at IS NOT NULL) = (status IN ('pending_revert', 'reverted'))),
    -- Of two that are at work, none may touch what the other does. Without a customer
    -- the range has no bounds and meets every customer's.
    CONSTRAINT backfills_overlap EXCLUDE USING gist (
        text_range(account_id, account_id, '[]') WITH &&,
        text_range(customer_id, customer_id, '[]') WITH &&,
        tstzrange(timeframe_start, timeframe_end) WITH &&
    ) WHERE (status IN ('pending', 'pending_revert'))
);
CREATE INDEX backfills_newest ON backfills (account_id, created_at, seq);
CREATE INDEX backfills_closing ON backfills (account_id, close_time) WHERE status = 'pending';
CREATE INDEX backfills_reverting ON backfills (account_id, reverted_at) WHERE status = 'pending_revert';

SELECT scope_to_account('backfills');

-- record_events is what it was, and takes events into a backfill too. That is locked
-- first: who closes it waits for the events on their way, and what comes later is not
-- taken. Of such events the age is not judged, and whether they are in the timeframe
-- and scope the caller knows.
--
-- A backfill that is reverted gives back the keys of its events. They stay where they
-- are until an event is sent under one; then the key is made to lead to that event.
DROP FUNCTION record_events(text, text[], text[], text[], text[], timestamptz[], text[]);
-- +goose StatementBegin
CREATE FUNCTION record_events(account text, backfill text, customer_ids text[],
    keys text[], names text[], subjects text[], timestamps timestamptz[], properties text[],
    OUT taking boolean, OUT oldest timestamptz, OUT newest timestamptz, OUT existing_ids text[], OUT stored boolean, OUT known_keys text[])
LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := begin_account(account);
    first timestamptz;
    last timestamptz;
    number bigint;
    last_part integer;
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
    number := pg_current_xact_id()::text::bigint << 20;
    WITH claimed AS (
        INSERT INTO event_keys (part, account_id, idempotency_key, seq)
        SELECT last_part, account, key, number + place
        FROM unnest(keys) WITH ORDINALITY AS sent (key, place)
        WHERE NOT EXISTS (SELECT FROM event_keys AS earlier
            WHERE earlier.part < last_part AND earlier.account_id = account AND earlier.idempotency_key = key)
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

-- take_freed_keys takes those of the keys that lead to an event of a reverted backfill,
-- in their order, and makes them lead to number and their place. A key that another
-- transaction took first leads elsewhere by then, and is left to it.
-- +goose StatementBegin
CREATE FUNCTION take_freed_keys(account text, keys text[], number bigint, OUT taken_keys text[])
LANGUAGE plpgsql AS $$
BEGIN
    WITH freed AS (
        SELECT k.part, k.idempotency_key, place
        FROM unnest(keys) WITH ORDINALITY AS sent (key, place)
        JOIN event_keys AS k ON k.account_id = account AND k.idempotency_key = key
        JOIN events AS e ON e.account_id = account AND e.seq = k.seq
        JOIN backfills AS b ON b.account_id = account AND b.id = e.backfill_id AND b.status = 'reverted'
        ORDER BY k.idempotency_key FOR UPDATE OF k
    ), taken AS (
        UPDATE event_keys AS k SET seq = number + place FROM freed
        WHERE k.part = freed.part AND k.account_id = account AND k.idempotency_key = freed.idempotency_key
        RETURNING k.idempotency_key
    )
    SELECT coalesce(array_agg(idempotency_key), '{}') INTO taken_keys FROM taken;
END
$$;
-- +goose StatementEnd

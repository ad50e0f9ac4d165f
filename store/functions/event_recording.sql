-- Recording of events.

-- record_events stores the events whose keys are new and tells which were known. A recording
-- is one call, and that call one transaction: between a client and the disk there is one
-- round trip, however many events travel together. Each statement in it costs as much as an
-- event or two, so it asks for nothing that is not needed nearly always.
--
-- It stores nothing if one of the events is older than oldest or newer than newest, or if one
-- of the customers does not exist: the caller leaves those out and asks again. The caller
-- tells the first and the last of the timestamps. Keys are inserted in their order, so that
-- two calls cannot deadlock; seq keeps the order of the arrays, which are shorter than 2^20.
--
-- A backfill that takes events is locked first: closing it waits for the events on their way,
-- and what comes later is not taken. The age of such events is not judged, and whether they
-- are in the timeframe and scope the caller knows. A backfill that is reverted gives back the
-- keys of its events. They stay where they are until an event is sent under one; then the
-- key is made to lead to that event.
--
-- The caller has filters of all parts of the keys up to the one with the seal that it names,
-- if there is such a part. In those only the keys are looked up that it is in doubt about,
-- each in one part; in the parts between that and the last all keys are.
CREATE OR REPLACE FUNCTION record_events(account text, backfill text, customer_ids text[],
    keys text[], names text[], subjects text[], timestamps timestamptz[], properties text[],
    first timestamptz, last timestamptz, filtered_seal text, doubted_parts integer[], doubted_keys text[],
    OUT taking boolean, OUT oldest timestamptz, OUT newest timestamptz, OUT existing_ids text[], OUT stored boolean, OUT known_keys text[])
LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := begin_account(account);
    number bigint;
    last_part integer;
    filtered integer; -- the part that the filters end with
    earlier_keys text[] := '{}';
    taken bigint; -- keys that were new
    new_keys text[];
    all_new boolean; -- nearly always
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
    existing_ids := '{}';
    IF customer_ids <> '{}' THEN
        existing_ids := ARRAY(SELECT id FROM customers WHERE account_id = account AND id = ANY (customer_ids) AND deleted_at IS NULL);
    END IF;
    stored := taking AND customer_ids <@ existing_ids AND (keys = '{}' OR first >= oldest AND last <= newest);
    IF NOT stored OR keys = '{}' THEN
        RETURN;
    END IF;

    IF to_regclass(to_char(first AT TIME ZONE 'UTC', '"events_"YYYY_MM')) IS NULL OR date_trunc('month', first, 'UTC') < date_trunc('month', last, 'UTC') THEN
        PERFORM ensure_event_partition(month AT TIME ZONE 'UTC')
            FROM generate_series(date_trunc('month', first AT TIME ZONE 'UTC'), last AT TIME ZONE 'UTC', '1 month') AS month;
    END IF;
    LOCK TABLE event_key_parts IN ACCESS SHARE MODE; -- by itself: the next statement sees what came before the lock
    SELECT max(part), coalesce(max(part) FILTER (WHERE seal = filtered_seal), 0) INTO last_part, filtered FROM event_key_parts;
    IF filtered < last_part - 1 THEN
        earlier_keys := ARRAY(SELECT idempotency_key FROM event_keys
            WHERE part > filtered AND part < last_part AND account_id = account AND idempotency_key = ANY (keys));
    END IF;
    IF doubted_keys <> '{}' THEN
        earlier_keys := earlier_keys || ARRAY(SELECT idempotency_key FROM unnest(doubted_parts, doubted_keys) AS doubted (in_part, key)
            JOIN event_keys ON part = in_part AND account_id = account AND idempotency_key = key);
    END IF;
    number := event_number();
    WITH inserted AS (INSERT INTO event_keys (part, account_id, idempotency_key, seq)
        SELECT last_part, account, key, number + place FROM unnest(keys) WITH ORDINALITY AS sent (key, place)
        WHERE earlier_keys = '{}' OR key NOT IN (SELECT unnest(earlier_keys))
        ORDER BY key COLLATE "C"
        ON CONFLICT DO NOTHING
        RETURNING idempotency_key)
    SELECT coalesce(array_agg(idempotency_key), '{}') INTO new_keys FROM inserted;
    taken := cardinality(new_keys);
    all_new := taken = cardinality(keys);
    IF NOT all_new THEN
        IF EXISTS (SELECT FROM backfills WHERE account_id = account AND status = 'reverted') THEN
            new_keys := new_keys || take_freed_keys(account, keys, number);
        END IF;
        taken := cardinality(new_keys);
        known_keys := ARRAY(SELECT key FROM unnest(keys) AS key WHERE key NOT IN (SELECT unnest(new_keys)));
        IF known_keys <> '{}' THEN
            PERFORM note_changed_resends(account, now, known_keys, keys, names, subjects, timestamps, properties);
        END IF;
    END IF;
    INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq, backfill_id)
        SELECT account, key, name, subject, at, text::jsonb, now, number + place, backfill
        FROM unnest(keys, names, subjects, timestamps, properties) WITH ORDINALITY AS sent (key, name, subject, at, text, place)
        WHERE all_new OR key IN (SELECT unnest(new_keys));
    IF backfill IS NOT NULL THEN
        UPDATE backfills SET events_ingested = events_ingested + taken WHERE account_id = account AND id = backfill;
    END IF;
END
$$;

-- record_new_events is record_events for the usual recording: keys that are all new, without a
-- backfill, for customers by alias, in a month that has its partition. Nothing asks here which keys
-- were new: a known one is a unique violation, which undoes the recording. Where stored is false,
-- nothing was stored and there is more to look at. In both cases the caller asks record_events.
CREATE OR REPLACE FUNCTION record_new_events(account text, keys text[], names text[], subjects text[], timestamps timestamptz[], properties text[],
    first timestamptz, last timestamptz, filtered_seal text,
    OUT oldest timestamptz, OUT newest timestamptz, OUT stored boolean)
LANGUAGE plpgsql AS $$
DECLARE
    now timestamptz := begin_account(account);
    number bigint;
    last_part integer;
BEGIN
    LOCK TABLE event_key_parts IN ACCESS SHARE MODE; -- by itself, as in record_events
    SELECT now - grace_period_seconds * interval '1 second', now + future_bound_seconds * interval '1 second', parts.highest,
            parts.filtered >= parts.highest - 1 AND date_trunc('month', first, 'UTC') = date_trunc('month', last, 'UTC')
            AND to_regclass(to_char(first AT TIME ZONE 'UTC', '"events_"YYYY_MM')) IS NOT NULL
        INTO oldest, newest, last_part, stored
        FROM accounts, (SELECT max(part) AS highest, coalesce(max(part) FILTER (WHERE seal = filtered_seal), 0) AS filtered FROM event_key_parts) AS parts
        WHERE id = account;
    stored := stored AND first >= oldest AND last <= newest;
    IF NOT stored THEN
        RETURN;
    END IF;
    number := event_number();
    INSERT INTO event_keys (part, account_id, idempotency_key, seq)
        SELECT last_part, account, key, number + place FROM unnest(keys) WITH ORDINALITY AS sent (key, place)
        ORDER BY key COLLATE "C";
    INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
        SELECT account, key, name, subject, at, text::jsonb, now, number + place
        FROM unnest(keys, names, subjects, timestamps, properties) WITH ORDINALITY AS sent (key, name, subject, at, text, place);
END
$$;

-- take_freed_keys takes those of the keys that lead to an event of a reverted backfill,
-- in their order, and makes them lead to number and their place. A key that another
-- transaction took first leads elsewhere by then, and is left to it.
CREATE OR REPLACE FUNCTION take_freed_keys(account text, keys text[], number bigint, OUT taken_keys text[])
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

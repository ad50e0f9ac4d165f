-- What a recording costs beside its events: each statement within it takes as much as an
-- event or two, and while single events come in there are few of them in a recording.

-- +goose Up

-- record_events is what it was, but the caller tells it the first and the last of the
-- timestamps, and it asks for nothing that is not needed nearly always.
DROP FUNCTION record_events(text, text, text[], text[], text[], text[], timestamptz[], text[], text, integer[], text[]);
-- +goose StatementBegin
CREATE FUNCTION record_events(account text, backfill text, customer_ids text[],
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
    all_new boolean; -- nearly always: then it is not asked which they are
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
    number := pg_current_xact_id()::text::bigint << 20;
    INSERT INTO event_keys (part, account_id, idempotency_key, seq)
        SELECT last_part, account, key, number + place FROM unnest(keys) WITH ORDINALITY AS sent (key, place)
        WHERE earlier_keys = '{}' OR key NOT IN (SELECT unnest(earlier_keys))
        ORDER BY key COLLATE "C"
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS taken = ROW_COUNT;
    all_new := taken = cardinality(keys);
    IF NOT all_new THEN
        new_keys := ARRAY(SELECT idempotency_key FROM event_keys
            WHERE part = last_part AND account_id = account AND idempotency_key = ANY (keys) AND seq > number AND seq <= number + cardinality(keys));
        IF EXISTS (SELECT FROM backfills WHERE account_id = account AND status = 'reverted') THEN
            new_keys := new_keys || take_freed_keys(account, keys, number);
        END IF;
        taken := cardinality(new_keys);
        known_keys := ARRAY(SELECT key FROM unnest(keys) AS key WHERE key NOT IN (SELECT unnest(new_keys)));
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
-- +goose StatementEnd

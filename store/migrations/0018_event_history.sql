-- Events whose history can change. A key leads to its event, an event can be taken
-- out of the count, and it may belong to a backfill, which counts only while that
-- is in effect.

-- +goose Up

-- seq is in order of ingestion: the number of the transaction that stored the event,
-- and the place in it. So all events of transactions that are over can be told from
-- those to come, and an event is found by its seq alone.
ALTER TABLE events ADD backfill_id text COLLATE "C", ADD deprecated boolean NOT NULL DEFAULT false;
UPDATE events SET seq = (pg_current_xact_id()::text::bigint << 20) + place
    FROM (SELECT account_id AS account, seq AS former, row_number() OVER (ORDER BY seq) AS place FROM events) AS p
    WHERE account_id = account AND seq = former;
CREATE INDEX events_seq ON events (seq);
CREATE INDEX events_timestamp ON events USING brin ("timestamp") WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX events_backfill ON events (account_id, backfill_id) WHERE backfill_id IS NOT NULL;
DROP SEQUENCE event_groups CASCADE;

-- Keys lie in parts by arrival. Only the last part is written to: keys without an
-- order would, in one index of them all, touch another page each. A key is unique
-- in its part by an index, and among all parts because those before the last do not
-- change while it is looked up in them.
ALTER TABLE event_keys RENAME TO former_event_keys;
DROP POLICY account ON former_event_keys;
CREATE TABLE event_keys (
    part            integer NOT NULL,
    account_id      text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    seq             bigint NOT NULL -- of the event
) PARTITION BY LIST (part);
SELECT scope_to_account('event_keys');

CREATE TABLE event_key_parts (
    part      integer PRIMARY KEY,
    opened_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON event_key_parts TO tollkeeper_app;

-- open_key_part begins a new part if the last one takes more than so many bytes of
-- disk, indexes not counted, and returns the last part. A recording holds ACCESS SHARE
-- on the list of parts until it ends, so none is between two parts.
-- +goose StatementBegin
CREATE FUNCTION open_key_part(full_at bigint) RETURNS integer
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
    INSERT INTO event_key_parts VALUES (last);
    RETURN last;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION open_key_part(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_key_part(bigint) TO tollkeeper_app;
SELECT open_key_part(0);

INSERT INTO event_keys
    SELECT 1, account_id, idempotency_key, coalesce(seq, 0)
    FROM former_event_keys LEFT JOIN events USING (account_id, idempotency_key);
DROP TABLE former_event_keys;

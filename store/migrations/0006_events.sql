-- Events are what customers used. A key of an event is known for ever and in
-- all partitions, so keys have a table of their own and are the only thing that
-- is unique; events lie in partitions by the month of their timestamp, in UTC.
-- Keys are in text order: those that are sent in order stay together on disk.

-- +goose Up

CREATE TABLE event_keys (
    account_id      text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, idempotency_key)
);
SELECT scope_to_account('event_keys');

CREATE TABLE events (
    account_id      text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    event_name      text NOT NULL,
    -- c: and a customer's id, or e: and an external id, as it was sent
    subject         text COLLATE "C" NOT NULL CHECK (subject LIKE 'c:_%' OR subject LIKE 'e:_%'),
    "timestamp"     timestamptz NOT NULL,
    properties      jsonb NOT NULL,
    ingested_at     timestamptz NOT NULL,
    -- Order of ingestion, and only that: it breaks ties and may repeat. It is the
    -- number of the group that was written together and the place in that group.
    seq             bigint NOT NULL
) PARTITION BY RANGE ("timestamp");
CREATE INDEX events_subject ON events (account_id, subject, "timestamp");
SELECT scope_to_account('events');

CREATE SEQUENCE event_groups;
GRANT USAGE ON SEQUENCE event_groups TO tollkeeper_app;

-- ensure_event_partition makes the partition for the month of an instant. It
-- stands beside the parent first and is attached then, which stops nobody from
-- reading or writing. The server's role reaches partitions through the parent
-- only, where row-level security applies.
-- +goose StatementBegin
CREATE FUNCTION ensure_event_partition(at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    month timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
    name text := 'events_' || to_char(month, 'YYYY_MM');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(name, 0));
    IF to_regclass(name) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL)', name);
        EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
            month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END IF;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION ensure_event_partition(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ensure_event_partition(timestamptz) TO tollkeeper_app;

-- Events are what customers used. A key of an event is known for ever and in all months, so
-- keys have a table of their own and are the only thing that is unique. Events are in
-- partitions by the month of their timestamp, in UTC. Functions make and drop the partitions
-- (functions/event_months.sql, event_keys.sql).

-- +goose Up

CREATE TABLE events (
    account_id      text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    event_name      text NOT NULL,
    -- c: and a customer's id, or e: and an external id, as it was sent
    subject         text COLLATE "C" NOT NULL CHECK (subject LIKE 'c:_%' OR subject LIKE 'e:_%'),
    "timestamp"     timestamptz NOT NULL,
    properties      jsonb NOT NULL,
    ingested_at     timestamptz NOT NULL,
    -- In order of ingestion: the number of the transaction that stored the event, and the
    -- place in it. So all events of transactions that are over can be told from those to
    -- come, and an event is found by its seq alone.
    seq             bigint NOT NULL,
    backfill_id     text COLLATE "C",              -- it counts only while that is in effect
    deprecated      boolean NOT NULL DEFAULT false -- it does not count
) PARTITION BY RANGE ("timestamp");
CREATE INDEX events_subject ON events (account_id, subject, "timestamp");
CREATE INDEX events_timestamp ON events USING brin ("timestamp") WITH (pages_per_range = 32, autosummarize = on);
-- What is newer than a mark of the account. Behind that mark other accounts may have stored
-- any number, and those are not to be passed over each time.
CREATE INDEX events_in_order ON events (account_id, seq);
CREATE INDEX events_backfill ON events (account_id, backfill_id) WHERE backfill_id IS NOT NULL;
SELECT scope_to_account('events');

-- The statement that a metric compiles to runs as a role that reads events, those of the
-- transaction's account, and the buckets made of them (0016), and no other table.
GRANT USAGE ON SCHEMA public TO tollkeeper_metric;
GRANT SELECT ON events TO tollkeeper_metric;

-- Keys are in parts by arrival. Only the last part is written to: in one index of all keys,
-- those without an order would touch another page each. A key is unique in its part by an
-- index, and among all parts because those before the last do not change while it is looked
-- up in them.
CREATE TABLE event_keys (
    part            integer NOT NULL,
    account_id      text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    seq             bigint NOT NULL -- of the event
) PARTITION BY LIST (part);
SELECT scope_to_account('event_keys');

CREATE TABLE event_key_parts (
    part      integer PRIMARY KEY,
    opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The seal is given to a part when it is closed. Filters go by the seal: if the database
    -- lost the closing of the part, as a standby that takes over may, and closes it later,
    -- the seal is another one. Parts are closed in their order, so a server that knows the
    -- seal of one knows all parts before it.
    seal      text COLLATE "C" UNIQUE
);
GRANT SELECT ON event_key_parts TO tollkeeper_app;

-- The first part.
CREATE TABLE event_keys_1 (LIKE event_keys INCLUDING ALL);
ALTER TABLE event_keys_1 ADD PRIMARY KEY (account_id, idempotency_key);
ALTER TABLE event_keys ATTACH PARTITION event_keys_1 FOR VALUES IN (1);
INSERT INTO event_key_parts (part) VALUES (1);

-- A closed part takes no more keys. So a filter in the memory of a server can tell of nearly
-- every new key that it is not there, at two bytes for each that is. Only the rest is looked
-- up there, and parts can be small, so that little of their indexes is touched. Filters are
-- made once, by one server, for all. They are bits that nothing can compress.
CREATE TABLE event_key_filters (
    seal text COLLATE "C" PRIMARY KEY,
    bits bytea NOT NULL
);
ALTER TABLE event_key_filters ALTER bits SET STORAGE EXTERNAL;
GRANT SELECT, INSERT ON event_key_filters TO tollkeeper_app;

CREATE VIEW event_months AS
    SELECT relname AS name, start AT TIME ZONE 'UTC' AS start_at, (start + interval '1 month') AT TIME ZONE 'UTC' AS end_at
    FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid,
        to_timestamp(substr(relname, 8), 'YYYY_MM') AS named, date_trunc('month', named::timestamp) AS start
    WHERE inhparent = 'events'::regclass;

-- Months of which events were dropped. What they counted is in the buckets alone, so history
-- is not changed there any more. A transaction that is about to change history reads this
-- table, and holds it until its end.
CREATE TABLE dropped_event_months (
    start_at   timestamptz PRIMARY KEY,
    end_at     timestamptz NOT NULL,
    dropped_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Whose events were dropped. Of other accounts none were, and theirs may still come,
    -- where a clock is set by hand. Null: everybody's.
    accounts   text[]
);
GRANT SELECT ON dropped_event_months TO tollkeeper_app;

-- What events were before they were changed in place. An event is amended any number of
-- times and deprecated once. How many corrections a customer's events take is limited.
CREATE TABLE event_corrections (
    account_id      text COLLATE "C" NOT NULL,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('amended', 'deprecated')),
    idempotency_key text COLLATE "C" NOT NULL,
    event_seq       bigint NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    -- as they were
    event_name      text NOT NULL,
    properties      jsonb NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers
);
CREATE INDEX event_corrections_customer ON event_corrections (account_id, customer_id, kind, created_at);
CREATE UNIQUE INDEX event_corrections_deprecated ON event_corrections (account_id, idempotency_key, event_seq) WHERE kind = 'deprecated';
SELECT scope_to_account('event_corrections');

-- Backfills: events that are sent together, count together from one instant on, and can be
-- taken back together.
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
    -- Of two that are at work, none may touch what the other does. Without a customer the
    -- range has no bounds and meets every customer's.
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

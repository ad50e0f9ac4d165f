-- What metrics come to, kept by the hour, so that a month of usage is read without its
-- events. It follows the events at a small distance: what is newer than the mark of the
-- account, or is in a gap, is read from the events themselves.

-- +goose Up

-- How far an account's buckets have come: they hold the events with a seq below the mark.
-- The aggregator locks the row.
CREATE TABLE usage_progress (
    account_id   text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    mark         bigint NOT NULL,
    six_hourly_to timestamptz -- before it, usage_buckets_6h say what hours do; null: there are none
);
SELECT scope_to_account('usage_progress');

-- By what buckets are told apart, beside customer and hour: the values of some properties.
-- One row has the totals of all metrics that are asked for by these.
CREATE TABLE usage_grains (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    keys       text[] NOT NULL, -- names of columns and properties, sorted
    digest     bytea NOT NULL,  -- of keys
    width      integer NOT NULL DEFAULT 0, -- how many totals there are
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, digest)
);
SELECT scope_to_account('usage_grains');

-- A series is what a metric comes to at a grain. Two metrics with one text share it. A new
-- one starts at the first event and is used when it has come to the account's mark.
CREATE TABLE usage_series (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    grain      bigint NOT NULL,
    metric     text NOT NULL,
    digest     bytea NOT NULL,   -- of metric
    first      integer NOT NULL, -- of its totals, counted from 1
    last       integer NOT NULL, -- of them
    mark       bigint NOT NULL DEFAULT 0,
    failed_at  timestamptz, -- real time: it fell behind then, and is tried again later
    failure    text,        -- why
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, grain, digest),
    FOREIGN KEY (account_id, grain) REFERENCES usage_grains
);
SELECT scope_to_account('usage_series');

CREATE TABLE usage_buckets (
    account_id text COLLATE "C" NOT NULL,
    grain      bigint NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    hour       timestamptz NOT NULL,
    digest     bytea NOT NULL, -- of keys; empty without
    keys       text[] NOT NULL,
    totals     numeric[] NOT NULL,
    PRIMARY KEY (account_id, grain, subject, hour, digest)
) WITH (fillfactor = 80);
-- usage_buckets_6h are made of the hours of all customers, which are together as they came.
CREATE INDEX usage_buckets_hour ON usage_buckets USING brin (hour) WITH (pages_per_range = 32, autosummarize = on);
SELECT scope_to_account('usage_buckets');

-- The same by six hours of UTC, so that long times are read with a sixth of the rows. A local
-- day of any zone of whole hours has three whole ones. Those that are over are put together
-- from the hours once. What comes in later for one goes into both.
CREATE TABLE usage_buckets_6h (
    account_id text COLLATE "C" NOT NULL,
    grain      bigint NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    hour       timestamptz NOT NULL, -- the first of six
    digest     bytea NOT NULL,
    keys       text[] NOT NULL,
    totals     numeric[] NOT NULL,
    PRIMARY KEY (account_id, grain, subject, hour, digest)
);
SELECT scope_to_account('usage_buckets_6h');

-- The hours of a month, in UTC, in which a value came up that is counted once.
CREATE TABLE usage_values (
    account_id text COLLATE "C" NOT NULL,
    series     bigint NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    month      timestamptz NOT NULL,
    digest     bytea NOT NULL,
    keys       text[] NOT NULL,
    total      integer NOT NULL, -- which of the metric's totals counts it
    value      bytea NOT NULL,   -- digest of the value
    hours      bit(744) NOT NULL,
    PRIMARY KEY (account_id, series, subject, month, digest, total, value)
) WITH (fillfactor = 80);
SELECT scope_to_account('usage_values');

-- How many events of each hour were ever taken in, also those that count no more.
CREATE TABLE usage_volumes (
    account_id text COLLATE "C" NOT NULL,
    hour       timestamptz NOT NULL,
    events     bigint NOT NULL,
    PRIMARY KEY (account_id, hour)
);
SELECT scope_to_account('usage_volumes');

-- Whole hours whose buckets do not say what counts, since that has changed: they are read
-- from events until the aggregator has made their buckets again.
CREATE TABLE usage_gaps (
    account_id text COLLATE "C" NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    subjects   text[], -- null: everybody
    start_at   timestamptz NOT NULL,
    end_at     timestamptz NOT NULL CHECK (end_at > start_at),
    PRIMARY KEY (account_id, id)
);
SELECT scope_to_account('usage_gaps');

-- Revisions of history that are in effect. Events sent under the id of one count, and if it
-- replaces, those that were there when it came into effect do not.
CREATE TABLE usage_revisions (
    account_id text COLLATE "C" NOT NULL REFERENCES accounts,
    id         text COLLATE "C" NOT NULL,
    subjects   text[], -- null: everybody
    start_at   timestamptz NOT NULL,
    end_at     timestamptz NOT NULL CHECK (end_at > start_at),
    replaces   boolean NOT NULL,
    filter     text NOT NULL, -- '': all events of that time
    seen       pg_snapshot NOT NULL, -- the events that were there: those of transactions it sees
    -- It replaces the events for which its filter held when it came into effect. Of those
    -- that were amended since, the properties do not tell that any more, so it is noted here.
    matched    bigint[] NOT NULL DEFAULT '{}', -- seqs of events for which it held
    unmatched  bigint[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (account_id, id)
);
SELECT scope_to_account('usage_revisions');

-- Counts changes of history. A reader of gaps and revisions in one statement, and of usage
-- in the next, can tell that they belong together.
CREATE TABLE usage_history (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    changes    bigint NOT NULL
);
SELECT scope_to_account('usage_history');

-- What metrics run as reads their buckets too. What keeps those runs as a role that writes
-- them, reads events, and can do no more.
GRANT SELECT ON usage_buckets, usage_buckets_6h, usage_values, usage_progress, usage_history TO tollkeeper_metric;

GRANT USAGE ON SCHEMA public TO tollkeeper_aggregator;
GRANT SELECT ON events TO tollkeeper_aggregator;
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_buckets, usage_buckets_6h, usage_values TO tollkeeper_aggregator;

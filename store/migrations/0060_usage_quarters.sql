-- What metrics come to by quarters of a day, in UTC, beside the hours: long times are read
-- with a sixth of the rows. A local day of any zone of whole hours has three whole quarters.

-- +goose Up

-- Quarters that are over, put together from the hours once. What comes in later for one
-- goes into both.
CREATE TABLE usage_quarters (
    account_id text COLLATE "C" NOT NULL,
    grain      bigint NOT NULL,
    subject    text COLLATE "C" NOT NULL,
    hour       timestamptz NOT NULL, -- the first of six
    digest     bytea NOT NULL,
    keys       text[] NOT NULL,
    totals     numeric[] NOT NULL,
    PRIMARY KEY (account_id, grain, subject, hour, digest)
);
SELECT scope_to_account('usage_quarters');
GRANT SELECT ON usage_quarters TO tollkeeper_metric;
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_quarters TO tollkeeper_aggregator;

ALTER TABLE usage_progress ADD quartered_to timestamptz; -- quarters before say what hours do; null: there are none

-- Quarters are made of everybody's hours, which lie together as they came.
CREATE INDEX usage_buckets_hour ON usage_buckets USING brin (hour) WITH (pages_per_range = 32, autosummarize = on);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION analyze_usage() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    ANALYZE usage_buckets, usage_quarters, usage_values;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION analyze_outgrown_usage() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    grown regclass;
BEGIN
    FOR grown IN
        SELECT oid FROM pg_class
        WHERE oid IN ('usage_buckets'::regclass, 'usage_quarters'::regclass, 'usage_values'::regclass)
            AND pg_stat_get_mod_since_analyze(oid) + pg_stat_get_xact_tuples_inserted(oid) > greatest(reltuples, 1000)
    LOOP
        EXECUTE format('ANALYZE %s', grown);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- event_storage tells what the tables take on disk, in bytes, and how many events there
-- are: those of large months as the database last estimated them.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION event_storage(OUT events bigint, OUT months bigint, OUT table_bytes bigint, OUT index_bytes bigint,
    OUT key_bytes bigint, OUT bucket_bytes bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    month record;
    counted bigint;
BEGIN
    SELECT count(*), coalesce(sum(pg_table_size(name::regclass)), 0), coalesce(sum(pg_indexes_size(name::regclass)), 0)
        INTO months, table_bytes, index_bytes FROM event_months;
    events := 0;
    FOR month IN SELECT name, reltuples::bigint AS estimate FROM event_months JOIN pg_class ON oid = name::regclass LOOP
        IF month.estimate < 0 OR pg_relation_size(month.name::regclass) < 64 << 20 THEN
            EXECUTE format('SELECT count(*) FROM %I', month.name) INTO counted;
        ELSE
            counted := month.estimate;
        END IF;
        events := events + counted;
    END LOOP;
    SELECT coalesce(sum(pg_total_relation_size(format('event_keys_%s', part)::regclass)), 0) INTO key_bytes FROM event_key_parts;
    bucket_bytes := pg_total_relation_size('usage_buckets') + pg_total_relation_size('usage_quarters')
        + pg_total_relation_size('usage_values') + pg_total_relation_size('usage_volumes');
END
$$;
-- +goose StatementEnd

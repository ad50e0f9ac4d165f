-- The planner is told of buckets when there are many more than it knows of, and not when
-- those that are there change: the buckets of this hour do whenever events come in.

-- +goose Up

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION analyze_outgrown_usage() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    grown regclass;
BEGIN
    FOR grown IN
        SELECT oid FROM pg_class
        WHERE oid IN ('usage_buckets'::regclass, 'usage_quarters'::regclass, 'usage_values'::regclass)
            AND pg_stat_get_live_tuples(oid) + pg_stat_get_xact_tuples_inserted(oid) - greatest(reltuples, 0) > greatest(reltuples, 1000)
    LOOP
        EXECUTE format('ANALYZE %s', grown);
    END LOOP;
END
$$;
-- +goose StatementEnd

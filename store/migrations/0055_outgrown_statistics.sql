-- Buckets whose tables have more than doubled since the planner last heard of them. Until
-- the database looks by itself, up to a minute later, it takes them for all but empty: a
-- reading of one customer then goes through those of all.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION analyze_outgrown_usage() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    grown regclass;
BEGIN
    FOR grown IN
        SELECT oid FROM pg_class
        WHERE oid IN ('usage_buckets'::regclass, 'usage_values'::regclass)
            AND pg_stat_get_mod_since_analyze(oid) + pg_stat_get_xact_tuples_inserted(oid) > greatest(reltuples, 1000)
    LOOP
        EXECUTE format('ANALYZE %s', grown);
    END LOOP;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION analyze_outgrown_usage() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_outgrown_usage() TO tollkeeper_app;

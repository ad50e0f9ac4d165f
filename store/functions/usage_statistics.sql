-- What the planner of PostgreSQL knows of buckets.

-- analyze_usage tells the planner of buckets. The database looks by itself a minute after many
-- rows came in; a series that has just caught up is read at once.
CREATE OR REPLACE FUNCTION analyze_usage() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    ANALYZE usage_buckets, usage_buckets_6h, usage_values;
END
$$;
REVOKE EXECUTE ON FUNCTION analyze_usage() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_usage() TO tollkeeper_app;

-- analyze_outgrown_usage tells the planner of buckets whose tables have more than doubled since
-- it last looked. Until the database looks by itself, up to a minute later, it takes them for
-- all but empty: a reading of one customer then goes through those of all. Changes of buckets
-- that are there do not matter: the buckets of this hour change whenever events come in.
CREATE OR REPLACE FUNCTION analyze_outgrown_usage() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    grown regclass;
BEGIN
    FOR grown IN
        SELECT oid FROM pg_class
        WHERE oid IN ('usage_buckets'::regclass, 'usage_buckets_6h'::regclass, 'usage_values'::regclass)
            AND pg_stat_get_live_tuples(oid) + pg_stat_get_xact_tuples_inserted(oid) - greatest(reltuples, 0) > greatest(reltuples, 1000)
    LOOP
        EXECUTE format('ANALYZE %s', grown);
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION analyze_outgrown_usage() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_outgrown_usage() TO tollkeeper_app;

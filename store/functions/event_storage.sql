-- event_storage tells what the tables take on disk, in bytes, and how many events there
-- are: those of large months as the database last estimated them.
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
    bucket_bytes := pg_total_relation_size('usage_buckets') + pg_total_relation_size('usage_buckets_6h')
        + pg_total_relation_size('usage_values') + pg_total_relation_size('usage_volumes');
END
$$;
REVOKE EXECUTE ON FUNCTION event_storage() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION event_storage() TO tollkeeper_app;

-- The parts of the keys of events, and what their filters are made of.

-- open_key_part begins a new part if the last one takes more than so many bytes of disk,
-- indexes not counted, and seals the one that it closes. It returns the last part. A recording
-- holds ACCESS SHARE on the list of parts until it ends, so none is between two parts. A dump
-- holds it for hours. Recordings wait behind the lock that is asked for here, so the request
-- ends soon; then the last part stays open, and the next call may close it.
CREATE OR REPLACE FUNCTION open_key_part(full_at bigint) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '200ms' AS $$
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
    UPDATE event_key_parts SET seal = gen_random_uuid()::text WHERE part = last - 1;
    INSERT INTO event_key_parts VALUES (last);
    RETURN last;
EXCEPTION WHEN lock_not_available THEN
    RETURN (SELECT max(part) FROM event_key_parts);
END
$$;
REVOKE EXECUTE ON FUNCTION open_key_part(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_key_part(bigint) TO tollkeeper_app;

-- count_keys tells how many keys a part has, and on how many pages of its table they are.
CREATE OR REPLACE FUNCTION count_keys(part integer, OUT keys bigint, OUT pages bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    name text := format('event_keys_%s', part);
BEGIN
    EXECUTE format('SELECT count(*) FROM %I', name) INTO keys;
    pages := pg_relation_size(name::regclass) / current_setting('block_size')::bigint;
END
$$;
REVOKE EXECUTE ON FUNCTION count_keys(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_keys(integer) TO tollkeeper_app;

-- digest_keys returns digests, of eight bytes, of the keys of all accounts that are on some
-- pages of a part: what a filter is made of tells no key. The row of a key can move when the
-- key is freed, so all pages are to be read in one snapshot.
CREATE OR REPLACE FUNCTION digest_keys(part integer, first_page bigint, last_page bigint) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    digests bytea;
BEGIN
    EXECUTE format($q$
        SELECT coalesce(string_agg(substr(sha256(convert_to(account_id || ' ' || idempotency_key, 'UTF8')), 1, 8), ''), '')
        FROM %I WHERE ctid >= '(%s,0)' AND ctid < '(%s,0)'$q$, format('event_keys_%s', part), first_page, last_page + 1)
        INTO digests;
    RETURN digests;
END
$$;
REVOKE EXECUTE ON FUNCTION digest_keys(integer, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION digest_keys(integer, bigint, bigint) TO tollkeeper_app;

-- The audit log's record of changed rows.

-- record_audit_change adds the change of a row to the audit entry of the transaction. Its
-- arguments are the columns that are not shown: a change of one shows only that it changed.
CREATE OR REPLACE FUNCTION record_audit_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    was jsonb;
    now jsonb;
    whole jsonb;
    hidden text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        whole := to_jsonb(NEW);
        now := whole;
    ELSIF TG_OP = 'DELETE' THEN
        whole := to_jsonb(OLD);
        was := whole;
    ELSIF OLD *= NEW THEN
        RETURN NULL; -- nothing changed, which is seen sooner without JSON
    ELSE
        whole := to_jsonb(NEW);
        SELECT jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, whole -> b.key) INTO was, now
        FROM jsonb_each(to_jsonb(OLD)) b WHERE whole -> b.key IS DISTINCT FROM b.value;
        IF was IS NULL THEN
            RETURN NULL; -- the same values, stored otherwise
        END IF;
    END IF;
    IF TG_NARGS > 0 THEN
        FOREACH hidden IN ARRAY TG_ARGV LOOP
            was := CASE WHEN was ? hidden THEN was || jsonb_build_object(hidden, 'hidden') ELSE was END;
            now := CASE WHEN now ? hidden THEN now || jsonb_build_object(hidden, 'hidden') ELSE now END;
        END LOOP;
    END IF;
    -- The order of rows, the account and the month of an event say nothing to a reader.
    INSERT INTO audit_changes (account_id, entry_id, resource, row_id, before, after)
    VALUES (coalesce(whole ->> 'account_id', whole ->> 'id'), current_setting('tollkeeper.audit'),
        CASE WHEN starts_with(TG_TABLE_NAME, 'events_') THEN 'events' ELSE TG_TABLE_NAME END,
        coalesce(whole ->> 'id', whole ->> 'idempotency_key'),
        was - '{account_id,seq}'::text[], now - '{account_id,seq}'::text[]);
    RETURN NULL;
END
$$;

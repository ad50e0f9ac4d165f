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
    IF TG_OP <> 'INSERT' THEN
        was := to_jsonb(OLD);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        now := to_jsonb(NEW);
    END IF;
    whole := coalesce(now, was);
    IF TG_OP = 'UPDATE' THEN
        SELECT jsonb_object_agg(b.key, b.value), jsonb_object_agg(b.key, now -> b.key) INTO was, now
        FROM jsonb_each(was) b WHERE now -> b.key IS DISTINCT FROM b.value;
        IF was IS NULL THEN
            RETURN NULL; -- nothing changed
        END IF;
    END IF;
    FOREACH hidden IN ARRAY coalesce(TG_ARGV, '{}') LOOP
        was := CASE WHEN was ? hidden THEN was || jsonb_build_object(hidden, 'hidden') ELSE was END;
        now := CASE WHEN now ? hidden THEN now || jsonb_build_object(hidden, 'hidden') ELSE now END;
    END LOOP;
    -- The order of rows and the account say nothing to a reader.
    was := was - 'account_id' - 'seq';
    now := now - 'account_id' - 'seq';
    INSERT INTO audit_changes (account_id, entry_id, resource, row_id, before, after)
    VALUES (coalesce(whole ->> 'account_id', whole ->> 'id'), current_setting('tollkeeper.audit'), TG_TABLE_NAME, whole ->> 'id', was, now);
    RETURN NULL;
END
$$;

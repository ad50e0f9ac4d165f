-- What the server does with keys and accounts before it knows the account.

-- find_api_key returns the id and the account of the key with that SHA-256; no row if there is
-- none, or if it has expired or was revoked. It marks the use of the key, once a minute. SKIP
-- LOCKED: that never waits.
CREATE OR REPLACE FUNCTION find_api_key(digest bytea) RETURNS TABLE (key_id text, account text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    SELECT k.id, k.account_id INTO key_id, account FROM api_keys AS k
        WHERE k.hash = digest AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp());
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE api_keys SET last_used_at = clock_timestamp() WHERE id = (
        SELECT k.id FROM api_keys AS k
        WHERE k.id = key_id AND (k.last_used_at IS NULL OR k.last_used_at < clock_timestamp() - interval '1 minute')
        FOR UPDATE SKIP LOCKED);
    RETURN NEXT;
END
$$;
REVOKE EXECUTE ON FUNCTION find_api_key(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(bytea) TO tollkeeper_app;

-- list_accounts returns the ids of all accounts, the oldest first, and whether the clock of each
-- is set by hand. Background work goes through them.
CREATE OR REPLACE FUNCTION list_accounts() RETURNS TABLE (account text, stopped boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT id, clock_now IS NOT NULL FROM accounts ORDER BY seq
$$;
REVOKE EXECUTE ON FUNCTION list_accounts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_accounts() TO tollkeeper_app;

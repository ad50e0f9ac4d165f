-- Mails of all accounts at once.

-- mails_due names the accounts that have mails to be sent, or claimed by a server that died.
CREATE OR REPLACE FUNCTION mails_due(at timestamptz) RETURNS TABLE (account_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.id FROM accounts a
    WHERE EXISTS (
        SELECT FROM mails m
        WHERE m.account_id = a.id AND m.status = 'pending' AND m.next_attempt_at <= at AND (m.claimed_until IS NULL OR m.claimed_until <= at));
$$;
REVOKE EXECUTE ON FUNCTION mails_due(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION mails_due(timestamptz) TO tollkeeper_app;

-- forget_mails deletes mails of all accounts that are older than the account keeps them and wait for
-- no attempt, some at a time, and tells how many.
CREATE OR REPLACE FUNCTION forget_mails(at timestamptz, atmost integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH old AS (
        SELECT m.account_id, m.id FROM accounts a
        CROSS JOIN LATERAL (
            SELECT m.account_id, m.id FROM mails m
            WHERE m.account_id = a.id AND m.recorded_at < at - make_interval(days => a.mail_log_days) AND m.status <> 'pending'
            ORDER BY m.recorded_at LIMIT atmost FOR UPDATE SKIP LOCKED) m
        LIMIT atmost),
    gone AS (DELETE FROM mails m USING old WHERE m.account_id = old.account_id AND m.id = old.id RETURNING m.id)
    SELECT count(*) FROM gone;
$$;
REVOKE EXECUTE ON FUNCTION forget_mails(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_mails(timestamptz, integer) TO tollkeeper_app;

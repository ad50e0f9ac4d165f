-- The request log of all accounts at once.

-- forget_requests deletes requests of all accounts that were answered before an instant, or that have more
-- than so many newer ones in their account, some at a time, and tells how many.
CREATE OR REPLACE FUNCTION forget_requests(before timestamptz, kept integer, atmost integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH old AS (
        SELECT r.account_id, r.id FROM accounts a
        CROSS JOIN LATERAL (
            SELECT b.created_at, b.seq FROM (
                (SELECT l.created_at, l.seq FROM api_requests l WHERE l.account_id = a.id ORDER BY l.created_at DESC, l.seq DESC OFFSET kept LIMIT 1)
                UNION ALL
                (SELECT l.created_at, l.seq FROM api_requests l WHERE l.account_id = a.id AND l.created_at < before ORDER BY l.created_at DESC, l.seq DESC LIMIT 1)) b
            ORDER BY b.created_at DESC, b.seq DESC LIMIT 1) bound
        CROSS JOIN LATERAL (
            SELECT l.account_id, l.id FROM api_requests l
            WHERE l.account_id = a.id AND (l.created_at, l.seq) <= (bound.created_at, bound.seq)
            ORDER BY l.created_at, l.seq LIMIT atmost FOR UPDATE SKIP LOCKED) r
        LIMIT atmost),
    gone AS (DELETE FROM api_requests l USING old WHERE l.account_id = old.account_id AND l.id = old.id RETURNING l.id)
    SELECT count(*) FROM gone;
$$;
REVOKE EXECUTE ON FUNCTION forget_requests(timestamptz, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_requests(timestamptz, integer, integer) TO tollkeeper_app;

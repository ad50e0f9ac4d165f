-- Webhooks of all accounts at once.

-- webhooks_due names the endpoints of all accounts that have something to be sent, each once.
CREATE OR REPLACE FUNCTION webhooks_due(at timestamptz) RETURNS TABLE (account_id text, endpoint_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.account_id, e.id FROM webhook_endpoints e
    WHERE e.enabled AND EXISTS (
        SELECT FROM webhook_deliveries d
        WHERE d.account_id = e.account_id AND d.endpoint_id = e.id AND d.status = 'pending'
          AND d.next_attempt_at <= at AND (d.claimed_until IS NULL OR d.claimed_until <= at));
$$;
REVOKE EXECUTE ON FUNCTION webhooks_due(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION webhooks_due(timestamptz) TO tollkeeper_app;

-- webhooks_waiting counts the deliveries of all accounts that are still to be sent, of each endpoint so many at
-- most, and tells when the first of them was to be sent.
CREATE OR REPLACE FUNCTION webhooks_waiting(atmost integer) RETURNS TABLE (deliveries bigint, first_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT coalesce(sum(w.deliveries), 0)::bigint, min(w.first_at) FROM webhook_endpoints e
    CROSS JOIN LATERAL (
        SELECT count(*) AS deliveries, min(d.next_attempt_at) AS first_at FROM (
            SELECT d.next_attempt_at FROM webhook_deliveries d
            WHERE d.account_id = e.account_id AND d.endpoint_id = e.id AND d.status = 'pending'
            ORDER BY d.next_attempt_at LIMIT atmost) d) w
    WHERE e.enabled;
$$;
REVOKE EXECUTE ON FUNCTION webhooks_waiting(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION webhooks_waiting(integer) TO tollkeeper_app;

-- forget_webhooks deletes messages of all accounts that are older than the account keeps
-- them, with their deliveries, some at a time, and tells how many.
CREATE OR REPLACE FUNCTION forget_webhooks(at timestamptz, atmost integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH old AS (
        SELECT m.account_id, m.id FROM accounts a
        CROSS JOIN LATERAL (
            SELECT m.account_id, m.id FROM webhook_messages m
            WHERE m.account_id = a.id AND m.recorded_at < at - make_interval(days => a.webhook_log_days)
            ORDER BY m.recorded_at LIMIT atmost FOR UPDATE SKIP LOCKED) m
        LIMIT atmost),
    gone AS (DELETE FROM webhook_messages m USING old WHERE m.account_id = old.account_id AND m.id = old.id RETURNING m.id)
    SELECT count(*) FROM gone;
$$;
REVOKE EXECUTE ON FUNCTION forget_webhooks(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_webhooks(timestamptz, integer) TO tollkeeper_app;

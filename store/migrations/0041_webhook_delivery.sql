-- How messages go out, and what is looked for only to tell of it.

-- +goose Up
ALTER TABLE accounts
    -- how long after an attempt the next one is made
    ADD COLUMN webhook_retries  text NOT NULL DEFAULT '1m,5m,30m,2h,6h,24h',
    ADD COLUMN webhook_log_days integer NOT NULL DEFAULT 30 CHECK (webhook_log_days > 0);

-- webhooks_due names the endpoints of all accounts that have something to be sent, each
-- however much it is.
-- +goose StatementBegin
CREATE FUNCTION webhooks_due(at timestamptz) RETURNS TABLE (account_id text, endpoint_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT e.account_id, e.id FROM webhook_endpoints e
    WHERE e.enabled AND EXISTS (
        SELECT FROM webhook_deliveries d
        WHERE d.account_id = e.account_id AND d.endpoint_id = e.id AND d.status = 'pending'
          AND d.next_attempt_at <= at AND (d.claimed_until IS NULL OR d.claimed_until <= at));
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION webhooks_due(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION webhooks_due(timestamptz) TO tollkeeper_app;

-- forget_webhooks deletes messages of all accounts that are older than the account keeps
-- them, with their deliveries, some at a time, and tells how many.
-- +goose StatementBegin
CREATE FUNCTION forget_webhooks(at timestamptz, atmost integer) RETURNS bigint
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
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION forget_webhooks(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_webhooks(timestamptz, integer) TO tollkeeper_app;

-- The next instant at which a subscription begins or ends, which nobody was told yet;
-- null when there is none.
ALTER TABLE subscriptions ADD COLUMN next_news_at timestamptz;
UPDATE subscriptions s SET next_news_at = CASE
    WHEN s.end_at = s.start_at THEN NULL
    WHEN s.start_at > coalesce(a.clock_now, now()) THEN s.start_at
    WHEN s.end_at > coalesce(a.clock_now, now()) THEN s.end_at END
FROM accounts a WHERE a.id = s.account_id;
CREATE INDEX subscriptions_news ON subscriptions (account_id, next_news_at, seq) WHERE next_news_at IS NOT NULL;

-- Whether endpoints were told that the date of the invoice has come.
ALTER TABLE invoices ADD COLUMN date_told boolean NOT NULL DEFAULT false;
CREATE INDEX invoices_date_untold ON invoices (account_id, invoice_date) WHERE status = 'draft' AND NOT date_told;

-- How far an account's events were looked through for those of no customer: up to that
-- seq. There is none where no endpoint is told of them.
CREATE TABLE unmatched_marks (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    mark       bigint NOT NULL
);
SELECT scope_to_account('unmatched_marks');

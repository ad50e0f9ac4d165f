-- Names that tell events apart mean columns too: event_name is the column, properties.x and
-- "x" are the property x. Buckets that were kept by such names before were told apart by
-- properties that are called so, which hardly any event has. They are made again from the
-- events. Months whose events were dropped stay as they are: nothing is left to make them of.

-- +goose Up

CREATE TEMPORARY TABLE wrong_grains ON COMMIT DROP AS
    SELECT account_id, id FROM usage_grains WHERE EXISTS (
        SELECT FROM unnest(keys) AS key
        WHERE key IN ('event_name', 'timestamp', 'timestamp_millis', 'idempotency_key', 'customer_id', 'external_customer_id')
            OR key LIKE 'properties.%' OR key LIKE '"%');

CREATE TEMPORARY TABLE kept_months ON COMMIT DROP AS
    SELECT g.account_id, m.start_at, m.end_at
    FROM (SELECT DISTINCT account_id FROM wrong_grains) AS g
    JOIN dropped_event_months AS m ON m.accounts IS NULL OR g.account_id = ANY (m.accounts);

DELETE FROM usage_buckets AS b USING wrong_grains AS g
WHERE b.account_id = g.account_id AND b.grain = g.id
    AND NOT EXISTS (SELECT FROM kept_months AS m WHERE m.account_id = b.account_id AND b.hour >= m.start_at AND b.hour < m.end_at);

DELETE FROM usage_quarters AS b USING wrong_grains AS g
WHERE b.account_id = g.account_id AND b.grain = g.id
    AND NOT EXISTS (SELECT FROM kept_months AS m WHERE m.account_id = b.account_id AND b.hour >= m.start_at AND b.hour < m.end_at);

DELETE FROM usage_values AS v USING usage_series AS s, wrong_grains AS g
WHERE s.account_id = g.account_id AND s.grain = g.id AND v.account_id = s.account_id AND v.series = s.id
    AND NOT EXISTS (SELECT FROM kept_months AS m WHERE m.account_id = v.account_id AND v.month = m.start_at);

-- A series that begins again is read from events until it has caught up.
UPDATE usage_series AS s SET mark = 0, failed_at = NULL, failure = NULL FROM wrong_grains AS g
WHERE s.account_id = g.account_id AND s.grain = g.id;

INSERT INTO usage_history AS h (account_id, changes) SELECT DISTINCT account_id, 1 FROM wrong_grains
ON CONFLICT (account_id) DO UPDATE SET changes = h.changes + 1;

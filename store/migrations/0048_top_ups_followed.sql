-- Top-ups look at a balance as soon as events came in that it pays for, as alerts do. Those
-- that there are begin with one look at each balance.

-- +goose Up

INSERT INTO alert_progress (account_id, seen)
SELECT id, pg_current_snapshot() FROM accounts
WHERE id IN (SELECT account_id FROM top_ups WHERE deactivated_at IS NULL)
ON CONFLICT DO NOTHING;

INSERT INTO alert_looks (account_id, customer_id, due_at)
SELECT DISTINCT t.account_id, t.customer_id, coalesce(a.clock_now, now())
FROM top_ups AS t JOIN accounts AS a ON a.id = t.account_id
WHERE t.deactivated_at IS NULL;

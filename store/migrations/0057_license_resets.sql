-- The next instant at which licenses are granted anew what they have for themselves;
-- null: none is.

-- +goose Up

ALTER TABLE subscriptions ADD next_reset_at timestamptz;
CREATE INDEX subscriptions_resetting ON subscriptions (account_id, next_reset_at, seq) WHERE next_reset_at IS NOT NULL;
-- Those that run are looked at once, from now on.
UPDATE subscriptions s SET next_reset_at = now()
FROM price_intervals i JOIN prices p ON p.account_id = i.account_id AND p.id = i.price_id
WHERE i.account_id = s.account_id AND i.subscription_id = s.id AND p.license_allocations <> '[]';

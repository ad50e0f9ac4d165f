-- Which periods of allocation prices were granted, each once.

-- +goose Up

CREATE TABLE allocation_grants (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    interval_id     text COLLATE "C" NOT NULL,  -- the price interval, which a change may have taken back since
    start_at        timestamptz NOT NULL,       -- of the period
    block_id        text COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, id),
    CONSTRAINT allocation_grants_once UNIQUE (account_id, interval_id, start_at),
    UNIQUE (account_id, block_id),
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, block_id) REFERENCES credit_blocks (account_id, id)
);
CREATE INDEX allocation_grants_of_subscription ON allocation_grants (account_id, subscription_id, start_at);
SELECT scope_to_account('allocation_grants');

-- The next instant at which a period begins that is to be granted; null: none does.
ALTER TABLE subscriptions ADD next_grant_at timestamptz;
CREATE INDEX subscriptions_granting ON subscriptions (account_id, next_grant_at, seq) WHERE next_grant_at IS NOT NULL;
-- Those that run are looked at once.
UPDATE subscriptions s SET next_grant_at = s.created_at
FROM price_intervals i JOIN prices p ON p.account_id = i.account_id AND p.id = i.price_id
WHERE i.account_id = s.account_id AND i.subscription_id = s.id AND p.allocation IS NOT NULL;

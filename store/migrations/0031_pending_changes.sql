-- Changes of subscriptions that were asked for and wait to be applied or
-- cancelled: the request is kept, and made when the change is applied.

-- +goose Up

CREATE TABLE subscription_changes (
    account_id      text COLLATE "C" NOT NULL REFERENCES accounts,
    id              text COLLATE "C" NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    created_at      timestamptz NOT NULL,
    customer_id     text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C",          -- null: it makes one, and is not applied yet
    type            text NOT NULL,             -- the operation that was asked for
    request         text NOT NULL,             -- its body, in JSON
    expires_at      timestamptz NOT NULL,      -- pending until then, it is cancelled
    applied_at      timestamptz,
    cancelled_at    timestamptz,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, customer_id) REFERENCES customers (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, subscription_id) REFERENCES subscriptions (account_id, id) ON DELETE CASCADE,
    CHECK (applied_at IS NULL OR cancelled_at IS NULL)
);
CREATE UNIQUE INDEX subscription_changes_pending ON subscription_changes (account_id, subscription_id)
    WHERE applied_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX subscription_changes_expiring ON subscription_changes (account_id, expires_at, seq)
    WHERE applied_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX subscription_changes_newest ON subscription_changes (account_id, created_at, seq);

SELECT scope_to_account('subscription_changes');

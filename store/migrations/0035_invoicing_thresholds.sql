-- Usage that is invoiced before its period ends, when it has come to a threshold.

-- +goose Up

ALTER TABLE subscriptions
    ADD invoicing_threshold numeric CHECK (invoicing_threshold > 0), -- in its currency
    ADD accrual_changed     boolean NOT NULL DEFAULT false, -- what it has used is to be compared with that
    ADD partial_at          timestamptz; -- when a partial invoice was made last
ALTER TABLE stints
    ADD invoicing_threshold numeric CHECK (invoicing_threshold > 0); -- from then on; null: as before
CREATE INDEX subscriptions_with_threshold ON subscriptions (account_id, customer_id) WHERE invoicing_threshold IS NOT NULL;
CREATE INDEX subscriptions_accrued ON subscriptions (account_id, seq) WHERE accrual_changed;

-- Up to where the usage of an account was looked at for thresholds.
CREATE TABLE accrual_progress (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts,
    seen       pg_snapshot NOT NULL, -- the events that were there: those of transactions it sees
    changes    bigint NOT NULL       -- of the history of usage
);
SELECT scope_to_account('accrual_progress');

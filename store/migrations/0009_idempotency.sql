-- Answers kept under the Idempotency-Key of their request, written in the
-- transaction of what the request did. They are forgotten 48 hours later, by the
-- account's clock.

-- +goose Up
CREATE TABLE idempotency_keys (
    account_id  text COLLATE "C" NOT NULL REFERENCES accounts,
    key         text COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 64),
    -- SHA-256 of method, path, query and body
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    answer      json NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (account_id, key)
);

-- To find those that have expired.
CREATE INDEX ON idempotency_keys (account_id, created_at);

SELECT scope_to_account('idempotency_keys');
